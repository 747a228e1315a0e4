import { reaisText } from '../../../values/cents.ts';
import type { ReceivedPayment, StatesOfStatus } from './boleto.ts';
import { type Boleto, type BoletoPayment, type ShownState, shownState } from './boleto.ts';
import type { BoletoMove } from './boleto-move.ts';

const BEING_ISSUED = 0;

/** The numbers are those of gateways of this family. */
export const STATUS_BILL = {
  issued: 1,
  paid: 2,
  overdue: 3,
  canceled: 4,
  expired: 5,
} as const satisfies Record<ShownState, number>;

export const STATUS_WORDS = {
  issued: 'Emitido',
  paid: 'Pago',
  overdue: 'Vencido',
  canceled: 'Cancelado',
  expired: 'Expirado',
} as const satisfies Record<ShownState, string>;
export const BEING_ISSUED_WORD = 'Em emissão';

type Stated = Pick<Boleto, 'state' | 'stateBefore'>;

export function statusBill(boleto: Stated): number {
  const shown = shownState(boleto);
  return shown === null ? BEING_ISSUED : STATUS_BILL[shown];
}

export function statusWord(boleto: Stated): string {
  const shown = shownState(boleto);
  return shown === null ? BEING_ISSUED_WORD : STATUS_WORDS[shown];
}

export function statesOfStatus(status: number): StatesOfStatus | null {
  if (status === BEING_ISSUED) return { state: 'issuing', canceledFrom: null };
  const state = (Object.keys(STATUS_BILL) as ShownState[]).find((shown) => STATUS_BILL[shown] === status);
  if (state === undefined) return null;
  return { state, canceledFrom: state === 'issued' || state === 'overdue' ? state : null };
}

/** The callback for a change that the merchant sees; null if the merchant sees none. */
export function callbackBody(boleto: Boleto, move: BoletoMove, momentText: string): string | null {
  return move.news === null ? null : bodyOf(boleto, move, null, momentText);
}

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
    dueDate: (move?.days ?? boleto).dueOn,
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
