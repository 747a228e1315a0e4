import { bankDayFrom } from '../kit/bank-days.ts';
import { transactionLinkOf } from '../kit/cards/transaction-link.ts';
import { saoPauloDayOf } from '../kit/days.ts';
import type { WrittenFile } from '../kit/files/sent-file.ts';
import type { BookedCancellation, BookedCapture, Change, Charge } from './charges.ts';
import { tidOf } from './tid.ts';

export type Answer = {
  readonly status: number;
  readonly body: object;
  /** What is answered in place of the body: a file of text, line by line. */
  readonly file?: WrittenFile;
};

/** Of files: the day is not over in the merchant's time. */
export const DAY_NOT_OVER: Answer = { status: 409, body: { error: 'dayNotOver' } };
/** A fault was ordered of a file without such a row. */
export const NO_SUCH_ROW: Answer = { status: 409, body: { error: 'noSuchRow' } };
export const UNDONE: Answer = { status: 409, body: { error: 'undone' } };
export const REFERENCE_REUSED: Answer = { status: 409, body: { error: 'referenceReused' } };
export const CANCELED: Answer = { status: 409, body: { error: 'canceled' } };
export const NOT_FOUND: Answer = { status: 404, body: { error: 'notFound' } };
/** Not "not found", which would be an answer about a charge. */
export const UNKNOWN_PATH: Answer = { status: 404, body: { error: 'unknownPath' } };
/**
 * The installment is in a state, or the charge in one, in which the change cannot happen; nothing
 * is booked.
 */
export const FORBIDDEN: Answer = { status: 409, body: { error: 'forbidden' } };
export const TOO_LARGE: Answer = { status: 413, body: { error: 'tooLarge' } };
export const TOO_MANY_SCRIPTS: Answer = { status: 409, body: { error: 'tooManyScripts' } };
/** Says nothing about the charge: ask again. */
export const UNAVAILABLE: Answer = { status: 503, body: { error: 'unavailable' } };

export function malformed(field: string): Answer {
  return { status: 400, body: { error: 'malformed', field } };
}

export function ok(body: object): Answer {
  return { status: 200, body };
}

/** What was decided about the charge, whatever became of it since. */
export function outcomeAnswer(charge: Charge): Answer {
  const { reference, authorizedAmount: amount, capture, decision, at } = charge;
  if (decision.outcome === 'declined') return ok({ reference, amount, ...decision });
  const { authorizationCode, nsu } = decision;
  const authorizedAt = new Date(at).toISOString();
  return ok({
    reference,
    outcome: capture === 'later' ? 'preauthorized' : 'approved',
    amount,
    authorizationCode,
    nsu: String(nsu),
    ...networkNames(charge),
    tid: tidOf(charge),
    authorizedAt,
  });
}

/** How the card's network calls an approval. */
export function networkNames({ decision, card }: Pick<Charge, 'decision' | 'card'>): object {
  if (decision.outcome === 'declined') return { networkTransactionId: null, transactionLinkId: null };
  const { networkTransactionId } = decision;
  return { networkTransactionId, transactionLinkId: transactionLinkOf(card.brand, networkTransactionId) };
}

export function undoAnswer(reference: string, status: 'undone' | 'declined'): Answer {
  return ok({ reference, status });
}

export function cancellationAnswer(cancellationReference: string, booked: BookedCancellation): Answer {
  const { amount, canceledAmount, refusal, isPending } = booked;
  if (isPending) return ok({ cancellationReference, outcome: 'pending', amount, canceledAmount });
  if (refusal !== null) return ok({ cancellationReference, outcome: 'refused', reason: refusal });
  return ok({ cancellationReference, outcome: 'canceled', amount, canceledAmount });
}

export function captureAnswer(captureReference: string, { amount, refusal }: BookedCapture): Answer {
  if (refusal !== null) return ok({ captureReference, outcome: 'refused', reason: refusal });
  return ok({ captureReference, outcome: 'captured', amount });
}

/** What the charge is now. */
export function chargeAnswer(charge: Charge): Answer {
  const { reference, amount, canceledAmount, status, decision, at } = charge;
  const isApproved = decision.outcome === 'approved';
  return ok({
    reference,
    status,
    amount,
    canceledAmount,
    authorizationCode: isApproved ? decision.authorizationCode : null,
    nsu: isApproved ? String(decision.nsu) : null,
    ...networkNames(charge),
    tid: tidOf(charge),
    responseCode: isApproved ? null : decision.responseCode,
    adviceCode: isApproved ? null : decision.adviceCode,
    authorizedAt: isApproved ? new Date(at).toISOString() : null,
  });
}

/** A void of a reference never seen: there is a status, and nothing else. */
export function tombstoneAnswer(reference: string): Answer {
  return ok({
    reference,
    status: 'undone',
    amount: null,
    canceledAmount: null,
    authorizationCode: null,
    nsu: null,
    networkTransactionId: null,
    transactionLinkId: null,
    tid: null,
    responseCode: null,
    adviceCode: null,
    authorizedAt: null,
  });
}

export function changeItem(change: Change): object {
  const { cursor, charge, installmentNumber, type, amount, at, cancellationReference, payout } = change;
  const { reference, merchantId } = charge;
  const changeId = String(cursor);
  const item = {
    changeId,
    reference,
    merchantId,
    installmentNumber,
    type,
    amount,
    at: new Date(at).toISOString(),
  };
  if (payout !== undefined) return { ...item, ...payout, bankOn: bankDayFrom(saoPauloDayOf(at)) };
  return cancellationReference === undefined ? item : { ...item, cancellationReference };
}

/**
 * A line of the ledger as a merchant reads it, in the merchant's words: its own reference first.
 */
export function ledgerItem({
  merchantReference,
  reference,
  amount,
  canceledAmount,
  status,
  decision,
}: Charge) {
  const isApproved = decision.outcome === 'approved';
  return {
    reference: merchantReference,
    paymentId: reference,
    nsu: isApproved ? String(decision.nsu) : null,
    authorizationCode: isApproved ? decision.authorizationCode : null,
    amount,
    canceledAmount,
    status,
  };
}
