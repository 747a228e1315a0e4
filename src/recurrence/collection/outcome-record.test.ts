import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import {
  APPROVED,
  factsOfUnsent,
  isSentAgainOften,
  type LockedBilling,
  recordOfOutcome,
  recordOfUnsent,
  secondsUntilSentAgain,
} from './outcome-record.ts';

const DUE = '2026-12-01' as Day;

const HELD: LockedBilling = {
  subscription: 'active',
  terms: {
    paymentMethod: 'creditCard',
    planType: 'monthly' as const,
    installments: 0,
    intervalDays: 30,
    maxRetries: 4,
  },
  subscriptionId: 's',
  billingId: 'b',
  transactionId: 't',
  state: 'opened',
  installment: 2,
  dueOn: DUE,
  chargeOn: DUE,
  chargesMade: 1,
  attemptNumber: 1,
  voidedBefore: 0,
  chargedOn: DUE,
};

test('a billing that is sent again more than three times is for somebody to look at', () => {
  assert.deepEqual([1, 2, 3, 4, 50].map(isSentAgainOften), [false, false, false, true, true]);
});

test('an attempt that came to nothing is made again, at once and then ever more slowly, and is no retry', () => {
  const end = recordOfOutcome(HELD, 'voided');
  assert.deepEqual(
    [end.state, end.chargeOn, end.chargesMade, end.rule, end.outcome, end.restSeconds, end.alert],
    ['opened', DUE, 0, 'sentAgain', 'voided', 0, null],
  );
  const rests = [0, 1, 2, 3, 4, 5, 6, 60].map(
    (voidedBefore) => recordOfOutcome({ ...HELD, voidedBefore }, 'voided').restSeconds,
  );
  assert.deepEqual(rests, [0, 5, 30, 120, 600, 1_800, 3_600, 3_600]);
  assert.equal(secondsUntilSentAgain(1), 0);
});

test('one whose subscription ended meanwhile is not made again', () => {
  const end = recordOfOutcome({ ...HELD, subscription: 'canceled' }, 'voided');
  assert.deepEqual(
    [end.state, end.chargeOn, end.rule, end.next],
    ['canceled', null, 'subscriptionEnded', null],
  );
  assert.deepEqual(recordOfUnsent({ ...HELD, subscription: 'blocked' }).rule, 'subscriptionEnded');
});

test('whose only charge came to nothing uses up no installment, also the last one, when its subscription ended', () => {
  const last = { ...HELD, terms: { ...HELD.terms, installments: 2 }, subscription: 'canceled' } as const;
  for (const end of [recordOfOutcome(last, 'voided'), recordOfUnsent(last)]) {
    assert.deepEqual(
      [end.state, end.isSkipped, end.chargesMade, end.subscription, end.next],
      ['canceled', true, 0, null, null],
    );
  }
  const retried = recordOfOutcome({ ...last, chargesMade: 2, attemptNumber: 2 }, 'voided');
  assert.deepEqual(
    [retried.state, retried.isSkipped, retried.chargesMade],
    ['canceled', false, 2],
    'its first was declined',
  );
});

test('by hand what came to nothing leaves the billing as it was', () => {
  for (const state of ['denied', 'paymentInvalid'] as const) {
    const end = recordOfOutcome({ ...HELD, state, chargeOn: null, attemptNumber: null }, 'voided');
    assert.deepEqual([end.state, end.rule, end.chargesMade, end.next], [state, null, 1, null]);
  }
});

test('an alert of a charge has what was made of it, and its transaction where the acquirer was asked', () => {
  const failed = recordOfOutcome({ ...HELD, transactionId: null }, { ...factsOfUnsent('cardExpired') });
  assert.deepEqual(JSON.parse(failed.alert?.body ?? ''), {
    subscriptionId: 's',
    billingId: 'b',
    installment: 2,
    attempt: 1,
    returnCode: null,
    description: 'Não enviada: cartão vencido',
    nextAttemptOn: null,
    status: 'PaymentInvalid',
    event: 'failed',
    paymentId: null,
  });
  assert.equal(failed.moveAlert, null);
  const paid = recordOfOutcome(HELD, APPROVED);
  assert.deepEqual([paid.alert?.event, JSON.parse(paid.alert?.body ?? '').paymentId], ['paid', 't']);
  assert.equal(paid.moveAlert, null);
});

test('a subscription that a charge ends makes an alert of its own, and one that was ended before none', () => {
  const last = { ...HELD, terms: { ...HELD.terms, installments: 2 } };
  const completed = recordOfOutcome(last, APPROVED).moveAlert;
  const { billingId, paymentId, status, reason } = JSON.parse(completed?.body ?? '');
  assert.deepEqual(
    [completed?.event, billingId, paymentId, status, reason],
    ['completed', 'b', 't', 'Canceled', 'Completed'],
  );
  const blocked = { ...APPROVED, result: 'blocked', code: '41' } as const;
  assert.equal(recordOfOutcome(HELD, blocked).moveAlert?.event, 'blocked');
  assert.equal(recordOfOutcome({ ...HELD, subscription: 'canceled' }, blocked).moveAlert, null);
});
