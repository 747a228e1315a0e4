import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBodyLate, isUnreadTooLong, type Unread, unreadNow } from './connection-deadlines.ts';

test('a body has five seconds while its caller is not known, and twenty in all', () => {
  assert.equal(isBodyLate({ begunAt: 1_000, isKnown: false }, 5_999), false);
  assert.equal(isBodyLate({ begunAt: 1_000, isKnown: false }, 6_000), true);
  assert.equal(isBodyLate({ begunAt: 1_000, isKnown: true }, 20_999), false);
  assert.equal(isBodyLate({ begunAt: 1_000, isKnown: true }, 21_000), true);
});

/** Simulates an answer with `takenAt` bytes taken at each second; gives the second in which it is cut. */
function secondsUntilCut(takenAt: (second: number) => number): number {
  let unread: Unread | null = null;
  for (let second = 0; second < 1_000; second += 1) {
    unread = unreadNow(unread, takenAt(second), second * 1_000);
    if (isUnreadTooLong(unread, second * 1_000)) return second;
  }
  return Number.POSITIVE_INFINITY;
}

test('an answer of which nothing is taken has ten seconds', () => {
  assert.equal(
    secondsUntilCut(() => 0),
    10,
  );
});

test('an answer that is taken slowly has longer, and an end all the same', () => {
  assert.equal(
    secondsUntilCut((second) => Math.min(second, 15)),
    25,
  );
  assert.equal(
    secondsUntilCut((second) => second),
    60,
  );
});
