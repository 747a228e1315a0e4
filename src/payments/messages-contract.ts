import { Type } from 'typebox';
import { named, orNull } from '../platform/http/named.ts';
import type { MessageContract } from '../platform/reference/messages.ts';
import { type ShownSplit, writeSplit } from '../transactions/split-contract.ts';
import { type Instant, saoPauloOffsetText } from '../values/instant.ts';
import { writeAuthentication } from './authentication-contract.ts';
import type { Payment } from './payment.ts';

const MOMENT = '2026-11-21T10:00:00.123-03:00';
const GROUP = 'What is sent to you';

/** SQL writes these bodies (`movement-deliveries.sql.ts`). */
export const PAYMENT_MESSAGES: readonly MessageContract[] = [
  {
    id: 'movementNotification',
    group: GROUP,
    summary: 'An installment changed',
    description:
      'Goes to the registered webhook of the account, once for each change of each installment. Of one installment a later message waits ' +
      'for the earlier one; between transactions there is no order. A message of the type `Teste` belongs to no transaction.',
    body: named('MovementNotification', {
      movementId: Type.Integer(),
      nsu: Type.String(),
      codAuth: Type.String(),
      installmentNumber: Type.Integer(),
      moment: Type.String(),
      type: Type.Enum([
        'Autorizacao',
        'Pagamento',
        'Cancelamento',
        'Bloqueio',
        'Desbloqueio',
        'Boleto',
        'Pix',
        'Teste',
      ]),
      oldValue: Type.String(),
      newValue: Type.String(),
    }),
    example: {
      movementId: 42,
      nsu: '1000000042',
      codAuth: 'A1B2C3',
      installmentNumber: 1,
      moment: MOMENT,
      type: 'Autorizacao',
      oldValue: '',
      newValue: 'Autorizada',
    },
  },
  {
    id: 'paymentCallback',
    group: GROUP,
    summary: 'What became of a payment',
    description:
      'Goes to the `urlCallBack` of the payment: its result, and later each change of the payment as a whole. Repetitions are known by ' +
      '`webhook-id`.',
    body: named('PaymentCallback', {
      Value: Type.Number(),
      Origin: Type.Enum(['GATEWAY_2D']),
      Date: Type.String(),
      Installments: Type.Integer(),
      TransactionType: Type.Enum(['CREDIT']),
      ResultId: Type.String(),
      AuthorizationCode: orNull(Type.String()),
      Status: Type.String(),
      paymentId: Type.String(),
      referenceTransaction: orNull(Type.String()),
    }),
    example: {
      Value: 129.95,
      Origin: 'GATEWAY_2D',
      Date: MOMENT,
      Installments: 2,
      TransactionType: 'CREDIT',
      ResultId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      AuthorizationCode: 'A1B2C3',
      Status: '0',
      paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      referenceTransaction: 'PEDIDO-1001',
    },
  },
];

export const CAPTURE_UNTIL = Type.String({
  description: 'Only of captureType pa: what is not captured by then is let go.',
});

type Approval = { paymentId: string; authorizationCode: string; nsu: string; moment: Instant };

export function writeApproval(payment: Payment, approval: Approval & { split: ShownSplit | null }): object {
  const split = writeSplit(approval.split, payment.installmentCount);
  return { paymentAuthorization: { ...writeShared(payment, approval), ...split } };
}

/** Without installments and shares, which do not exist yet. */
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
    ...writeAuthentication(payment.authentication),
  };
}
