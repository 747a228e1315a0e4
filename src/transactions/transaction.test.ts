import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  secondsUntilNextSettleTry,
  TRANSACTION_EVENTS,
  TRANSACTION_MOVES,
  TRANSACTION_STATES,
} from './transaction.ts';

test('a final state never changes', () => {
  for (const state of ['approved', 'declined', 'undone'] as const) {
    for (const event of TRANSACTION_EVENTS) assert.equal(TRANSACTION_MOVES[state][event], null);
  }
});

test('a charge that was given up can never become approved', () => {
  const reachable = new Set<string>();
  const waiting: string[] = ['settling'];
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const event of TRANSACTION_EVENTS) {
      const next: string | null = TRANSACTION_MOVES[state as 'settling'][event];
      if (next !== null && !reachable.has(next)) waiting.push(next);
      if (next !== null) reachable.add(next);
    }
  }
  assert.deepEqual([...reachable].sort(), ['declined', 'settling', 'undone']);
});

test('every state can be reached from charging', () => {
  const reached = new Set(['charging']);
  for (const state of TRANSACTION_STATES) {
    for (const event of TRANSACTION_EVENTS) reached.add(TRANSACTION_MOVES[state][event] ?? state);
  }
  assert.deepEqual([...reached].sort(), [...TRANSACTION_STATES].sort());
});

test('settling is tried several times within a minute and then at least every five minutes, for ever', () => {
  let seconds = 0;
  let tries = 0;
  for (tries = 1; seconds <= 60; tries += 1) seconds += secondsUntilNextSettleTry(tries);
  assert.ok(tries >= 6);
  assert.equal(secondsUntilNextSettleTry(10_000), 300);
});

test('while the acquirer answers nobody each charge is tried again within 15 s, so that its return is noticed', () => {
  for (const tries of [1, 5, 6, 100]) assert.ok(secondsUntilNextSettleTry(tries, true) <= 15);
  assert.equal(secondsUntilNextSettleTry(1, true), 1);
});
