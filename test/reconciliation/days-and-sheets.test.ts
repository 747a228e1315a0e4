import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type OpenedDatabase, openDatabase } from '../../src/platform/postgres/database.ts';
import type { DayReport } from '../../src/reconciliation/reports/read-day-report.ts';
import { call } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { command } from '../merchants/merchants-door.ts';
import { type AdiqLine, writeAdiqFile } from './adiq-file.ts';
import { daysAfter, openReconciledService, type ReconciledService, type Sold } from './reconciled-service.ts';
import { assertDaysAddUp } from './sums-of-days.ts';

let service: ReconciledService;
let pool: OpenedDatabase;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'any:1-99=3' });
  pool = openDatabase(service.database.runtime, () => {});
});
after(async () => {
  await pool.close();
  await service.close();
});

/** What files and books make of a sale of R$ 100.00; amounts are cents. */
type Fate = {
  /** Parts of its payout, each on one of the days. */
  readonly payouts: readonly { readonly part: number; readonly day: number; readonly fee: number }[];
  readonly isAnticipated: boolean;
  readonly debits: readonly {
    readonly kind: 'cancel' | 'chargeback';
    readonly amount: number;
    readonly day: number;
  }[];
  /** Of the books, before the files are taken. */
  readonly canceled: number;
};

const SOLD = 10_000;
const FEE = 300;
/** Days of files, from that on which the sales are expected. */
const DAYS = [-7, 0, 1, 5, 12];

const FATE: fc.Arbitrary<Fate> = fc.record({
  payouts: fc.array(
    fc.record({
      part: fc.constantFrom(SOLD, SOLD, 6_000, 4_000, 2_500),
      day: fc.nat({ max: DAYS.length - 1 }),
      fee: fc.constantFrom(0, 0, 0, 1, 40),
    }),
    { maxLength: 3 },
  ),
  isAnticipated: fc.boolean(),
  debits: fc.array(
    fc.record({
      kind: fc.constantFrom('cancel' as const, 'chargeback' as const),
      amount: fc.integer({ min: 1, max: 5_000 }),
      day: fc.nat({ max: DAYS.length - 1 }),
    }),
    { maxLength: 2 },
  ),
  canceled: fc.constantFrom(0, 0, 1_000, SOLD),
});

type SoldWithFate = { readonly sold: Sold; readonly fate: Fate };

function linesOf({ sold, fate }: SoldWithFate, day: number, on: string, soldOn: string): AdiqLine[] {
  const reference = sold.paymentId.replaceAll('-', '').slice(-30);
  const common = { reference, nsu: sold.nsu, soldOn };
  const payouts = fate.payouts
    .filter((payout) => payout.day === day)
    .map(({ part, fee }): AdiqLine => {
      const isEarly = fate.isAnticipated && (DAYS[day] ?? 0) < 0;
      return {
        type: 'CV',
        entryType: isEarly ? 2 : 1,
        ...common,
        authorizationCode: sold.codAuth,
        bankOn: on,
        installmentNumber: 1,
        installmentCount: 1,
        gross: part,
        fee: (part * FEE) / SOLD + fee,
        ...(isEarly ? { anticipationFee: 75 } : {}),
      };
    });
  const debits = fate.debits
    .filter((debit) => debit.day === day)
    .map(({ kind, amount }): AdiqLine => {
      if (kind === 'cancel')
        return { type: 'CC', ...common, canceledOn: on, installmentNumber: 1, gross: amount };
      const description = 'CHARGEBACK VISA';
      return { type: 'AJ', ...common, direction: 2, description, day: on, amount, installmentNumber: 1 };
    });
  return [...payouts, ...debits];
}

const cents = (reais: unknown) => Math.round((reais as number) * 100);

type Views = { readonly merchant: number[]; readonly sheet: number[]; readonly unexplained: number };

/** Each day by the days of the merchant, and by the sheet of the operator; gives what was taken on each. */
async function assertAtOne(from: string, to: string): Promise<number[]> {
  let views: ReadonlyMap<string, Views> = new Map();
  let taken: number[] = [];
  const isAtOne = ({ merchant, sheet, unexplained }: Views) =>
    unexplained === 0 && merchant.join() === sheet.join();
  const look = async () => {
    ({ views, taken } = await viewsOf(from, to));
    return [...views.values()].every(isAtOne);
  };
  // What files report of cancels and chargebacks reaches the books behind them, and both views follow these.
  await until('both views are at one', look).catch(() => {});
  for (const [day, { merchant, sheet, unexplained }] of views) {
    assert.deepEqual(merchant, sheet, day);
    assert.equal(unexplained, 0, day);
  }
  await assertDaysAddUp(service.auditor);
  return taken;
}

async function viewsOf(from: string, to: string) {
  const { accountNumber, merchantId } = service;
  const reply = await service.ask('/api/reconciliation/days', { accountNumber, from, to });
  assert.equal(reply.status, 200, reply.text);
  const days = new Map((reply.body as Record<string, unknown>[]).map((day) => [day.day as string, day]));
  const views = new Map<string, Views>();
  const taken: number[] = [];
  for (let day = from; day <= to; day = daysAfter(day, 1)) {
    const words = ['reconcile', 'report', '--day', day, '--merchant', merchantId, '--json'];
    const { printed } = await command(pool, words);
    const { expected, received, fees, unexplained } = JSON.parse(printed) as DayReport;
    const shown = days.get(day) ?? {};
    const of = (name: string) => cents(shown[name] ?? 0);
    const merchant = [of('expectedValue'), of('receivedValue') - of('unfiledValue'), of('receivedFee')];
    views.set(day, { merchant, sheet: [expected, received, fees], unexplained });
    taken.push(of('takenValue'));
  }
  return { views, taken };
}

test('whatever the history is, the days of a merchant have what the sheets of these days have', async () => {
  const soldOn = await service.today();
  const fates = fc.sample(FATE, { seed: 18, numRuns: 60 });
  const sales: SoldWithFate[] = [];
  for (const fate of fates) {
    const sold = await service.sell(SOLD, 1);
    sales.push({ sold, fate });
    if (fate.canceled === 0) continue;
    const path = `/v1/payments/${sold.paymentId}/cancel`;
    const body = { amount: fate.canceled };
    assert.equal((await call(service.gatewayUrl, path, { token: service.token, body })).status, 200);
  }
  const receivables = async () =>
    service.auditor.query(
      'select distinct expected_on::text as day, count(*) over ()::int as count from receivables',
    );
  await until('all are receivables', async () => (await receivables())[0]?.count === fates.length);
  const expectedOn = (await receivables())[0]?.day as string;
  for (const [day, offset] of DAYS.entries()) {
    const on = daysAfter(expectedOn, offset);
    const lines = sales.flatMap((each) => linesOf(each, day, on, soldOn));
    const name = `EDI_020_${day}.txt`;
    const path = await writeAdiqFile(service.folder, name, { day: on, sequence: day + 1, lines });
    const { exitCode, errors } = await service.parcela('reconcile', 'import', path);
    assert.equal(exitCode, 0, errors);
    await until('it is matched', async () => {
      const [left] = await service.auditor.query(
        'select count(*)::int as count from settlement_files where matched_at is null',
      );
      return left?.count === 0;
    });
    // Also while some files have not come.
    await assertAtOne(daysAfter(expectedOn, -8), daysAfter(expectedOn, 13));
  }
  const taken = await assertAtOne(daysAfter(expectedOn, -8), daysAfter(expectedOn, 13));
  assert.ok(taken.filter((amount) => amount > 0).length >= DAYS.length, 'the history takes something back');
});
