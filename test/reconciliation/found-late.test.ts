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
