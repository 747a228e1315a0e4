import type { GET_PAYMENT } from '../../payments/status/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { PAYMENT } from '../parts/paths.ts';
import { payingOf } from '../parts/states.ts';
import type { ShownPayment } from './shown-payment.ts';

export const CANCEL_PATH = `${PAYMENT}/cancel`;
export const CAPTURE_PATH = `${PAYMENT}/capture`;

export type AnyPayment = AnswerOf<typeof GET_PAYMENT>;

/** `most`: the cents that were paid. `left`: how many of them can still be given back. */
export type ToGiveBack = {
  readonly most: number;
  readonly left: number;
  /** The payment of a Pix to give back, by its end-to-end id. Null: of a card, or there is none. */
  readonly endToEndId: string | null;
};

/** For a Pix: what is left of the payment `endToEndId`; undefined: of the payment that paid the Pix. */
export function toGiveBack(payment: AnyPayment, endToEndId: string | undefined): ToGiveBack {
  const { canceledAmount, cancelingAmount } = payment;
  if (payment.method === 'card')
    return {
      most: payment.value,
      left: payment.value - canceledAmount - cancelingAmount,
      endToEndId: null,
    };
  const one =
    payment.method === 'boleto'
      ? undefined
      : endToEndId === undefined
        ? payingOf(payment)
        : payment.payments.find((paid) => paid.endToEndId === endToEndId);
  if (one === undefined) return { most: 0, left: 0, endToEndId: null };
  const { amount, endToEndId: id } = one;
  const isUnderWay = (cancel: { readonly endToEndId: string; readonly status: string }) =>
    cancel.endToEndId === id && ['Processando', 'Pendente'].includes(cancel.status);
  const cancels = payment.method === 'pix' ? (payment.cancels ?? []) : [];
  const canceling = cancels.filter(isUnderWay).reduce((sum, cancel) => sum + cancel.amount, 0);
  return { most: amount, left: amount - one.canceledAmount - canceling, endToEndId: id };
}

/** The payment of a Pix that is offered first: the one that paid the Pix, else the first that arrived. */
export function firstToGiveBack(payment: AnyPayment): string | undefined {
  if (payment.method !== 'pix') return undefined;
  return (payingOf(payment) ?? payment.payments[0])?.endToEndId;
}

/** The state of the payment, as text: if it differs later, the payment has changed. */
export function standingOf(payment: AnyPayment, { most }: ToGiveBack): string {
  const { statusDescription, canceledAmount, cancelingAmount } = payment;
  return `${statusDescription} ${most} ${canceledAmount} ${cancelingAmount}`;
}

/** The payment is only authorized: a cancel releases all of its amount. */
export function isHeldOnly(payment: AnyPayment): boolean {
  return payment.statusDescription === 'Pré-autorizada';
}

const OVER: readonly string[] = ['Negada', 'Desfeita', 'Cancelada', 'Processando'];
const TWIN_MILLISECONDS = 24 * 60 * 60 * 1_000;

export function mayGiveBack(payment: AnyPayment): boolean {
  if (payment.method === 'boleto') return false;
  if (payment.method === 'card')
    return !OVER.includes(payment.statusDescription) && toGiveBack(payment, undefined).left > 0;
  const came = payment.payments.reduce((sum, { amount }) => sum + amount, 0);
  return came - payment.canceledAmount - payment.cancelingAmount > 0;
}

/**
 * Other payments that may be the same sale again: of the same amount and card, or the same amount and order,
 * within a day.
 */
export function twinsOf(payment: AnyPayment, others: readonly ShownPayment[]): readonly ShownPayment[] {
  const at = Date.parse(payment.transactionMoment);
  return others.filter(
    (one) =>
      one.paymentId !== payment.paymentId &&
      one.value === payment.value &&
      !['Negada', 'Desfeita', 'Expirada', 'Vencida'].includes(one.statusDescription) &&
      (isOfOrder(one, payment) || isOfCard(one, payment)) &&
      Math.abs(Date.parse(one.transactionMoment) - at) <= TWIN_MILLISECONDS,
  );
}

function isOfOrder(one: ShownPayment, { referenceTransaction }: AnyPayment): boolean {
  return referenceTransaction !== null && one.referenceTransaction === referenceTransaction;
}

function isOfCard(one: ShownPayment, payment: AnyPayment): boolean {
  if (one.method !== 'card' || payment.method !== 'card') return false;
  const { firstSix, lastFour, brand } = payment.card;
  return one.card.firstSix === firstSix && one.card.lastFour === lastFour && one.card.brand === brand;
}
