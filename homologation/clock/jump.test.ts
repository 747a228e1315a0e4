import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClockedKind } from '../../src/platform/work/due-work.ts';
import { type Instant, parseSaoPauloText } from '../../src/values/instant.ts';
import { type JumpRequest, jumpTarget, nextInstant, overdueOf } from './jump.ts';

const DAY = 86_400_000;

function at(text: string): Instant {
  const moment = parseSaoPauloText(text);
  assert.ok(moment !== null, text);
  return moment;
}

const REAL = at('2026-11-21T10:00:00');
const later = (from: Instant, milliseconds: number) => (from + milliseconds) as Instant;

test('days count from where the clock stands', () => {
  const stands = later(REAL, 10 * DAY);
  assert.deepEqual(jumpTarget({ advanceDays: 5 }, stands, REAL), { target: later(REAL, 15 * DAY) });
  assert.deepEqual(jumpTarget({ to: later(REAL, 15 * DAY) }, stands, REAL), {
    target: later(REAL, 15 * DAY),
  });
});

test('the clock goes forward only', () => {
  const stands = later(REAL, 10 * DAY);
  for (const to of [REAL, later(stands, -1), stands])
    assert.deepEqual(jumpTarget({ to }, stands, REAL), { refusal: 'backward' });
  assert.ok('target' in jumpTarget({ to: later(stands, 1) }, stands, REAL));
});

test('the clock goes to the end of the day two years after the real one, in however many jumps', () => {
  const last = at('2028-11-20T23:59:59.999');
  assert.deepEqual(jumpTarget({ to: last }, REAL, REAL), { target: last });
  assert.deepEqual(jumpTarget({ to: later(last, 1) }, REAL, REAL), { refusal: 'tooFar' });
  assert.ok('target' in jumpTarget({ advanceDays: 730 }, REAL, REAL));
  assert.deepEqual(jumpTarget({ advanceDays: 730 }, later(REAL, DAY), REAL), { refusal: 'tooManyDays' });
  const request: JumpRequest = { advanceDays: 1 };
  assert.ok('target' in jumpTarget(request, later(REAL, 729 * DAY), REAL));
  assert.deepEqual(jumpTarget(request, later(REAL, 730 * DAY), REAL), { refusal: 'tooManyDays' });
  assert.ok('target' in jumpTarget(request, later(REAL, 730 * DAY), later(REAL, DAY)));
});

const due = (kind: ClockedKind, milliseconds: number) => ({ kind, at: later(REAL, milliseconds) });

test('the clock goes to what falls due first, and never past the target', () => {
  const target = later(REAL, 10 * DAY);
  assert.equal(
    nextInstant([due('deliveries', 2 * DAY), due('changes', DAY)], REAL, target),
    later(REAL, DAY),
  );
  assert.equal(nextInstant([], REAL, target), target);
  assert.equal(nextInstant([due('deliveries', 11 * DAY)], REAL, target), target);
});

test('what was waited for in vain holds the clock no longer, and what comes later is waited for again', () => {
  const stuck = due('deliveries', -5);
  const givenUp = new Map<ClockedKind, Instant>([['deliveries', stuck.at]]);
  assert.deepEqual(overdueOf([stuck, due('changes', DAY)], REAL, givenUp), []);
  assert.deepEqual(overdueOf([stuck], REAL, new Map()), [stuck]);
  const other = due('deliveries', -4);
  assert.deepEqual(overdueOf([other], REAL, givenUp), [other]);
  assert.equal(nextInstant([stuck], REAL, later(REAL, DAY)), later(REAL, 3_600_000));
});
