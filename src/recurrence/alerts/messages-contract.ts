import { Type } from 'typebox';
import type { MessageContract } from '../../platform/reference/message.ts';
import type { Day } from '../../values/instant.ts';
import { expiryAlert, failureAlert } from './alert.ts';

const GROUP = 'What is sent to you';
const SUBSCRIPTION_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44';
const orNull = (type: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) =>
  Type.Union([type, Type.Null()]);

export const ALERT_MESSAGES: readonly MessageContract[] = [
  {
    id: 'failedChargeNotice',
    group: GROUP,
    summary: 'A charge of a billing failed',
    description: 'Goes to every Active notifier, after each failed charge, on schedule or by hand.',
    body: Type.Object({
      subscriptionId: Type.String(),
      billingId: Type.String(),
      installment: Type.Integer(),
      attempt: orNull(Type.Integer()),
      returnCode: orNull(Type.String()),
      description: Type.String(),
      nextAttemptOn: orNull(Type.String()),
      status: Type.Enum(['Opened', 'Denied', 'PaymentInvalid', 'Canceled']),
    }),
    example: JSON.parse(
      failureAlert({
        subscriptionId: SUBSCRIPTION_ID,
        billingId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a45',
        installment: 2,
        attemptNumber: 1,
        returnCode: '51',
        description: 'Saldo ou limite insuficiente',
        nextAttemptOn: '2027-01-03' as Day,
        status: 'Opened',
      }),
    ),
  },
  {
    id: 'cardExpiringNotice',
    group: GROUP,
    summary: 'The card of a subscription expires soon',
    description:
      'Goes to every Active notifier, once for each subscription whose stored card expires within 30 days.',
    body: Type.Object({
      type: Type.Enum(['CardExpiring']),
      subscriptionId: Type.String(),
      vaultId: Type.String(),
      cardExpiresOn: Type.String(),
      brand: Type.String(),
      lastFour: Type.String(),
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
