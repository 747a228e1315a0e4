import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { roundingOfFee } from '../../src/reconciliation/judging/judged-installment.ts';
import { MOST_INSTALLMENTS } from '../../src/values/cents.ts';
import { openAuditor } from '../kit/service.ts';
import { type MatchingBench, openMatchingBench, payoutOf } from './matching-bench.ts';
import { assertDaysAddUp, differencesOfDays, mendDays } from './sums-of-days.ts';

const WRITERS = 8;
const COMMITS = 12;
/** About one in sixteen puts a day together: none in so many is one in 10^13. */
const MOST_COMMITS = 500;

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const received = async (transactionId: string) => {
  const [row] = await bench.auditor.query(
    `select sum(received_count)::int as count, sum(received_net)::int as net, sum(expected_count)::int as expected,
       sum(open_count)::int as open, sum(differing_count)::int as differing, sum(difference)::int as difference
     from receivable_days d join receivables r on r.merchant_id = d.merchant_id and r.account_number = d.account_number
     where r.transaction_id = $1 and d.day in (r.expected_on, r.payment_on)`,
    [transactionId],
  );
  return row;
};

test('what is expected is added to its day, and what a file pays to the day on which it came', async () => {
  const [sold] = await bench.sell({ expectedOn: '2026-10-05', gross: 10_000, fee: 300 });
  assert.ok(sold);
  const waiting = { count: 0, net: 0, expected: 1, open: 1, differing: 0, difference: 0 };
  assert.deepEqual(await received(sold.transactionId), waiting);
  await bench.takeLines('2026-10-07', [payoutOf(sold, { bankOn: '2026-10-07', fee: 340 })]);
  const paid = { count: 1, net: 9_660, expected: 1, open: 0, differing: 1, difference: -40 };
  assert.deepEqual(await received(sold.transactionId), paid);
  await assertDaysAddUp(bench.auditor);
});

test('a day differs by more than what the rule takes for rounding, whatever the number of installments', async () => {
  for (let installmentCount = 1; installmentCount <= MOST_INSTALLMENTS; installmentCount += 1) {
    const rounding = roundingOfFee({ installmentCount });
    const rows = await bench.auditor.query(
      `select d.cents, p.differing_count::int as differing
       from unnest($1::bigint[]) as d (cents) cross join lateral receivable_day_parts('2026-10-05', 9000, 1000, '2026-10-05',
         $2::smallint, '2026-10-05', 1000 - d.cents, 9000 + d.cents, '2026-10-05', null, null, null, null) p
       where p.received_count = 1 order by d.cents`,
      [[-rounding - 1, -rounding, rounding, rounding + 1], installmentCount],
    );
    assert.deepEqual(
      rows.map(({ differing }) => differing),
      [1, 0, 0, 1],
    );
  }
});

test('many writers of one day wait for none and lose nothing, and its rows are put together', async () => {
  const day = '2026-11-04';
  const sold = [];
  for (let writer = 0; writer < WRITERS; writer += 1) sold.push(...(await bench.sell({ expectedOn: day })));
  const setFee = (transactionId: string, fee: number) =>
    bench.auditor.query('update receivables set expected_fee = $2 where transaction_id = $1', [
      transactionId,
      fee,
    ]);
  await Promise.all(
    sold.map(async ({ transactionId }) => {
      for (let commit = 1; commit <= COMMITS; commit += 1) await setFee(transactionId, commit * 10);
    }),
  );
  await assertDaysAddUp(bench.auditor);
  const rowsOfDay = async () => {
    const [row] = await bench.auditor.query(
      'select count(*)::int as count, sum(expected_fee)::int as fee from receivable_days where day = $1',
      [day],
    );
    return row as { count: number; fee: number };
  };
  let { count, fee } = await rowsOfDay();
  assert.equal(fee, sold.length * COMMITS * 10);
  let commits = 0;
  for (let before = 0; count >= before && commits < MOST_COMMITS; commits += 1) {
    before = count;
    await setFee(sold[0]?.transactionId as string, commits);
    ({ count, fee } = await rowsOfDay());
  }
  assert.ok(commits < MOST_COMMITS, `${count} rows`);
  await assertDaysAddUp(bench.auditor);
});

test('the script of the operator sums up what there is, once, while others write', async () => {
  const day = '2026-11-18';
  const sold = await bench.sell({ expectedOn: day, installmentCount: 3 });
  await bench.auditor.query('delete from receivable_days');
  assert.notDeepEqual(await differencesOfDays(bench.auditor), []);
  await Promise.all([
    mendDays(bench.auditor),
    ...sold.map(({ transactionId, installmentNumber }) =>
      bench.auditor.query(
        'update receivables set expected_fee = 77 where transaction_id = $1 and installment_number = $2',
        [transactionId, installmentNumber],
      ),
    ),
  ]);
  await assertDaysAddUp(bench.auditor);
  const before = await bench.auditor.query('select count(*)::int as count from receivable_days');
  await mendDays(bench.auditor);
  assert.deepEqual(await bench.auditor.query('select count(*)::int as count from receivable_days'), before);
});

test('who writes receivables needs no right on their sums', async () => {
  const { runtime } = bench.database;
  const [sold] = await bench.sell({ expectedOn: '2026-12-15' });
  const beside = openAuditor(runtime);
  try {
    await bench.auditor.query(`revoke all on receivable_days from "${runtime.user}"`);
    await assert.rejects(beside.query('select from receivable_days'), /permission denied/);
    await beside.query('update receivables set expected_fee = 55 where transaction_id = $1', [
      sold?.transactionId,
    ]);
  } finally {
    await bench.auditor.query(`grant select, insert, update, delete on receivable_days to "${runtime.user}"`);
    await beside.close();
  }
  await assertDaysAddUp(bench.auditor);
});

test('what empties receivables empties their sums', async () => {
  await bench.auditor.query('truncate receivables');
  assert.deepEqual(await bench.auditor.query('select from receivable_days'), []);
});

test('what is deleted is taken off its day', async () => {
  const [sold] = await bench.sell({ expectedOn: '2026-12-14' });
  await bench.auditor.query('delete from receivables where transaction_id = $1', [sold?.transactionId]);
  await assertDaysAddUp(bench.auditor);
  const left = await bench.auditor.query(
    `select from receivable_days where day = '2026-12-14' group by day having sum(expected_count) <> 0`,
  );
  assert.deepEqual(left, []);
});
