import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AcquirerBreaker,
  type BreakerChange,
  breakerAfter,
  CLOSED,
  FAILURES_UNTIL_OPEN,
  isOpen,
  isPassedOver,
  OPEN_MILLISECONDS,
  openAcquirerBreakers,
  PROBE_MILLISECONDS,
  probing,
} from './acquirer-breaker.ts';

const [FIRST = 0, SECOND = 0] = OPEN_MILLISECONDS;

function failed(times: number, from: AcquirerBreaker = CLOSED): AcquirerBreaker {
  return Array.from({ length: times }).reduce<AcquirerBreaker>(
    (breaker) => breakerAfter(breaker, 'fails', 0),
    from,
  );
}

test('an acquirer that surely charged nothing several times in a row is passed over for a while', () => {
  assert.equal(isPassedOver(failed(FAILURES_UNTIL_OPEN - 1), 0), false);
  const open = failed(FAILURES_UNTIL_OPEN);
  assert.equal(isPassedOver(open, FIRST - 1), true);
  assert.equal(isPassedOver(open, FIRST), false);
  assert.equal(isPassedOver(breakerAfter(failed(FAILURES_UNTIL_OPEN - 1), 'fails', 0), 0), true);
});

test('one probe at a time is let through, and its answer closes it or opens it for longer', () => {
  const probe = probing(failed(FAILURES_UNTIL_OPEN), FIRST);
  assert.equal(isPassedOver(probe, FIRST), true);
  assert.equal(
    isPassedOver(probe, FIRST + PROBE_MILLISECONDS),
    false,
    'a probe that reports nothing is over',
  );
  assert.deepEqual(breakerAfter(probe, 'works', FIRST + 1), CLOSED);
  for (const sign of ['fails', 'unclear'] as const) {
    const again = breakerAfter(probe, sign, FIRST + 1);
    assert.equal(isPassedOver(again, FIRST + SECOND), true, sign);
    assert.equal(isPassedOver(again, FIRST + 1 + SECOND), false, sign);
  }
  assert.equal(isPassedOver(breakerAfter(probe, 'untried', FIRST + 1), FIRST + 1), false);
});

test('a charge of unknown fate neither opens nor closes, and an answer in between begins the count anew', () => {
  const nearly = failed(FAILURES_UNTIL_OPEN - 1);
  assert.deepEqual(breakerAfter(nearly, 'unclear', 0), nearly);
  assert.equal(isOpen(failed(FAILURES_UNTIL_OPEN - 1, breakerAfter(nearly, 'works', 0))), false);
  const open = failed(FAILURES_UNTIL_OPEN);
  assert.equal(breakerAfter(open, 'unclear', 1).openUntil, open.openUntil);
  assert.equal(failed(3, open).openings, 1, 'what was under way opens it no longer');
});

test("what an acquirer refuses of one merchant is that merchant's, and only a broken connection is everybody's", () => {
  const changes: BreakerChange[] = [];
  const breakers = openAcquirerBreakers(
    () => 0,
    (change) => changes.push(change),
  );
  const [one, other] = ['one', 'other'].map((merchantId) => ({ acquirer: 'rede', merchantId }));
  assert.ok(one !== undefined && other !== undefined);
  for (let times = 0; times < FAILURES_UNTIL_OPEN; times += 1) breakers.answered(one, 'notMade');
  assert.deepEqual([breakers.passesOver(one), breakers.passesOver(other)], [true, false]);
  breakers.answered(other, 'approved');
  assert.deepEqual([breakers.isOpen(one), breakers.isOpen(other)], [true, false]);
  for (let times = 0; times < FAILURES_UNTIL_OPEN; times += 1) breakers.answered(other, 'notConnected');
  assert.ok(breakers.passesOver(other) && breakers.passesOver({ ...other, merchantId: 'a third' }));
  breakers.answered(other, 'notMade');
  assert.equal(breakers.isOpen(other), false, 'it answers again');
  assert.deepEqual(
    changes.map(({ merchantId, isOpen }) => [merchantId, isOpen]),
    [
      ['one', true],
      [null, true],
      [null, false],
    ],
  );
});
