import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import {
  type FailedCharge,
  MAX_RETRIES,
  possibleRetryDays,
  RETRY_NUMBERS_TEXT,
  RETRY_PAUSES_TEXT,
  retryAfterFailure,
} from './retry-schedule.ts';

const FIRST = '2026-12-01' as Day;

const failed = (change: Partial<FailedCharge>): FailedCharge => ({
  attemptNumber: 1,
  maxRetries: 4,
  scheduledOn: FIRST,
  chargedOn: FIRST,
  earliestRetryOn: null,
  ...change,
});

test('a billing due on the 1st is tried again on the 3rd, 5th, 9th and 17th', () => {
  const days = ['2026-12-03', '2026-12-05', '2026-12-09', '2026-12-17'];
  for (let maxRetries = 0; maxRetries <= 4; maxRetries += 1)
    assert.deepEqual(possibleRetryDays(FIRST, maxRetries), days.slice(0, maxRetries));
});

test('a retry follows the failure that was scheduled last, until the retries are used up', () => {
  const days: Day[] = [FIRST];
  for (let day: Day | undefined = FIRST; day !== undefined; ) {
    const charge: Partial<FailedCharge> = {
      attemptNumber: days.length,
      maxRetries: 3,
      scheduledOn: day,
      chargedOn: day,
    };
    day = retryAfterFailure(failed(charge))?.retryOn;
    if (day !== undefined) days.push(day);
  }
  assert.deepEqual(days, ['2026-12-01', '2026-12-03', '2026-12-05', '2026-12-09']);
});

test('after downtime a retry is counted from the day on which the charge was made', () => {
  const retry = retryAfterFailure(failed({ attemptNumber: 3, chargedOn: '2026-12-10' as Day }));
  assert.deepEqual(retry, { retryOn: '2026-12-14', isAdvised: false });
  const early = retryAfterFailure(failed({ chargedOn: '2026-11-30' as Day }));
  assert.equal(early?.retryOn, '2026-12-03', 'a clock that is behind does not bring it forward');
});

test('the advice of the issuer moves a retry back, never forward, and gives none where none is left', () => {
  const advised = (earliestRetryOn: string, maxRetries = 4) =>
    retryAfterFailure(failed({ maxRetries, earliestRetryOn: earliestRetryOn as Day }));
  assert.deepEqual(advised('2026-12-04'), { retryOn: '2026-12-04', isAdvised: true });
  assert.deepEqual(advised('2026-12-03'), { retryOn: '2026-12-03', isAdvised: false });
  assert.deepEqual(advised('2026-12-02'), { retryOn: '2026-12-03', isAdvised: false });
  assert.equal(advised('2026-12-04', 0), null);
});

test('whatever a plan allows, there are four retries at most', () => {
  assert.equal(MAX_RETRIES, 4);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }), (made, maxRetries) => {
      const isAny = retryAfterFailure(failed({ attemptNumber: made + 1, maxRetries })) !== null;
      assert.equal(isAny, made < Math.min(maxRetries, 4));
    }),
  );
});

test('descriptions name the pauses and the numbers of the retries', () => {
  assert.deepEqual([RETRY_PAUSES_TEXT, RETRY_NUMBERS_TEXT], ['2, 2, 4 and 8', '2 to 5']);
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
