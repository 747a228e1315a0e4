import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import { BILLING_STATES } from './billing.ts';
import { type BillingToCancel, billingAfterCancel } from './billing-after-charge.ts';

/** Subscriptions by card have these. */
const CARD_STATES = ['active', 'blocked', 'canceled', 'completed'] as const;

const OPENED: BillingToCancel = {
  state: 'opened',
  isCharging: false,
  subscription: 'active',
  terms: {
    installments: 0,
    paymentMethod: 'creditCard' as const,
    planType: 'monthly' as const,
    intervalDays: 30,
  },
  installment: 7,
  dueOn: '2028-02-29' as Day,
  today: '2028-02-10' as Day,
};

test('a billing that is canceled is followed by the next, one interval later', () => {
  const next = { installment: 8, dueOn: '2028-03-30', chargeOn: '2028-03-30' };
  assert.deepEqual(billingAfterCancel(OPENED), { subscription: null, next });
});

test('a next billing whose day has come already is not charged on the day of the cancel', () => {
  const late = billingAfterCancel({ ...OPENED, today: '2028-05-01' as Day });
  const next = { installment: 8, dueOn: '2028-03-30', chargeOn: '2028-05-02' };
  assert.deepEqual(late, { subscription: null, next });
});

test('with its last billing a subscription is completed', () => {
  const last = {
    ...OPENED,
    terms: {
      installments: 7,
      paymentMethod: 'creditCard' as const,
      planType: 'monthly' as const,
      intervalDays: 30,
    },
  };
  for (const subscription of CARD_STATES) {
    const completed = { state: 'completed', reason: 'completed' };
    const expected = { subscription: subscription === 'completed' ? null : completed, next: null };
    assert.deepEqual(billingAfterCancel({ ...last, subscription }), expected);
  }
});

test('a schedule that reaches the end of the calendar is over', () => {
  const subscription = { state: 'completed', reason: 'completed' };
  const last = billingAfterCancel({ ...OPENED, dueOn: '9999-12-02' as Day });
  assert.deepEqual(last, { subscription, next: null });
  const one = billingAfterCancel({ ...OPENED, dueOn: '9999-12-01' as Day });
  assert.deepEqual(one, {
    subscription: null,
    next: { installment: 8, dueOn: '9999-12-31', chargeOn: '9999-12-31' },
  });
});

test('a subscription that is not active opens nothing', () => {
  for (const subscription of ['blocked', 'canceled'] as const)
    assert.deepEqual(billingAfterCancel({ ...OPENED, subscription }), { subscription: null, next: null });
});

test('only an open billing that is not being charged can be canceled', () => {
  for (const state of BILLING_STATES.filter((known) => known !== 'opened'))
    assert.equal(billingAfterCancel({ ...OPENED, state }), 'finalized');
  assert.equal(billingAfterCancel({ ...OPENED, isCharging: true }), 'charging');
});
