import { reaisText } from '../values/cents.ts';
import { STATUS_BILL, STATUS_WORDS } from './bill-status.ts';
import type { Boleto } from './boleto.ts';
import type { BoletoMove } from './boleto-move.ts';

/** What is posted to `urlCallBack` when a boleto is shown otherwise; null: it is not. */
export function callbackBody(
  boleto: Boleto,
  { news, payment }: BoletoMove,
  momentText: string,
): string | null {
  if (news === null) return null;
  return JSON.stringify({
    id: boleto.boletoId,
    ourNumber: boleto.ourNumber,
    referenceTransaction: boleto.referenceTransaction,
    value: Number(reaisText(boleto.amount)),
    dueDate: boleto.dueOn,
    statusBill: STATUS_BILL[news.after],
    statusDescription: STATUS_WORDS[news.after],
    effectivePaymentValue: payment === null ? null : Number(reaisText(payment.amount)),
    effectivePaymentDate: payment?.paidOn ?? null,
    moment: momentText,
  });
}
