import { Type } from 'typebox';
import { type Instant, saoPauloOffsetText } from '../values/instant.ts';
import type { Payment } from './payment.ts';
import { type ShownSplit, writeSplit } from './split/contract.ts';

export const CAPTURE_UNTIL = Type.String({
  description: 'Only of captureType pa: what is not captured by then is let go.',
});

type Approval = { paymentId: string; authorizationCode: string; nsu: string; moment: Instant };

export function writeApproval(payment: Payment, approval: Approval & { split: ShownSplit | null }): object {
  const split = writeSplit(approval.split, payment.installmentCount);
  return { paymentAuthorization: { ...writeShared(payment, approval), ...split } };
}

/** There are no installments yet, and no shares of them. */
export function writePreauthorization(
  payment: Payment,
  approval: Approval & { captureUntil: Instant },
): object {
  const captureUntil = saoPauloOffsetText(approval.captureUntil);
  return { paymentAuthorization: { ...writeShared(payment, approval), captureUntil } };
}

function writeShared(payment: Payment, approval: Approval): object {
  return {
    returnCode: '0',
    description: 'Sucesso',
    paymentId: approval.paymentId,
    authorizationCode: approval.authorizationCode,
    nsu: approval.nsu,
    amount: payment.amount,
    installments: payment.installmentCount,
    referenceTransaction: payment.referenceTransaction,
    releaseAt: saoPauloOffsetText(approval.moment),
  };
}
