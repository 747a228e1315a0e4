import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { millisecondsUntilNextTry, PAUSES_MILLISECONDS } from './retry-schedule.ts';

const HOUR = 3_600_000;
const anyJitter = fc.double({ min: 0, max: 1, noNaN: true });
const anyTries = fc.integer({ min: 1, max: 11 });

test('twelve tries take 75.7 hours', () => {
  const hours = PAUSES_MILLISECONDS.reduce((sum, pause) => sum + pause, 0) / HOUR;
  assert.equal(PAUSES_MILLISECONDS.length, 11);
  assert.equal(hours.toFixed(1), '75.7');
});

test('each pause is longer than the one before, and longer than stated by a tenth at most', () => {
  fc.assert(
    fc.property(anyTries, anyJitter, (tries, jitter) => {
      const pause = millisecondsUntilNextTry({ tries, retryAfterMilliseconds: null, jitter }) ?? Number.NaN;
      const reported = PAUSES_MILLISECONDS[tries - 1] as number;
      assert.ok(Number.isInteger(pause) && pause >= reported && pause <= reported * 1.1 + 1);
      const next = PAUSES_MILLISECONDS[tries];
      if (next !== undefined) assert.ok(pause < next);
    }),
  );
});

test('who asks for time gets at least as much, up to a day, and never less than the schedule', () => {
  fc.assert(
    fc.property(anyTries, anyJitter, fc.integer({ min: 0, max: 1e12 }), (tries, jitter, asked) => {
      const pause = millisecondsUntilNextTry({ tries, retryAfterMilliseconds: asked, jitter }) ?? Number.NaN;
      assert.ok(pause >= Math.min(asked, 24 * HOUR));
      assert.ok(pause >= (PAUSES_MILLISECONDS[tries - 1] as number));
      assert.ok(pause <= 26.4 * HOUR);
    }),
  );
});

test('the twelfth try is the last, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 12, max: 32_000 }), anyJitter, (tries, jitter) => {
      assert.equal(millisecondsUntilNextTry({ tries, retryAfterMilliseconds: 5, jitter }), null);
    }),
  );
});
