import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { type BillingSum, wholeDays } from './billing-days.ts';

const sum = (day: string, count: number, state: BillingSum['state'] = 'paid'): BillingSum => ({
  day: day as Day,
  state,
  count,
  amount: cents(count * 100),
});

test('below the bound every day is whole', () => {
  const sums = [sum('2026-01-01', 3), sum('2026-01-02', 1), sum('2026-01-02', 4, 'denied')];
  assert.deepEqual(wholeDays(sums, 5), { sums, goesOnAt: null });
  assert.deepEqual(wholeDays([], 5), { sums: [], goesOnAt: null });
});

test('the first day on which the bound of a state was met is left for the next reading, with what follows', () => {
  const sums = [
    sum('2026-01-01', 3),
    sum('2026-01-02', 2),
    sum('2026-01-02', 1, 'denied'),
    sum('2026-01-03', 1, 'denied'),
  ];
  assert.deepEqual(wholeDays(sums, 5), { sums: [sum('2026-01-01', 3)], goesOnAt: '2026-01-02' });
});

test('a first day that is more than the bound by itself is shown as far as it was read', () => {
  const [many, other] = [sum('2026-01-02', 5), sum('2026-01-03', 1, 'denied')];
  assert.deepEqual(wholeDays([many, other], 5), { sums: [many], goesOnAt: '2026-01-02' });
});
