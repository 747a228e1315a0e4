import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../values/cents.ts';
import { instant } from '../values/instant.ts';
import { type CaptureObstacle, captureRefusal, captureUntil } from './capture.ts';
import { TRANSACTION_STATES } from './transaction.ts';

const DAY = 86_400_000;
const NOW = instant(100 * DAY);
const wanted = (amount: number | null) => ({
  amount: amount === null ? null : cents(amount),
  minimumInstallment: cents(1),
  requestedAt: NOW,
});
const waiting: CaptureObstacle = {
  state: 'preauthorized',
  amount: cents(10_000),
  installmentCount: 3,
  preauthorization: { authorizedAmount: cents(10_000), captureUntil: instant(NOW + DAY) },
};

test('all of it and less can be captured, more cannot, nor less than a cent for each installment', () => {
  for (const amount of [null, 10_000, 3]) assert.equal(captureRefusal(waiting, wanted(amount)), null);
  assert.equal(captureRefusal(waiting, wanted(10_001)), 'exceedsAuthorized');
  assert.equal(captureRefusal(waiting, wanted(2)), 'installmentTooSmall');
});

test('when its days are over it is captured no more', () => {
  const over = { authorizedAmount: cents(10_000), captureUntil: NOW };
  assert.equal(captureRefusal({ ...waiting, preauthorization: over }, wanted(null)), 'timeOver');
  assert.equal(captureUntil(NOW, 7), NOW + 7 * DAY);
});

test('the same capture again is the same, and another amount is refused', () => {
  const captured = { ...waiting, state: 'approved', amount: cents(4_000) } as const;
  assert.equal(captureRefusal(captured, wanted(4_000)), 'captured');
  for (const amount of [null, 10_000, 3_999])
    assert.equal(captureRefusal(captured, wanted(amount)), 'alreadyCaptured');
  const whole = { ...waiting, state: 'approved' } as const;
  for (const amount of [null, 10_000]) assert.equal(captureRefusal(whole, wanted(amount)), 'captured');
  assert.equal(captureRefusal({ ...whole, preauthorization: null }, wanted(null)), 'notPreauthorized');
});

test('every state has its answer', () => {
  const answers = TRANSACTION_STATES.map((state) => captureRefusal({ ...waiting, state }, wanted(null)));
  assert.deepEqual(answers, [
    'notResolved',
    'notResolved',
    null,
    'beingCaptured',
    'captured',
    'notCharged',
    'notCharged',
  ]);
});
