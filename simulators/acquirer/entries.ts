import { BRANDS, type Brand } from '../kit/cards/decline-codes.ts';
import { CHANGE_TYPES, type ChangeType } from '../kit/cards/installments.ts';
import { FieldReader } from '../kit/field-reader.ts';
import {
  INITIATORS,
  LARGEST_AMOUNT,
  MERCHANT_ID,
  MERCHANT_REFERENCE,
  MOST_INSTALLMENTS,
  REFERENCE,
  RESPONSE_CODE,
  WHOLE_PORTION,
} from './requests.ts';

/** What the ledger may hold of a card: never its number, never a security code. */
export type CardOnPaper = {
  readonly brand: Brand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** `MM/YY` */
  readonly expiration: string;
  /** The name of the trigger card that it is. */
  readonly triggerCard: string | null;
};

export type Approved = {
  readonly outcome: 'approved';
  readonly authorizationCode: string;
  readonly nsu: number;
  readonly networkTransactionId: string;
};
export type Declined = {
  readonly outcome: 'declined';
  readonly responseCode: string;
  readonly adviceCode: string | null;
};
export type Decision = Approved | Declined;

/** `later`: nothing is charged before a capture. */
export const CAPTURE_TIMES = ['atOnce', 'later'] as const;

/** `at` is in milliseconds since 1970. */
type Booked = { readonly at: number; readonly merchantId: string; readonly reference: string };

export type AuthorizationEntry = Booked & {
  readonly type: 'authorization';
  readonly merchantReference: string | null;
  readonly amount: number;
  readonly installments: number;
  readonly initiator: 'cardholder' | 'merchant';
  readonly capture: (typeof CAPTURE_TIMES)[number];
  /** In the merchant's time: what installments are counted from. */
  readonly soldAt: number;
  /** What the acquirer keeps of each installment, in hundredths of a percent. */
  readonly feePortion: number;
  readonly card: CardOnPaper;
  readonly decision: Decision;
};
export type VerificationEntry = Booked & {
  readonly type: 'verification';
  readonly card: CardOnPaper;
  readonly decision: Decision;
};
/** The void, also of a reference never seen. */
export type UndoEntry = Booked & { readonly type: 'undo' };

