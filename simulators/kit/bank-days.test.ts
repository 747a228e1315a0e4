import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bankDayFrom } from './bank-days.ts';

test('money is at the bank on the next day on which banks are open', () => {
  for (const [day, expected] of [
    ['2026-11-23', '2026-11-23'],
    ['2026-11-21', '2026-11-23'],
    ['2026-11-20', '2026-11-23'],
    ['2026-02-14', '2026-02-18'],
    ['2026-04-03', '2026-04-06'],
    ['2026-06-04', '2026-06-05'],
    ['2027-12-31', '2027-12-31'],
    ['2028-01-01', '2028-01-03'],
    ['2049-04-16', '2049-04-19'],
    ['2076-04-17', '2076-04-20'],
  ] as const) {
    assert.equal(bankDayFrom(day), expected, day);
  }
});
