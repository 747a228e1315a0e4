import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import { nextRetryOn, possibleRetryDays } from './retry-schedule.ts';

const FIRST = '2026-12-01' as Day;

test('a billing due on the 1st is tried again on the 3rd, 5th, 9th and 17th', () => {
  const days = ['2026-12-03', '2026-12-05', '2026-12-09', '2026-12-17'];
  for (let attempts = 0; attempts <= 4; attempts += 1)
    assert.deepEqual(possibleRetryDays(FIRST, attempts), days.slice(0, attempts));
});

test('a retry follows the failure that was scheduled last, until the attempts are used up', () => {
  const days: Day[] = [FIRST];
  for (let day: Day | null = FIRST; day !== null; ) {
    day = nextRetryOn(day, days.length - 1, 3);
    if (day !== null) days.push(day);
  }
  assert.deepEqual(days, ['2026-12-01', '2026-12-03', '2026-12-05', '2026-12-09']);
});

test('whatever a plan allows, there are four retries at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), (made, attempts) => {
      const isAny = nextRetryOn(FIRST, made, attempts) !== null;
      assert.equal(isAny, made < Math.min(attempts, 4));
    }),
  );
});

test('retries are 2, 2, 4 and 8 days apart wherever a year or a month ends', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: 0, max: 4 }), (after, attempts) => {
      const dueOn = addDays('1985-01-01' as Day, after);
      const expected = [2, 4, 8, 16].slice(0, attempts).map((days) => addDays(dueOn, days));
      assert.deepEqual(possibleRetryDays(dueOn, attempts), expected);
    }),
  );
});
