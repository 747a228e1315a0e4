import { call, cpfOf, paymentRequest } from '../../test/kit/merchant.ts';
import type { ChaosBench } from '../chaos-bench.ts';

export const BIG_REFERENCE = 'PEDIDO-DE-SEMPRE';
const PAYMENTS = 20_000;
const BENEFICIARIES = 100;
const INSTALLMENTS = 99;

export type BigSeller = {
  readonly url: string;
  readonly token: string;
  readonly vaultId: string;
};

/** A merchant that sends the same reference with every sale, and has sold one to a hundred beneficiaries. */
export async function sellMuch(
  { query }: ChaosBench,
  seller: BigSeller,
  size: number,
): Promise<{ readonly bigPaymentId: string }> {
  const one = await pay(seller, { referenceTransaction: BIG_REFERENCE });
  for (const table of ['transactions', 'installments'])
    await query(
      `insert into ${table} select (jsonb_populate_record(original, jsonb_build_object('transaction_id', other))).*
       from ${table} original,
         (select md5(number::text)::uuid as other from generate_series(1, $2::integer) number) others
       where original.transaction_id = $1`,
      [one, Math.ceil(PAYMENTS * size)],
    );
  await query('analyze transactions');
  const bigPaymentId = await pay(seller, {
    payment: {
      transactionType: 'credit',
      amount: 9_900_000,
      productType: 'lojista',
      installments: INSTALLMENTS,
    },
    configSplit: Array.from({ length: BENEFICIARIES }, (_, index) => ({
      documentNumberBeneficiary: cpfOf(index),
      percent: 1,
      type: 'bruto',
    })),
  });
  return { bigPaymentId };
}

async function pay({ url, token, vaultId }: BigSeller, change: Record<string, unknown>): Promise<string> {
  const body = paymentRequest('', 1_000, { cardInfo: { vaultId }, ...change });
  const reply = await call(url, '/v1/payments', { token, body });
  if (reply.status !== 200) throw new Error(`a big sale was answered ${reply.status}: ${reply.text}`);
  return reply.body.paymentAuthorization.paymentId as string;
}
