import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { judgeDueExceptions } from '../../src/reconciliation/matching/judge-due-exceptions.ts';
import { until } from '../kit/service.ts';
import { type MatchingBench, openMatchingBench, payoutOf, type Sold } from './matching-bench.ts';

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const NEVER = new AbortController().signal;
const lookNow = () =>
  bench.auditor.query('update reconciliation_exceptions set due_at = now() where due_at is not null');

const waiting = (count: number) =>
  until(`${count} wait for a lock`, async () => {
    const [row] = await bench.auditor.query(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row?.count === count;
  });

test('a line whose sale is found while its file is sent anew keeps no match', async () => {
  const day = '2026-12-09';
  const known = { authorizationCode: 'RACE01', nsu: '4343', expectedOn: day };
  const unknown = { ...((await bench.sell())[0] as Sold), ...known };
  await bench.takeLines(day, [payoutOf(unknown, { reference: 'PEDIDO-1' })], { sequence: 7 });
  const [sold] = (await bench.sell(known)) as [Sold];
  const holder = new pg.Client(bench.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from receivables where transaction_id = $1 for update', [sold.transactionId]);
    await lookNow();
    const looking = judgeDueExceptions(bench.tools, NEVER);
    await waiting(1);
    const anew = await bench.file('anew.txt', { day, sequence: 7, isRepetition: true, lines: [] });
    const replacing = bench.take(anew).then(bench.match);
    await waiting(2);
    await holder.query('rollback');
    await Promise.all([looking, replacing]);
  } finally {
    await holder.end();
  }
  await bench.match();
  const matches = await bench.auditor.query('select kind from settlement_matches where transaction_id = $1', [
    sold.transactionId,
  ]);
  assert.deepEqual(matches, []);
});

test('an installment that cannot be judged keeps none of the others', async () => {
  const day = '2026-12-16';
  const [good] = (await bench.sell({ expectedOn: day })) as [Sold];
  const [bad] = (await bench.sell({ expectedOn: day })) as [Sold];
  await bench.takeLines(day, [payoutOf(good, { fee: 350 }), payoutOf(bad, { fee: 350 })]);
  const ids = [good.transactionId, bad.transactionId];
  await bench.auditor.query(
    'update receivables set expected_fee = 350, expected_net = 9650 where transaction_id = any ($1)',
    [ids],
  );
  await bench.auditor.query(`create function fail() returns trigger language plpgsql as $$
    begin raise 'it cannot be written'; end $$`);
  await bench.auditor.query(`create trigger fail before update of state on reconciliation_exceptions for each row
    when (new.transaction_id = '${bad.transactionId}' and new.state = 'healed') execute function fail()`);
  await lookNow();
  await assert.rejects(judgeDueExceptions(bench.tools, NEVER), /it cannot be written/);
  assert.deepEqual(await bench.exceptions(good.transactionId), [['feeDiffers', 'healed', 100]]);
  assert.deepEqual(await bench.exceptions(bad.transactionId), [['feeDiffers', 'open', 100]]);
  await bench.auditor.query('drop trigger fail on reconciliation_exceptions');
  await lookNow();
  await bench.match();
  assert.deepEqual(await bench.exceptions(bad.transactionId), [['feeDiffers', 'healed', 100]]);
});
