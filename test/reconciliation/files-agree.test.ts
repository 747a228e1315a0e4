import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { businessDayFrom } from '../../src/values/business-day.ts';
import type { Day } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { call } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';

const FEE_PORTION = 250;
const MOST_FILES_A_COMMAND = 60;

type Formats = readonly ('adiq' | 'cielo03' | 'cielo04' | 'redeEevc' | 'redeEefi' | 'getnet')[];

type Step =
  | { readonly kind: 'sell'; readonly amount: number; readonly installments: number }
  | { readonly kind: 'cancel'; readonly which: number; readonly portion: number }
  | {
      readonly kind: 'chargeback';
      readonly which: number;
      readonly number: number;
      readonly isOfPart: boolean;
    }
  | { readonly kind: 'wait'; readonly days: number };

const stepOf = (mostInstallments: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('sell' as const),
        amount: fc.integer({ min: 12, max: 99 }).map((tens) => tens * 10_000 + tens),
        installments: fc.integer({ min: 1, max: mostInstallments }),
      }),
    },
    fc.record({
      kind: fc.constant('cancel' as const),
      which: fc.nat(20),
      portion: fc.integer({ min: 1, max: 100 }),
    }),
    fc.record({
      kind: fc.constant('chargeback' as const),
      which: fc.nat(20),
      number: fc.nat(3),
      isOfPart: fc.boolean(),
    }),
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 25 }) }),
    },
  );

type Setup = { readonly service: ReconciledService; readonly folder: string };

async function open(t: TestContext): Promise<Setup> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-agree-'));
  const service = await openReconciledService({ PARCELA_FEES: `any:1-12=${FEE_PORTION / 100}` });
  t.after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  await service.chargeFees(FEE_PORTION);
  return { service, folder };
}

const wait = ({ gatewayUrl, token }: ReconciledService, days: number) =>
  arrive(gatewayUrl, token, { advanceDays: days });

/** What cannot happen any more is refused by the service, and is none of this test. */
async function play(service: ReconciledService, steps: readonly Step[]): Promise<void> {
  const { gatewayUrl, token } = service;
  const sold: (Sold & { amount: number; installments: number })[] = [];
  for (const step of steps) {
    if (step.kind === 'wait') await wait(service, step.days);
    else if (step.kind === 'sell') {
      const { amount, installments } = step;
      sold.push({ ...(await service.sell(amount, installments)), amount, installments });
    } else {
      const sale = sold[step.which % Math.max(1, sold.length)];
      if (sale === undefined) continue;
      const isCancel = step.kind === 'cancel';
      const path = isCancel
        ? `/v1/payments/${sale.paymentId}/cancel`
        : `/homologation/transactions/${sale.paymentId}/events`;
      const body = isCancel
        ? { amount: Math.ceil((sale.amount * step.portion) / 100) }
        : {
            type: 'chargeback',
            installmentNumber: (step.number % sale.installments) + 1,
            ...(step.isOfPart ? { amount: Math.floor(sale.amount / sale.installments / 3) } : {}),
          };
      const reply = await call(gatewayUrl, path, { token, body });
      assert.ok([200, 400, 409].includes(reply.status), reply.text);
    }
  }
}

/** The simulator's file of a day, as it would come from the acquirer. */
async function fileOf({ service, folder }: Setup, format: string, day: string, more = ''): Promise<string> {
  const path = `/homologation/acquirer/files?format=${format}&day=${day}${more}`;
  const reply = await call(service.gatewayUrl, path, { token: service.token });
  assert.equal(reply.status, 200, reply.text);
  const file = join(folder, `${format}-${day}${more.replaceAll(/\W/g, '')}.txt`);
  await writeFile(file, reply.text, 'latin1');
  return file;
}

async function take({ service }: Setup, files: readonly string[]): Promise<void> {
  for (let first = 0; first < files.length; first += MOST_FILES_A_COMMAND) {
    const some = files.slice(first, first + MOST_FILES_A_COMMAND);
    const { exitCode, printed, errors } = await service.parcela('reconcile', 'import', ...some);
    assert.equal(exitCode, 0, errors + printed);
  }
}

/** Until every change and movement has reached the receivables. */
async function followed({ auditor }: ReconciledService): Promise<void> {
  await until('the receivables are what the installments are', async () => {
    const [row] = await auditor.query(
      `select count(*)::int as behind from installments i left join receivables r on r.merchant_id = i.merchant_id
         and r.transaction_id = i.transaction_id and r.installment_number = i.installment_number
       where r.installment_state is distinct from i.state or r.canceled is distinct from i.canceled_amount`,
    );
    return row?.behind === 0;
  });
}

