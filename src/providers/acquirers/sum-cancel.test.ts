import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import type { CancelHistory } from './acquirer.ts';
import { stepOfCancel } from './sum-cancel.ts';

const SILENCE = 60_000;
const FIRST: CancelHistory = { tid: null, givenBack: cents(30), sinceFirstTry: null, isAccepted: false };
const LOST = { ...FIRST, sinceFirstTry: SILENCE };

/** A cancel of 20 cents, after others gave 30 back. */
const step = (history: CancelHistory, done: number, underWay = 0) =>
  stepOfCancel({ amount: 20, history }, { done, underWay }, SILENCE);

test('the first try is sent if the sum is what is on record', () => {
  assert.deepEqual(step(FIRST, 30), { kind: 'send' });
  assert.equal(step(FIRST, 10).kind, 'notSent', 'the look-up lags behind');
  assert.deepEqual(step(FIRST, 50), { kind: 'refused', reason: 'failed' }, 'not on record here');
  assert.equal(step(FIRST, 30, 20).kind, 'refused');
});

test('after silence the sum says whether it was booked', () => {
  assert.deepEqual(step(LOST, 50), { kind: 'canceled' });
  assert.deepEqual(step(LOST, 30, 20), { kind: 'pending' });
  assert.deepEqual(step(LOST, 30), { kind: 'send' });
  assert.equal(step({ ...LOST, sinceFirstTry: SILENCE - 1 }, 30).kind, 'unknown', 'it may be on its way');
});

test('a sum that fits no cancel on record is for a person: it is neither sent again nor refused', () => {
  for (const [done, underWay] of [
    [10, 0],
    [40, 0],
    [70, 0],
    [50, 20],
    [30, 40],
  ] as const)
    assert.equal(step(LOST, done, underWay).kind, 'unknown', `${done} and ${underWay}`);
});

test('an accepted cancel that the acquirer shows no more has failed, and is never sent again', () => {
  const accepted = { ...LOST, isAccepted: true };
  assert.deepEqual(step(accepted, 30), { kind: 'refused', reason: 'failed' });
  assert.deepEqual(step(accepted, 50), { kind: 'canceled' });
  assert.deepEqual(step(accepted, 30, 20), { kind: 'pending' });
});
