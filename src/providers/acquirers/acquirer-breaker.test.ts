import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AcquirerBreaker,
  breakerAfter,
  CLOSED,
  FAILURES_UNTIL_OPEN,
  isOpen,
  isPassedOver,
  OPEN_MILLISECONDS,
  PROBE_MILLISECONDS,
  probing,
} from './acquirer-breaker.ts';

const [FIRST = 0, SECOND = 0] = OPEN_MILLISECONDS;

function failed(times: number, from: AcquirerBreaker = CLOSED): AcquirerBreaker {
  return Array.from({ length: times }).reduce<AcquirerBreaker>(
    (breaker) => breakerAfter(breaker, 'notConnected', 0),
    from,
  );
}

test('an acquirer that surely charged nothing several times in a row is passed over for a while', () => {
  assert.equal(isPassedOver(failed(FAILURES_UNTIL_OPEN - 1), 0), false);
  const open = failed(FAILURES_UNTIL_OPEN);
  assert.equal(isPassedOver(open, FIRST - 1), true);
  assert.equal(isPassedOver(open, FIRST), false);
  assert.equal(isPassedOver(breakerAfter(failed(FAILURES_UNTIL_OPEN - 1), 'notMade', 0), 0), true);
});

test('one probe at a time is let through, and its answer closes it or opens it for longer', () => {
  const probe = probing(failed(FAILURES_UNTIL_OPEN), FIRST);
  assert.equal(isPassedOver(probe, FIRST), true);
  assert.equal(
    isPassedOver(probe, FIRST + PROBE_MILLISECONDS),
    false,
    'a probe that reports nothing is over',
  );
  assert.deepEqual(breakerAfter(probe, 'declined', FIRST + 1), CLOSED);
  for (const kind of ['notConnected', 'notMade', 'unknown'] as const) {
    const again = breakerAfter(probe, kind, FIRST + 1);
    assert.equal(isPassedOver(again, FIRST + SECOND), true, kind);
    assert.equal(isPassedOver(again, FIRST + 1 + SECOND), false, kind);
  }
  assert.equal(isPassedOver(breakerAfter(probe, 'notSent', FIRST + 1), FIRST + 1), false);
});

test('a charge of unknown fate neither opens nor closes, and an answer in between begins the count anew', () => {
  const nearly = failed(FAILURES_UNTIL_OPEN - 1);
  assert.deepEqual(breakerAfter(nearly, 'unknown', 0), nearly);
  assert.equal(isOpen(failed(FAILURES_UNTIL_OPEN - 1, breakerAfter(nearly, 'approved', 0))), false);
  const open = failed(FAILURES_UNTIL_OPEN);
  assert.equal(breakerAfter(open, 'unknown', 1).openUntil, open.openUntil);
  assert.equal(failed(3, open).openings, 1, 'what was under way opens it no longer');
});
