import { Type } from 'typebox';
import { named, orNull } from '../../platform/http/named.ts';
import type { Boleto } from '../../transactions/methods/boleto/boleto.ts';
import { type BarCode, digitableLine } from '../../values/bar-code.ts';
import { saoPauloOffsetText, saoPauloText } from '../../values/instant.ts';
import { type BoletoStatus, boletoStatus } from '../list/listed-status.ts';

const BOLETO_WORDS = {
  processing: 'Processando',
  waiting: 'Aguardando',
  overdue: 'Vencida',
  paid: 'Paga',
  canceled: 'Cancelada',
  expired: 'Expirada',
  declined: 'Negada',
} as const satisfies Record<BoletoStatus, string>;

const textOrNull = (description?: string) => orNull(Type.String(), description);

/** The fields shared with other methods; `GET /api/billissuer/{id}` has all of it. */
export const BOLETO_PAYMENT = named('PaymentByBoleto', {
  paymentId: Type.String({ description: 'The id of the boleto.' }),
  method: Type.Enum(['boleto']),
  referenceTransaction: textOrNull(),
  billingId: orNull(Type.String(), 'No billing is paid by boleto: always null.'),
  statusDescription: Type.Enum(Object.values(BOLETO_WORDS), {
    description:
      'Processando: the bank has not answered yet. Negada: it registers no such boleto. Vencida: overdue.',
  }),
  isPartlyReturned: Type.Boolean({ description: 'Nothing is given back of a boleto: always false.' }),
  transactionDate: Type.String(),
  transactionMoment: Type.String(),
  authorizationCode: textOrNull('Of cards alone; always null.'),
  nsu: Type.String({ description: 'Its number at the bank (`ourNumber`).' }),
  value: Type.Integer({ description: 'Cents, as it was issued.' }),
  paidAmount: orNull(
    Type.Integer(),
    'Cents that paid it: other than value with fine, interest or discount. null: it is not paid.',
  ),
  canceledAmount: Type.Integer({ description: 'Nothing is given back of a boleto: always 0.' }),
  cancelingAmount: Type.Integer({ description: 'Nothing is given back of a boleto: always 0.' }),
  dueDate: Type.String({ description: 'YYYY-MM-DD.' }),
  digitableLine: textOrNull('47 digits, which payers type; null: the bank has not answered yet.'),
  payer: orNull(
    named('PayerName', { name: Type.String(), documentNumber: Type.String() }),
    'Who pays; null: it was erased.',
  ),
  bank: Type.String({ description: 'Where it was issued, by the name that the operator gave it.' }),
});

export function writeBoletoPayment(boleto: Boleto): object {
  const { payer, registered } = boleto;
  return {
    paymentId: boleto.boletoId,
    method: 'boleto',
    referenceTransaction: boleto.referenceTransaction,
    billingId: null,
    statusDescription: BOLETO_WORDS[boletoStatus(boleto)],
    isPartlyReturned: false,
    transactionDate: saoPauloText(boleto.requestedAt),
    transactionMoment: saoPauloOffsetText(boleto.requestedAt),
    authorizationCode: null,
    nsu: boleto.ourNumber,
    value: boleto.amount,
    paidAmount: boleto.payment?.amount ?? null,
    canceledAmount: 0,
    cancelingAmount: 0,
    dueDate: boleto.dueOn,
    digitableLine: registered === null ? null : digitableLine(registered.barCode as BarCode),
    payer: payer && { name: payer.name, documentNumber: payer.documentNumber },
    bank: boleto.bank,
  };
}
