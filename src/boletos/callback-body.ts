import { reaisText } from '../values/cents.ts';
import { statusBill, statusWord } from './bill-status.ts';
import type { Boleto, BoletoPayment } from './boleto.ts';
import type { BoletoMove } from './boleto-move.ts';
import type { ReceivedPayment } from './changes/received-payment.ts';

/** What is posted to `urlCallBack` when a boleto is shown otherwise; null: it is not. */
export function callbackBody(boleto: Boleto, move: BoletoMove, momentText: string): string | null {
  return move.news === null ? null : bodyOf(boleto, move, null, momentText);
}

/** What is posted there when money came that was not expected: the boleto as it stands, and the money. */
export function unexpectedBody(
  boleto: Boleto,
  move: BoletoMove | null,
  received: Omit<ReceivedPayment, 'isOpen' | 'exceptionId'>,
  momentText: string,
): string {
  return bodyOf(boleto, move, received, momentText);
}

function bodyOf(
  boleto: Boleto,
  move: BoletoMove | null,
  received: Omit<ReceivedPayment, 'isOpen' | 'exceptionId'> | null,
  momentText: string,
): string {
  const stated = move === null ? boleto : { state: move.to, stateBefore: move.stateBefore };
  const payment: BoletoPayment | null = (move ?? boleto).payment;
  return JSON.stringify({
    id: boleto.boletoId,
    ourNumber: boleto.ourNumber,
    referenceTransaction: boleto.referenceTransaction,
    value: Number(reaisText(boleto.amount)),
    dueDate: boleto.dueOn,
    statusBill: statusBill(stated),
    statusDescription: statusWord(stated),
    effectivePaymentValue: payment === null ? null : Number(reaisText(payment.amount)),
    effectivePaymentDate: payment?.paidOn ?? null,
    unexpectedPayment:
      received === null
        ? null
        : { amount: received.amount, paidOn: received.paidOn, kind: received.kind, state: 'open' },
    moment: momentText,
  });
}
