import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentStatus } from './payment.ts';

test('a payment without a final answer is being processed', () => {
  assert.equal(paymentStatus('charging', []), 'processing');
  assert.equal(paymentStatus('unresolved', []), 'processing');
});

test('a declined or voided payment says so', () => {
  assert.equal(paymentStatus('declined', []), 'declined');
  assert.equal(paymentStatus('voided', []), 'voided');
});

test('mixed installments show the first of blocked, authorized, paid, canceled that occurs', () => {
  const parts = (...states: ('blocked' | 'authorized' | 'paid' | 'canceled')[]) =>
    states.map((state) => ({ state }));
  assert.equal(paymentStatus('approved', parts('paid', 'authorized', 'blocked')), 'blocked');
  assert.equal(paymentStatus('approved', parts('paid', 'authorized', 'canceled')), 'authorized');
  assert.equal(paymentStatus('approved', parts('canceled', 'paid')), 'paid');
  assert.equal(paymentStatus('approved', parts('canceled', 'canceled')), 'canceled');
});
