import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, type Day } from '../../values/instant.ts';
import { compareSums, daysInTurn } from './kept-sums.ts';

const DAY = '2026-12-02' as Day;
const COLUMNS = [
  { name: 'expected', isMoney: true },
  { name: 'received', isMoney: true },
  { name: 'expected', isMoney: false },
] as const;
const of = (accountNumber: string, ...sums: (number | bigint)[]) => ({
  accountNumber,
  day: DAY,
  sums: sums.map(BigInt),
});

test('what rows come to in parts is compared with what is kept of the account and its day', () => {
  const rows = [of('A', 100, 0, 1), of('A', 0, 40, 0), of('B', 7, 0, 1)];
  assert.deepEqual(
    compareSums('receivables', COLUMNS, { rows, kept: [of('B', 7, 0, 1), of('A', 100, 40, 1)] }),
    [],
  );
  const less = compareSums('receivables', COLUMNS, { rows, kept: [of('A', 100, 35, 9)] });
  const found = less.map((one) => [one.accountNumber, one.sum, one.expected, one.found, one.amount]);
  assert.deepEqual(found, [
    ['A', 'received', '40', '35', -5],
    ['B', 'expected', '7', '0', -7],
  ]);
  const [count] = compareSums('receivables', COLUMNS, { rows: [], kept: [of('A', 0, 0, 2)] });
  assert.deepEqual([count?.sum, count?.expected, count?.found, count?.amount], ['expected', '0', '2', 0]);
  const large = 2n ** 64n + 1n;
  const [huge] = compareSums('receivables', COLUMNS, {
    rows: [of('A', large - 1n)],
    kept: [of('A', large), of('A', -3n * large)],
  });
  assert.deepEqual([huge?.expected, huge?.found], [String(large - 1n), String(-2n * large)]);
  assert.equal(huge?.amount, -1e13, 'as many cents as are said');
});

test('of ten years before a run each day has its turn in sixty nights, once', () => {
  const turns = Array.from({ length: 60 }, (_, night) => {
    const day = addDays(DAY, night);
    return daysInTurn({ day, fromOn: addDays(day, -60) });
  });
  for (const days of turns) {
    assert.deepEqual(days, [...days].sort());
    assert.ok(days.length < 60);
  }
  const all = turns.flat();
  assert.equal(new Set(all).size, all.length);
  for (let ago = 61; ago <= 3_500; ago += 1) assert.ok(all.includes(addDays(DAY, -ago)), `${ago} days ago`);
});
