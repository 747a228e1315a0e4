import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actsOf } from './history.ts';

const CANCEL = 'merchants/LOJA/payments/1/cancel';
const entry = (entryNumber: number, action: string, detail: object, resource = CANCEL) => ({
  entryNumber,
  occurredAtSeconds: '1700000000.123456',
  actor: 'user:ana',
  action,
  resource,
  detail: JSON.stringify(detail),
});
const act = (entryNumber: number, form: string) =>
  entry(entryNumber, 'console.act', { operation: 'cancelPayment', reason: 'engano', amount: 1_000, form });

test('an act and its end are one thing, newest first', () => {
  const acts = actsOf([
    entry(6, 'console.refuse', { operation: 'cancelPayment', status: 409, form: 'a' }),
    act(5, 'b'),
    act(4, 'a'),
    entry(3, 'console.request', { operation: 'cancelPayment', amount: 2_000, form: 'c' }),
    act(2, 'c'),
    entry(1, 'console.unknown', { operation: 'cancelPayment', status: 504, form: 'd' }),
  ]);
  assert.deepEqual(
    acts.map(({ entryNumber, outcome, amount, who }) => [entryNumber, outcome, amount, who]),
    [
      [5, 'asked', 1_000, 'ana'],
      [4, 'refused', 1_000, 'ana'],
      [2, 'waits', 2_000, 'ana'],
    ],
  );
});

test('a decision is shown as what it decides, and its form alone where that was refused', () => {
  const form = 'merchants/LOJA/waiting/7/approve';
  const acts = actsOf([
    entry(4, 'console.refuse', { operation: 'console.approve', status: 409, form: 'b' }, form),
    entry(3, 'console.act', { operation: 'console.approve', reason: 'visto', form: 'b' }, form),
    entry(2, 'console.approve', { operation: 'cancelPayment', amount: 2_000, reason: 'visto' }),
    entry(1, 'console.act', { operation: 'console.approve', reason: 'visto', form: 'a' }, form),
  ]);
  assert.deepEqual(
    acts.map(({ entryNumber, outcome }) => [entryNumber, outcome]),
    [
      [3, 'refused'],
      [2, 'approved'],
    ],
  );
});

test('a form that was sent again is one thing, and an approval that was refused is not approved', () => {
  const form = 'merchants/LOJA/waiting/7/approve';
  const acts = actsOf([
    act(9, 'a'),
    entry(8, 'console.unknown', { operation: 'cancelPayment', status: 504, form: 'a' }),
    act(7, 'a'),
    entry(6, 'console.refuse', { operation: 'console.approve', status: 402, form: 'b' }, form),
    entry(5, 'console.refuse', { operation: 'cancelPayment', status: 402, request: '7' }),
    entry(4, 'console.approve', { operation: 'cancelPayment', amount: 2_000, request: '7' }),
    entry(3, 'console.act', { operation: 'console.approve', form: 'b' }, form),
    entry(2, 'console.request', { operation: 'cancelPayment', amount: 2_000, request: '7', form: 'c' }),
    act(1, 'c'),
  ]);
  assert.deepEqual(
    acts.map(({ entryNumber, outcome }) => [entryNumber, outcome]),
    [
      [9, 'asked'],
      [4, 'refused'],
      [1, 'waits'],
    ],
  );
});
