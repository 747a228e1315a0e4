import { bankDayFrom } from '../kit/bank-days.ts';
import { dayAfter } from '../kit/days.ts';
import { BANK_CODE, barCodeOf, digitableLineOf } from './bar-code.ts';
import type { Boleto, Change } from './boletos.ts';
import { pixCodeOf } from './pix-code.ts';

/** `text`: a file, instead of the body. */
export type Answer = { readonly status: number; readonly body: object; readonly text?: string };

export const REFERENCE_REUSED: Answer = { status: 409, body: { error: 'referenceReused' } };
export const NOT_FOUND: Answer = { status: 404, body: { error: 'notFound' } };
/** Not "not found", which would be an answer about a boleto. */
export const UNKNOWN_PATH: Answer = { status: 404, body: { error: 'unknownPath' } };
export const FORBIDDEN: Answer = { status: 409, body: { error: 'forbidden' } };
export const TOO_LARGE: Answer = { status: 413, body: { error: 'tooLarge' } };
export const TOO_MANY_SCRIPTS: Answer = { status: 409, body: { error: 'tooManyScripts' } };
/** Says nothing about the boleto: ask again. */
export const UNAVAILABLE: Answer = { status: 503, body: { error: 'unavailable' } };

export const ABOUT: Answer = {
  status: 200,
  body: { name: 'parcela-bank-simulator', simulator: true, protocol: 1, bankCode: BANK_CODE },
};

/** What the bank keeps of each payment. */
const FEE_CENTS = 190;

export function malformed(field: string): Answer {
  return { status: 400, body: { error: 'malformed', field } };
}

export function file(text: string): Answer {
  return { status: 200, body: {}, text };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

/** What was decided about the registration, whatever became of the boleto since. */
export function registrationAnswer({ registration: boleto }: Boleto): Answer {
  const { ourNumber, refusal } = boleto;
  if (refusal !== null) return ok({ ourNumber, outcome: 'refused', reason: refusal });
  return ok({ ourNumber, outcome: 'issued', ...registered(boleto) });
}

export function boletoAnswer(boleto: Boleto): Answer {
  return ok({ ourNumber: boleto.ourNumber, status: boleto.status, ...registered(boleto) });
}

export function dueDayAnswer(boleto: Boleto): Answer {
  return ok({ ourNumber: boleto.ourNumber, outcome: 'changed', ...registered(boleto) });
}

function registered(boleto: Parameters<typeof pixCodeOf>[0] & Parameters<typeof barCodeOf>[0]): object {
  const { amount, dueOn } = boleto;
  return { amount, dueOn, barCode: barCodeOf(boleto), pixEmv: pixCodeOf(boleto) };
}

export function canceledAnswer(ourNumber: string): Answer {
  return ok({ ourNumber, outcome: 'canceled' });
}

export function cancelRefusedAnswer(
  ourNumber: string,
  reason: 'unknownBoleto' | 'paid' | 'notAllowed',
): Answer {
  return ok({ ourNumber, outcome: 'refused', reason });
}

export function changeItem({ changeId, boleto, event, entry }: Change): object {
  const { merchantId, ourNumber } = boleto;
  const at = new Date(entry.happenedAt).toISOString();
  const item = { changeId, merchantId, ourNumber, event };
  if (entry.type !== 'payment') return { ...item, at };
  const { amount, paidOn } = entry;
  return { ...item, amount, paidOn, creditedOn: creditedOn(paidOn), fee: feeOf(amount), at };
}

/** The business day after that of the payment. */
export function creditedOn(paidOn: string): string {
  return bankDayFrom(dayAfter(bankDayFrom(paidOn), 1));
}

export function feeOf(amount: number): number {
  return Math.min(FEE_CENTS, amount);
}

/** One boleto as the ledger's reading shows it. */
export function ledgerItem(boleto: Boleto): object {
  const { merchantId, ourNumber, status, amount, issuedOn, dueOn, payableUntil, refusal, payments } = boleto;
  const barCode = refusal === null ? barCodeOf(boleto) : null;
  return {
    ...{ merchantId, ourNumber, status, amount, issuedOn, dueOn, payableUntil, refusal, barCode },
    digitableLine: barCode === null ? null : digitableLineOf(barCode),
    dueDays: boleto.dueDays,
    payments: payments.map((payment) => ({ amount: payment.amount, paidOn: payment.paidOn })),
  };
}