function differing({ auditor }: ReconciledService) {
  return auditor.query(
    `select e.class, e.amount::int as amount, e.expected, e.found, e.explanation, e.transaction_id, e.installment_number
     from reconciliation_exceptions e where e.state = 'open' or e.state = 'explained' and e.explanation <> 'rounding'`,
  );
}

// A debit of Rede or Getnet names no installment: of a sale with several that were taken back in turn a file
// cannot say which one it is of.
const FORMATS = [
  [['cielo03', 'cielo04'], 4],
  [['adiq'], 4],
  [['redeEevc', 'redeEefi'], 1],
  [['getnet'], 1],
] as const;
// The faults below are those of files of Adiq.
for (const [formats, mostInstallments] of FORMATS.slice(0, sliceOf(4, 1))) {
  test(`whatever happened, the files of all days (${formats.join(', ')}) are what the books expect`, async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepOf(mostInstallments), { minLength: 10, maxLength: 24 }),
        async (steps) => {
          const setup = await open(t);
          const { service } = setup;
          const first = await service.today();
          await play(service, steps);
          await wait(service, 140);
          await followed(service);
          const last = await service.today();
          const files: string[] = [];
          for (let day = first; day < last; day = daysAfter(day, 1))
            for (const format of formats as Formats) files.push(await fileOf(setup, format, day));
          await take(setup, files);
          await until('nothing differs', async () => (await differing(service)).length === 0, 15_000).catch(
            () => 0,
          );
          assert.deepEqual(await differing(service), []);
          const [unpaid] = await service.auditor.query(
            `select count(*)::int as count from receivables
           where installment_state = 'paid' and (filed_bank_on is null or filed_fee + filed_net <> gross) and canceled = 0`,
          );
          assert.equal(unpaid?.count, 0);
          const twice = await service.auditor.query(
            `select change_id from acquirer_changes where source = 'file' and state = 'applied'`,
          );
          assert.deepEqual(twice, [], 'the feed knew all of it');
        },
      ),
      { numRuns: 1, endOnFailure: true },
    );
  });
}

const FAULTS = [
  ['adiq', 'rowMissing', 'notInFile', 9_750],
  ['adiq', 'rowTwice', 'duplicateInFile', -9_750],
  ['adiq', 'anotherAmount', 'amountDiffers', -100],
  ['adiq', 'anotherFee', 'feeDiffers', 100],
  ['adiq', 'lateDay', 'dateDiffers', 9_750],
  ['adiq', 'unknownCancel', 'cancellationUnknown', 10_000],
  ['adiq', 'unknownChargeback', 'chargebackUnknown', 10_000],
  ['cielo04', 'pledge', 'heldByPledge', 9_750],
  ['adiq', 'foreignRow', 'notInParcela', -9_750],
] as const;

test('each fault alone is found as its class, with its amount, and nothing else is', async (t) => {
  const setup = await open(t);
  const { service } = setup;
  const first = await service.today();
  const sales: { readonly sold: Sold; readonly paidOn: string }[] = [];
  for (const _ of FAULTS) {
    const paidOn = businessDayFrom(daysAfter(await service.today(), 30) as Day);
    sales.push({ sold: await service.sell(10_000, 1), paidOn });
    await wait(service, 7);
  }
  await wait(service, 40);
  await followed(service);
  // What is due before the first file is not missed.
  await take(setup, [await fileOf(setup, 'adiq', first)]);
  for (const [index, [format, fault]] of FAULTS.entries()) {
    const paidOn = sales[index]?.paidOn ?? '';
    await take(setup, [await fileOf(setup, format, paidOn, `&fault=${fault}`)]);
    // Files before and behind these days are missing. One without movement is of the day on which it is made.
    if (fault === 'rowMissing')
      for (const days of [-1, 1, 2])
        await take(setup, [await fileOf(setup, format, daysAfter(paidOn, days))]);
  }
  const last = daysAfter(sales.at(-1)?.paidOn ?? '', 3);
  await take(setup, [await fileOf(setup, 'adiq', last)]);
  const found = () =>
    service.auditor.query(
      `select class, abs(amount)::int as amount, transaction_id from reconciliation_exceptions where explanation is distinct from 'rounding'`,
    );
  await until('what is missing was missed', async () =>
    (await found()).some((exception) => exception.class === 'notInFile'),
  );
  const expected = FAULTS.map(([, fault, name, amount], index) => ({
    class: name,
    amount: Math.abs(amount),
    transaction_id: fault === 'foreignRow' ? null : sales[index]?.sold.paymentId,
  }));
  const byClass = (one: Record<string, unknown>, other: Record<string, unknown>) =>
    String(one.class).localeCompare(String(other.class));
  assert.deepEqual((await found()).sort(byClass), expected.sort(byClass));
});
