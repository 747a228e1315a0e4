import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  awayPostponement,
  INSTALLMENT_EVENTS,
  INSTALLMENT_MOVES,
  INSTALLMENT_STATES,
  installmentAfter,
  isLookedForOn,
  mayBeKept,
  notChargedOf,
  secondsUntilNextLook,
  secondsUntilNextResolveTry,
  TRANSACTION_EVENTS,
  TRANSACTION_MOVES,
  TRANSACTION_STATES,
} from './transaction.ts';

test('a final state never changes', () => {
  for (const state of ['approved', 'declined', 'voided'] as const) {
    for (const event of TRANSACTION_EVENTS) assert.equal(TRANSACTION_MOVES[state][event], null);
  }
});

test('a charge that was given up can never become approved, save when it is kept', () => {
  const reachable = new Set<string>();
  const waiting: string[] = ['unresolved'];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const event of TRANSACTION_EVENTS.filter((one) => one !== 'keep')) {
      const next: string | null = TRANSACTION_MOVES[state as 'unresolved'][event];
      if (next !== null && !reachable.has(next)) waiting.push(next);
      if (next !== null) reachable.add(next);
    }
  }
  assert.deepEqual([...reachable].sort(), ['declined', 'unresolved', 'voided']);
});

test('only what a billing asked for is kept, and only while no void of it may be on its way', () => {
  assert.equal(mayBeKept({ origin: 'billing', isVoidSent: false }), true);
  assert.equal(mayBeKept({ origin: 'billing', isVoidSent: true }), false);
  for (const isVoidSent of [true, false]) assert.equal(mayBeKept({ origin: 'payment', isVoidSent }), false);
});

test('every state can be reached from charging', () => {
  const reached = new Set(['charging']);
  for (const state of TRANSACTION_STATES) {
    for (const event of TRANSACTION_EVENTS) reached.add(TRANSACTION_MOVES[state][event] ?? state);
  }
  assert.deepEqual([...reached].sort(), [...TRANSACTION_STATES].sort());
});

test('a canceled installment never changes, and every other one can be canceled', () => {
  for (const event of INSTALLMENT_EVENTS) assert.equal(INSTALLMENT_MOVES.canceled[event], null);
  for (const state of INSTALLMENT_STATES) {
    if (state === 'canceled') continue;
    assert.equal(installmentAfter(state, 'cancel', 'paid'), 'canceled');
    assert.equal(installmentAfter(state, 'chargeback', 'paid'), 'canceled');
  }
});

test('a block ends where it began, and only a block can be lifted', () => {
  for (const state of INSTALLMENT_STATES) {
    for (const before of ['authorized', 'paid'] as const)
      assert.equal(installmentAfter(state, 'unblock', before), state === 'blocked' ? before : null);
  }
});

test('every event of an installment leads to another state than the one it happens in', () => {
  for (const state of INSTALLMENT_STATES) {
    for (const event of INSTALLMENT_EVENTS) assert.notEqual(INSTALLMENT_MOVES[state][event], state);
  }
});

test('settling is tried several times within a minute and then at least every half minute, for ever', () => {
  let seconds = 0;
  let tries = 0;
  for (tries = 1; seconds <= 60; tries += 1) seconds += secondsUntilNextResolveTry(tries);
  assert.ok(tries >= 6);
  assert.equal(secondsUntilNextResolveTry(10_000), 30);
});

test('a charge that the acquirer does not know is looked for over a minute, at growing pauses, and voided at the end of it', () => {
  let seconds = 0;
  const looks: number[] = [];
  for (let tries = 1; isLookedForOn({ searchedMilliseconds: seconds * 1_000 }, 60_000); tries += 1) {
    looks.push(seconds);
    seconds += secondsUntilNextResolveTry(tries);
  }
  assert.deepEqual([looks, seconds], [[0, 1, 3, 7, 15, 30], 60]);
  assert.equal(isLookedForOn({ searchedMilliseconds: 0 }, 0), false, 'not at all where nobody has the time');
});

test('what may take days is looked for often at first, then every hour, and when it is due to be over', () => {
  const pauses = Array.from({ length: 12 }, (_, tries) => secondsUntilNextLook(tries + 1));
  assert.deepEqual(pauses, [1, 2, 4, 8, 15, 30, 30, 60, 300, 900, 3_600, 3_600]);
  assert.equal(secondsUntilNextLook(100, 2_500), 3);
});

test('while the acquirer answers nobody each charge is tried again within 15 s, so that its return is noticed', () => {
  for (const tries of [1, 5, 6, 100]) assert.ok(secondsUntilNextResolveTry(tries, true) <= 15);
  assert.equal(secondsUntilNextResolveTry(1, true), 1);
});

test('what is not asked, because its provider is away while others answer, waits for half of that time within bounds', () => {
  const waits = [0, 20, 60, 400, 86_400].map((seconds) => awayPostponement(seconds));
  assert.deepEqual(
    waits.map(({ seconds }) => seconds),
    [15, 15, 30, 200, 300],
  );
  assert.ok(waits.every(({ wasAsked }) => wasAsked === false));
});

test('an attempt that charged nothing says whether its acquirer was reached', () => {
  const attempt = { transactionId: 'a', acquirer: 'rede' };
  const because = (notSentReason: string | null) => notChargedOf({ ...attempt, notSentReason });
  assert.equal(because('not sent: request refused: Rede refused the request by 898'), 'requestRefused');
  assert.equal(because('not sent: connect ECONNREFUSED'), 'notConnected');
  assert.equal(because(null), null);
});