export const REFUSAL_REASONS = ['unknownCharge', 'notApproved', 'exceedsRemaining'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type CancellationEntry = Booked & {
  readonly type: 'cancellation';
  readonly cancellationReference: string;
  readonly amount: number;
  /**
   * Null when it was done. A refusal is booked too, so that a repetition cannot be taken for a new
   * request.
   */
  readonly refusal: RefusalReason | null;
  /** Accepted and decided later; null: done, or refused. */
  readonly pending: PendingCancellation | null;
  /** In the merchant's time. */
  readonly requestedAt: number;
};

/** `decidesAt` in the merchant's time. */
export type PendingCancellation = { readonly decidesAt: number; readonly fails: boolean };

/** What became of a cancellation that was pending. */
export type DecisionEntry = Booked & {
  readonly type: 'decision';
  readonly cancellationReference: string;
  readonly outcome: 'canceled' | 'failed';
  /** In the merchant's time. */
  readonly happenedAt: number;
};

export const CAPTURE_REFUSALS = [
  'unknownCharge',
  'notPreauthorized',
  'exceedsAuthorized',
  'expired',
] as const;
export type CaptureRefusal = (typeof CAPTURE_REFUSALS)[number];

export type CaptureEntry = Booked & {
  readonly type: 'capture';
  readonly captureReference: string;
  readonly amount: number;
  /** In the merchant's time: what installments are counted from. */
  readonly capturedAt: number;
  /** Null when it was done; booked like that of a cancellation. */
  readonly refusal: CaptureRefusal | null;
};

/**
 * Something that happened to an installment: a settlement that fell due, or what `POST /changes`
 * asked for.
 */
export type ChangeEntry = Booked & {
  readonly type: 'change';
  readonly installmentNumber: number;
  readonly change: ChangeType;
  /** What a chargeback took; null: all that was left of the installment, and all other changes. */
  readonly amount: number | null;
  /** What the acquirer keeps for settling ahead of the day; null: it does not, and all other changes. */
  readonly anticipationFee: number | null;
  /** In the merchant's time, which `at` is not. */
  readonly happenedAt: number;
};

/** One line of the ledger. */
export type Entry =
  | AuthorizationEntry
  | VerificationEntry
  | UndoEntry
  | CancellationEntry
  | CaptureEntry
  | DecisionEntry
  | ChangeEntry;

const ENTRY_TYPES = [
  'authorization',
  'verification',
  'undo',
  'cancellation',
  'decision',
  'capture',
  'change',
] as const;

/**
 * Two numbers that agree in their ends and their expiry count as one card: the ledger knows no more
 * of them. Joined, not added, which would keep a chain of pieces in memory for every charge.
 */
export function cardMarkOf({ brand, firstSix, lastFour, expiration }: CardOnPaper): string {
  return [firstSix, lastFour, expiration, brand].join('');
}

/** The entry as its line in the file, with the instants in UTC so that a person can read it. */
export function lineOf(entry: Entry): string {
  const at = textOf(entry.at);
  switch (entry.type) {
    case 'authorization':
      return JSON.stringify({ ...entry, at, soldAt: textOf(entry.soldAt) });
    case 'capture':
      return JSON.stringify({ ...entry, at, capturedAt: textOf(entry.capturedAt) });
    case 'cancellation':
      return JSON.stringify({ ...entry, at, requestedAt: textOf(entry.requestedAt) });
    case 'change':
    case 'decision':
      return JSON.stringify({ ...entry, at, happenedAt: textOf(entry.happenedAt) });
    default:
      return JSON.stringify({ ...entry, at });
  }
}

function textOf(instant: number): string {
  return new Date(instant).toISOString();
}

/** The entry that a line holds; null when it holds none. */
export function entryOfLine(line: string): Entry | null {
  const json = jsonOf(line);
  const fields = new FieldReader(json);
  const type = fields.word('type', ENTRY_TYPES);
  const entry = readEntry(type, fields);
  return fields.fault === null ? entry : null;
}

function readEntry(type: Entry['type'], fields: FieldReader): Entry {
  const booked = {
    at: fields.instant('at'),
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
  };
  switch (type) {
    case 'undo':
      return { type, ...booked };
    case 'verification':
      return {
        type,
        ...booked,
        card: fields.object('card', readCardOnPaper),
        decision: fields.object('decision', readDecision),
      };
    case 'cancellation':
      return {
        type,
        ...booked,
        cancellationReference: fields.text('cancellationReference', REFERENCE),
        amount: fields.integer('amount', 1, LARGEST_AMOUNT),
        refusal: fields.wordOrNull('refusal', REFUSAL_REASONS),
        pending: fields.objectOrNull('pending', (pending) => ({
          decidesAt: pending.integer('decidesAt', 0, Number.MAX_SAFE_INTEGER),
          fails: pending.boolean('fails'),
        })),
        requestedAt: fields.instant('requestedAt'),
      };
    case 'decision':
      return {
        type,
        ...booked,
        cancellationReference: fields.text('cancellationReference', REFERENCE),
        outcome: fields.word('outcome', ['canceled', 'failed']),
        happenedAt: fields.instant('happenedAt'),
      };
    case 'capture':
      return {
        type,
        ...booked,
        captureReference: fields.text('captureReference', REFERENCE),
        amount: fields.integer('amount', 1, LARGEST_AMOUNT),
        capturedAt: fields.instant('capturedAt'),
        refusal: fields.wordOrNull('refusal', CAPTURE_REFUSALS),
      };
    case 'change':
      return {
        type,
        ...booked,
        installmentNumber: fields.integer('installmentNumber', 1, MOST_INSTALLMENTS),
        change: fields.word('change', CHANGE_TYPES),
        amount: fields.integerOrNull('amount', 1, LARGEST_AMOUNT),
        anticipationFee: fields.integerOrNull('anticipationFee', 1, LARGEST_AMOUNT),
        happenedAt: fields.instant('happenedAt'),
      };
    case 'authorization':
      return {
        type,
        ...booked,
        merchantReference: fields.textOrNull('merchantReference', MERCHANT_REFERENCE),
        amount: fields.integer('amount', 1, LARGEST_AMOUNT),
        installments: fields.integer('installments', 1, MOST_INSTALLMENTS),
        initiator: fields.word('initiator', INITIATORS),
        capture: fields.word('capture', CAPTURE_TIMES),
        soldAt: fields.instant('soldAt'),
        feePortion: fields.integer('feePortion', 0, WHOLE_PORTION),
        card: fields.object('card', readCardOnPaper),
        decision: fields.object('decision', readDecision),
      };
  }
}

function readCardOnPaper(fields: FieldReader): CardOnPaper {
  return {
    brand: fields.word('brand', BRANDS),
    firstSix: fields.text('firstSix', /^\d{6}$/),
    lastFour: fields.text('lastFour', /^\d{4}$/),
    expiration: fields.text('expiration', /^\d\d\/\d\d$/),
    triggerCard: fields.textOrNull('triggerCard', /^[a-z0-9-]{1,64}$/),
  };
}

function readDecision(fields: FieldReader): Decision {
  const outcome = fields.word('outcome', ['approved', 'declined']);
  if (outcome === 'declined') {
    return {
      outcome,
      responseCode: fields.text('responseCode', RESPONSE_CODE),
      adviceCode: fields.textOrNull('adviceCode', RESPONSE_CODE),
    };
  }
  return {
    outcome,
    authorizationCode: fields.text('authorizationCode', /^[0-9A-Z]{6}$/),
    nsu: fields.integer('nsu', 1, Number.MAX_SAFE_INTEGER),
    networkTransactionId: fields.text('networkTransactionId', /^\d{15}$/),
  };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
