import { Type } from 'typebox';
import type { MessageContract } from '../platform/reference/message.ts';
import { BEING_ISSUED_WORD, STATUS_WORDS } from './bill-status.ts';
import { RECEIVED_PAYMENT } from './boleto-contract.ts';

/** `callback-body.ts` writes it. */
export const BOLETO_MESSAGES: readonly MessageContract[] = [
  {
    id: 'boletoCallback',
    group: 'What is sent to you',
    summary: 'What became of a boleto',
    description:
      'Goes to the `urlCallBack` of the boleto, at each change that it shows: issued, overdue, paid, canceled, expired; and when money comes that was not expected. Repetitions are known by ' +
      '`webhook-id`.',
    body: Type.Object({
      id: Type.String(),
      ourNumber: Type.String(),
      referenceTransaction: Type.Union([Type.String(), Type.Null()]),
      value: Type.Number(),
      dueDate: Type.String(),
      statusBill: Type.Integer(),
      statusDescription: Type.Enum([BEING_ISSUED_WORD, ...Object.values(STATUS_WORDS)]),
      effectivePaymentValue: Type.Union([Type.Number(), Type.Null()]),
      effectivePaymentDate: Type.Union([Type.String(), Type.Null()]),
      unexpectedPayment: Type.Union([Type.Object(RECEIVED_PAYMENT), Type.Null()], {
        description: 'Why it is sent, where money came that was not expected; null: the status changed.',
      }),
      moment: Type.String(),
    }),
    example: {
      id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
      ourNumber: '00000000042',
      referenceTransaction: 'PEDIDO-1001',
      value: 149.9,
      dueDate: '2026-12-10',
      statusBill: 2,
      statusDescription: 'Pago',
      effectivePaymentValue: 149.9,
      effectivePaymentDate: '2026-12-08',
      unexpectedPayment: { amount: 14_990, paidOn: '2026-12-09', kind: 'second', state: 'open' },
      moment: '2026-12-08T20:00:00.000-03:00',
    },
  },
];
