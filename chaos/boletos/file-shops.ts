import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { paymentRequest, TEST_CARD } from '../../test/kit/merchant.ts';
import { until } from '../../test/kit/service.ts';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import { callGateway } from '../merchant-client.ts';
import { copyMerchant, logIn } from '../recurrence/open-chaos-merchant.ts';

/** Files as the acquirer's simulator writes them, and a mistake of the acquirer's in them. */
export type FileCase = { readonly formats: readonly string[]; readonly fault: string | null };

export const FILE_CASES: readonly FileCase[] = [
  { formats: ['adiq'], fault: null },
  { formats: ['adiq'], fault: 'rowTwice' },
  { formats: ['adiq'], fault: 'anotherAmount' },
  { formats: ['cielo04'], fault: null },
  { formats: ['cielo04'], fault: 'anotherFee' },
  // What is paid of a batch is known by its sales.
  { formats: ['redeEevc', 'redeEefi'], fault: null },
];

/** A merchant whose sales are paid out, and the files that say so. */
export type FileShop = {
  readonly merchantId: string;
  readonly paths: readonly string[];
  readonly fileCase: FileCase;
};

/** The same of each merchant, so that their files differ in numbers and names only. */
const SALES = [
  { amount: 10_000, installments: 1 },
  { amount: 25_050, installments: 2 },
  { amount: 9_990, installments: 1 },
] as const;
const DAY_MILLISECONDS = 86_400_000;
const FOLLOWED_MILLISECONDS = 60_000;

const shopsOf = new WeakMap<ChaosBench, number>();

/** Throws when the gateway does not answer; the round is made ready again then. */
export async function openFileShop(
  bench: ChaosBench,
  gateway: Gateway,
  fileCase: FileCase,
): Promise<FileShop> {
  const number = (shopsOf.get(bench) ?? 0) + 1;
  shopsOf.set(bench, number);
  const merchantId = `arquivos-${number}`;
  await copyMerchant(bench, merchantId);
  const token = await logIn(bench, gateway, merchantId);
  const ask = async (path: string, body: object) => {
    const answered = await callGateway(gateway.url, path, { token, body });
    if (answered.status !== 200) throw new Error(`${path} was answered ${answered.status}`);
    return answered.body;
  };
  for (const { amount, installments } of SALES) {
    const [card] = (await ask('/v1/cards/tokenization', { cardNumber: TEST_CARD })) as [
      { numberToken: string },
    ];
    const productType = installments === 1 ? 'avista' : 'lojista';
    const payment = { transactionType: 'credit', amount, productType, installments };
    const paid = await ask('/v1/payments', paymentRequest(card.numberToken, amount, { payment }));
    const { paymentId } = (paid as { paymentAuthorization: { paymentId: string } }).paymentAuthorization;
    for (let installmentNumber = 1; installmentNumber <= installments; installmentNumber += 1)
      await ask(`/homologation/transactions/${paymentId}/events`, { type: 'settle', installmentNumber });
  }
  await until('receivables follow', () => areFollowed(bench, merchantId), FOLLOWED_MILLISECONDS);
  const paths: string[] = [];
  for (const format of fileCase.formats) {
    const path = join(bench.folder, `${merchantId}-${format}.txt`);
    await writeFile(path, await fileOf(bench, merchantId, format, fileCase.fault), 'latin1');
    paths.push(path);
  }
  return { merchantId, paths, fileCase };
}

const FOLLOWED = `select count(*)::int as installments,
    count(*) filter (where r.installment_state = 'paid' and r.reported_bank_on is not null)::int as followed
  from installments i left join receivables r using (merchant_id, transaction_id, installment_number)
  where i.merchant_id = $1`;

async function areFollowed(bench: ChaosBench, merchantId: string): Promise<boolean> {
  const [row] = await bench.query(FOLLOWED, [merchantId]);
  return Number(row?.installments) > 0 && row?.installments === row?.followed;
}

const DAY = `select to_char(min(case when $2 then sold_on else reported_bank_on end), 'YYYY-MM-DD') as day
  from receivables where merchant_id = $1`;

async function fileOf(
  bench: ChaosBench,
  merchantId: string,
  format: string,
  fault: string | null,
): Promise<string> {
  const [row] = await bench.query(DAY, [merchantId, format === 'redeEevc']);
  const day = String(row?.day);
  // A file of a day is written when the day is over.
  const until = new Date(Date.parse(day) + 2 * DAY_MILLISECONDS).toISOString();
  const asked = { merchantId, format, day, until, ...(fault === null ? {} : { fault }) };
  const answer = await fetch(`${bench.simulatorUrl}/files?${new URLSearchParams(asked)}`);
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  if (answer.status !== 200) throw new Error(`a file was answered ${answer.status}: ${bytes.slice(0, 200)}`);
  return bytes;
}
