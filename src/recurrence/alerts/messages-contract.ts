import { Type } from 'typebox';
import { named, orNull } from '../../platform/http/named.ts';
import type { MessageContract } from '../../platform/reference/messages.ts';
import type { Day } from '../../values/instant.ts';
import { type AlertEvent, chargeAlert, expiryAlert, subscriptionAlert, upcomingAlert } from './alert.ts';

const GROUP = 'What is sent to you';
const SUBSCRIPTION_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44';
const BILLING_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a45';
const PAYMENT_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a47';
const ATTEMPT = 'On schedule from 1, retries 2 to 5; null: by hand, or no charge.';
const RETURN_CODE = 'The code of the issuer; null: it gave none, or was not asked.';
const NEXT_ON = 'The day of the next try, or of the charge to come; null: there is none.';
const INSTALLMENT = 'Of the billing, from 1; null: the notice is of a subscription.';
const PAYMENT = 'The transaction of the charge that did it; null: none did.';
const EVENT = 'What happened, as the notifier asked for it.';

/** Fields of every alert except card alerts. */
const COMMON = {
  subscriptionId: Type.String(),
  billingId: Type.String(),
  installment: Type.Integer({ description: INSTALLMENT }),
  attempt: orNull(Type.Integer(), ATTEMPT),
  returnCode: orNull(Type.String(), RETURN_CODE),
  description: Type.String({ description: 'What happened, as a sentence in Portuguese.' }),
  nextAttemptOn: orNull(Type.String(), NEXT_ON),
};
const status = <const Word extends string>(...words: readonly Word[]) =>
  Type.Enum([...words], { description: 'Of the billing, or of the subscription, behind the change.' });
const event = (...words: readonly AlertEvent[]) => Type.Enum([...words], { description: EVENT });

export const ALERT_MESSAGES: readonly MessageContract[] = [
  {
    id: 'failedChargeNotice',
    group: GROUP,
    summary: 'A charge of a billing failed',
    description:
      'Goes to every Active notifier that asks for `failed`, after each failed charge, on schedule or by hand.',
    body: named('FailedChargeNotice', {
      ...COMMON,
      status: status('Opened', 'Denied', 'PaymentInvalid', 'Canceled'),
      event: event('failed'),
      paymentId: orNull(Type.String(), PAYMENT),
    }),
    example: JSON.parse(
      chargeAlert({
        subscriptionId: SUBSCRIPTION_ID,
        billingId: BILLING_ID,
        installment: 2,
        attemptNumber: 1,
        returnCode: '51',
        description: 'Saldo ou limite insuficiente',
        nextAttemptOn: '2027-01-03' as Day,
        status: 'Opened',
        paymentId: PAYMENT_ID,
      }).body,
    ),
  },
  {
    id: 'paidChargeNotice',
    group: GROUP,
    summary: 'A billing was paid',
    description: 'Goes to every Active notifier that asks for `paid`, after a charge on schedule or by hand.',
    body: named('PaidChargeNotice', {
      ...COMMON,
      status: status('Paid'),
      event: event('paid'),
      paymentId: Type.String({ description: PAYMENT }),
    }),
    example: JSON.parse(
      chargeAlert({
        subscriptionId: SUBSCRIPTION_ID,
        billingId: BILLING_ID,
        installment: 2,
        attemptNumber: 1,
        returnCode: null,
        description: 'Sucesso',
        nextAttemptOn: null,
        status: 'Paid',
        paymentId: PAYMENT_ID,
      }).body,
    ),
  },
  {
    id: 'subscriptionNotice',
    group: GROUP,
    summary: 'A subscription was canceled, blocked, activated again, or is over',
    description:
      'Goes to every Active notifier that asks for its `event`, once for each change, by you, with its plan or by the system.',
    body: named('SubscriptionNotice', {
      ...COMMON,
      billingId: orNull(
        Type.String(),
        'The billing that did it, by its charge or its cancel; null: none did.',
      ),
      installment: orNull(Type.Integer(), INSTALLMENT),
      status: status('Active', 'Blocked', 'Canceled'),
      event: event('canceled', 'blocked', 'reactivated', 'completed'),
      paymentId: orNull(Type.String(), PAYMENT),
      reason: orNull(Type.String(), 'Why it is not Active, in the words of `statusReason`; null: it is.'),
    }),
    example: JSON.parse(
      subscriptionAlert({
        event: 'canceled',
        subscriptionId: SUBSCRIPTION_ID,
        billingId: BILLING_ID,
        paymentId: PAYMENT_ID,
        reason: 'Declined',
        description: 'Cancelada porque uma cobrança foi negada em definitivo.',
        status: 'Canceled',
      }).body,
    ),
  },
  {
    id: 'upcomingChargeNotice',
    group: GROUP,
    summary: 'A billing is due soon',
    description:
      'Goes to every Active notifier that asks for `upcoming`, once for each open billing, three days before its due day.',
    body: named('UpcomingChargeNotice', {
      ...COMMON,
      nextAttemptOn: Type.String({ description: NEXT_ON }),
      status: status('Opened'),
      event: event('upcoming'),
      paymentId: orNull(Type.String(), PAYMENT),
    }),
    example: JSON.parse(
      upcomingAlert({
        subscriptionId: SUBSCRIPTION_ID,
        billingId: BILLING_ID,
        installment: 2,
        dueOn: '2027-01-03' as Day,
      }),
    ),
  },
  {
    id: 'cardExpiringNotice',
    group: GROUP,
    summary: 'The card of a subscription expires soon',
    description:
      'Goes to every Active notifier that asks for `cardExpiring`, once for each subscription whose stored card expires within 30 days.',
    body: named('CardExpiringNotice', {
      type: Type.Enum(['CardExpiring']),
      subscriptionId: Type.String(),
      vaultId: Type.String(),
      cardExpiresOn: Type.String(),
      brand: Type.String(),
      lastFour: Type.String(),
      event: event('cardExpiring'),
      paymentId: orNull(Type.String(), PAYMENT),
    }),
    example: JSON.parse(
      expiryAlert({
        subscriptionId: SUBSCRIPTION_ID,
        vaultId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a46',
        lastDay: '2026-12-31' as Day,
        brand: 'mastercard',
        lastFour: '0001',
      }),
    ),
  },
];
