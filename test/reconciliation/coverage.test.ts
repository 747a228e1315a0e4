import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MatchingBench, openMatchingBench, payoutOf, type Sold } from './matching-bench.ts';

let bench: MatchingBench;
before(async () => {
  bench = await openMatchingBench();
});
after(() => bench.close());

const sell = async (merchantId: string, expectedOn: string) =>
  (await bench.sell({ merchantId, expectedOn }))[0] as Sold;
const MISSED = [['notInFile', 'open', 9_750]];

test('files of earlier days that are taken later cover their days', async () => {
  const [merchant, establishment] = ['EARLIER', '1001'];
  const paid = await sell(merchant, '2026-11-10');
  const missing = await sell(merchant, '2026-11-10');
  const later = await sell(merchant, '2026-12-10');
  const take = (day: string, sequence: number, lines: readonly Sold[]) =>
    bench.takeLines(
      day,
      lines.map((each) => payoutOf(each)),
      { sequence, establishment },
    );
  await take('2026-12-10', 50, [later]);
  await take('2026-12-14', 51, []);
  assert.deepEqual(await bench.exceptions(missing.transactionId), []);
  await take('2026-11-10', 20, [paid]);
  assert.deepEqual(await bench.exceptions(missing.transactionId), []);
  await take('2026-11-11', 21, []);
  await take('2026-11-12', 22, []);
  assert.deepEqual(await bench.exceptions(missing.transactionId), MISSED);
  assert.deepEqual(await bench.exceptions(paid.transactionId), []);
});

test('what was due on the days of a file that is missing is missed when it has come', async () => {
  const [merchant, establishment] = ['GAP', '1002'];
  const [before, within, unpaid, behind, last] = await Promise.all(
    ['2026-12-14', '2026-12-15', '2026-12-15', '2026-12-16', '2026-12-18'].map((day) => sell(merchant, day)),
  );
  const [a, b, c, d, e] = [before, within, unpaid, behind, last] as [Sold, Sold, Sold, Sold, Sold];
  const take = (day: string, sequence: number, lines: readonly Sold[]) =>
    bench.takeLines(
      day,
      lines.map((each) => payoutOf(each)),
      { sequence, establishment },
    );
  const first = await sell(merchant, '2026-12-13');
  await take('2026-12-13', 59, [first]);
  await take('2026-12-14', 60, []);
  await take('2026-12-16', 62, []);
  await take('2026-12-17', 63, []);
  await take('2026-12-18', 64, [e]);
  for (const { transactionId } of [a, b, c]) assert.deepEqual(await bench.exceptions(transactionId), []);
  assert.deepEqual(await bench.exceptions(d.transactionId), MISSED);
  await take('2026-12-15', 61, [b]);
  for (const { transactionId } of [a, c]) assert.deepEqual(await bench.exceptions(transactionId), MISSED);
  assert.deepEqual(await bench.exceptions(b.transactionId), []);
});

test('a line whose sale is found late covers its merchant up to the last file that was matched', async () => {
  const [merchant, establishment] = ['LATE', '1003'];
  const known = { merchantId: merchant, authorizationCode: 'LATE01', nsu: '9797', expectedOn: '2026-12-21' };
  const unknown = { ...((await bench.sell())[0] as Sold), ...known };
  const take = (
    day: string,
    sequence: number,
    lines: readonly Parameters<typeof bench.takeLines>[1][number][],
  ) => bench.takeLines(day, lines, { sequence, establishment });
  await take('2026-12-21', 80, [payoutOf(unknown, { reference: 'PEDIDO-1' })]);
  await take('2026-12-22', 81, []);
  await take('2026-12-23', 82, []);
  const missing = await sell(merchant, '2026-12-21');
  const [found] = (await bench.sell(known)) as [Sold];
  await bench.auditor.query('update reconciliation_exceptions set due_at = now() where due_at is not null');
  await bench.match();
  await bench.match();
  assert.deepEqual(await bench.exceptions(found.transactionId), []);
  assert.deepEqual(await bench.exceptions(missing.transactionId), MISSED);
});
