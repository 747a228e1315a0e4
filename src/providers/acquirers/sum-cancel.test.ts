import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import type { CancelHistory } from './acquirer.ts';
import { stepOfCancel, unseenCancel, unsentCancel } from './sum-cancel.ts';

const SILENCE = 60_000;
const FIRST: CancelHistory = {
  tid: null,
  givenBack: cents(30),
  sinceLastSend: null,
  isAccepted: false,
  refundId: null,
  isDenied: false,
};
const LOST = { ...FIRST, sinceLastSend: SILENCE };

/** A cancel of 20 cents, after others gave 30 back. */
const step = (history: CancelHistory, done: number, underWay = 0, failed: readonly string[] = []) =>
  stepOfCancel(
    { amount: 20, history },
    { done, underWay, underWayIds: underWay === 0 ? [] : ['r7'], failed },
    SILENCE,
  );

test('the first try is sent if the sum is what is on record', () => {
  assert.deepEqual(step(FIRST, 30), { kind: 'send' });
  const behind = step(FIRST, 10);
  assert.equal(
    behind.kind === 'notSent' && behind.isForPerson,
    true,
    'the look-up lags behind, or has lost one',
  );
  assert.deepEqual(step(FIRST, 50), { kind: 'refused', reason: 'failed' }, 'not on record here');
  assert.equal(step(FIRST, 30, 20).kind, 'refused');
});

test('the first try that cannot be looked up is not sent: it is for a person where the answer is of no use', () => {
  const silent = { kind: 'unknown', reason: 'R' } as const;
  const useless = { ...silent, cause: 'unusable' } as const;
  const unsent = { kind: 'notSent', reason: 'R' };
  assert.deepEqual(unsentCancel(FIRST, silent), { ...unsent, cause: 'silent', isForPerson: false });
  assert.deepEqual(unsentCancel(FIRST, useless), { ...unsent, cause: 'unusable', isForPerson: true });
  assert.deepEqual(unsentCancel(LOST, useless), useless);
  const unasked = { kind: 'notSent', reason: 'R' } as const;
  for (const history of [FIRST, LOST]) assert.deepEqual(unsentCancel(history, unasked), unasked);
});

test('a charge that is shown no more is for a person, whether its cancel was accepted or is lost', () => {
  for (const isAccepted of [true, false]) {
    const sent = (sinceLastSend: number) => unseenCancel({ ...LOST, isAccepted, sinceLastSend }, 'R');
    const useless = { kind: 'unknown', cause: 'unusable', reason: 'R' };
    assert.deepEqual(sent(599_999), useless, 'the look-up may be behind');
    assert.deepEqual(sent(600_000), { ...useless, isForPerson: true });
  }
  assert.equal(unseenCancel(FIRST, 'R').kind, 'notSent');
});

test('after silence the sum says whether it was booked', () => {
  assert.deepEqual(step(LOST, 50), { kind: 'canceled' });
  assert.deepEqual(step(LOST, 30, 20), { kind: 'pending', refundId: 'r7' });
  assert.deepEqual(step(LOST, 30), { kind: 'send' });
  assert.equal(step({ ...LOST, sinceLastSend: SILENCE - 1 }, 30).kind, 'notFound', 'it may be on its way');
});

test('what was said no to is looked for alone', () => {
  const denied = { ...LOST, isDenied: true };
  assert.equal(step(denied, 30).kind, 'notFound');
  assert.equal(step({ ...denied, sinceLastSend: 1 }, 30).kind, 'notFound');
  assert.deepEqual(step(denied, 50), { kind: 'canceled' });
  assert.deepEqual(step(denied, 30, 20), { kind: 'pending', refundId: 'r7' });
});

test('a sum that fits no cancel on record is for a person: it is neither sent again nor refused', () => {
  for (const [done, underWay] of [
    [40, 0],
    [70, 0],
    [50, 20],
    [30, 40],
  ] as const) {
    const odd = step(LOST, done, underWay);
    assert.equal(odd.kind === 'unknown' && odd.isForPerson, true, `${done} and ${underWay}`);
  }
});

test('a look-up that is behind says nothing, and a later one does', () => {
  for (const [done, underWay] of [
    [10, 0],
    [0, 20],
    // An earlier one is not done yet there, with this one beside it or without.
    [10, 20],
    [10, 40],
    [20, 30],
    [40, 10],
  ] as const) {
    const behind = step(LOST, done, underWay);
    assert.equal(behind.kind === 'unknown' && behind.cause, 'unusable', `${done} and ${underWay}`);
    assert.equal(Reflect.get(behind, 'isForPerson'), undefined, `${done} and ${underWay}`);
    const still = step({ ...LOST, sinceLastSend: 600_000 }, done, underWay);
    assert.equal(Reflect.get(still, 'isForPerson'), true, 'it is no lag any more');
  }
  assert.equal(step(FIRST, 10, 20).kind, 'notSent');
});

test('an accepted cancel is never sent again, and has failed only where the acquirer says so of itself', () => {
  const accepted = { ...LOST, isAccepted: true, refundId: 'r2' };
  const overdue = 'the acquirer accepted it, and does not show it';
  assert.deepEqual(step({ ...accepted, sinceLastSend: SILENCE - 1 }, 30), { kind: 'pending', overdue: null });
  assert.deepEqual(step(accepted, 30), { kind: 'pending', overdue }, 'a person should look');
  assert.deepEqual(step(accepted, 30, 0, ['r1']), { kind: 'pending', overdue }, 'another one failed');
  assert.deepEqual(step(accepted, 30, 0, ['r1', 'r2']), { kind: 'refused', reason: 'failed' });
  assert.deepEqual(step(accepted, 50), { kind: 'canceled' });
  assert.deepEqual(step(accepted, 30, 20), { kind: 'pending', refundId: 'r7' });
});
