import type { GET_PAYMENT } from '../../payments/status/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { PAYMENT } from '../parts/paths.ts';
import { payingOf } from '../parts/states.ts';
import type { ShownPayment } from './shown-payment.ts';

export const CANCEL_PATH = `${PAYMENT}/cancel`;
export const CAPTURE_PATH = `${PAYMENT}/capture`;

export type AnyPayment = AnswerOf<typeof GET_PAYMENT>;

/** The cents that arrived, and what can still be given back of them. */
export type ToGiveBack = {
  readonly most: number;
  readonly left: number;
  /** For a Pix: the payment to give back. */
  readonly endToEndId: string | null;
};

/** For a Pix: of `endToEndId`, else of the arrival that paid it. */
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

/** For a Pix that nothing has paid as expected: the first arrival. */
export function firstToGiveBack(payment: AnyPayment): string | undefined {
  if (payment.method !== 'pix') return undefined;
  return (payingOf(payment) ?? payment.payments[0])?.endToEndId;
}

/** If it differs later, the payment has changed. */
export function standingOf(payment: AnyPayment, { most }: ToGiveBack): string {
  const { statusDescription, canceledAmount, cancelingAmount } = payment;
  return `${statusDescription} ${most} ${canceledAmount} ${cancelingAmount}`;
}

/** Only authorized: a cancel releases all of it. */
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

/** Other payments that may be the same sale again: one amount, one card or order, within a day. */
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
