import { BRANDS, type Brand } from '../cards/decline-codes.ts';
import { FieldReader } from '../field-reader.ts';

/** What the ledger may hold of a card: never its number, never a security code. */
export type CardOnPaper = {
  readonly brand: Brand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** `MM/YYYY` */
  readonly expiration: string;
  readonly holder: string;
  /** The name of the trigger card that it is. */
  readonly triggerCard: string | null;
};

export type Approved = {
  readonly outcome: 'approved';
  readonly authorizationCode: string;
  readonly networkTransactionId: string;
};
/** `meaning`: what ABECS numbers with the two digits; the codes are the brand's own. */
export type Declined = {
  readonly outcome: 'declined';
  readonly meaning: string;
  readonly responseCode: string;
  readonly adviceCode: string | null;
};
export type Decision = Approved | Declined;

export const RESOLUTIONS = ['confirmed', 'voided', 'denied'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** The acquirer does not know yet what its network decided: it asks, and makes something of it. */
export type Doubt = { readonly status: 0 | 12; readonly becomes: Resolution; readonly decidesAt: number };

/** `at` is in milliseconds since 1970, by the acquirer's clock. `id`: of the sale, the acquirer's own. */
type Booked = { readonly at: number; readonly id: string };

/** A sale of nothing is a check of the card. */
export type SaleEntry = Booked & {
  readonly type: 'sale';
  readonly merchantId: string;
  /** The merchant's own. */
  readonly reference: string;
  readonly amount: number;
  readonly installments: number;
  /** Else only held, until a capture. */
  readonly isCaptured: boolean;
  readonly nsu: number;
  /** What the acquirer keeps of each installment, in hundredths of a percent. */
  readonly feePortion: number;
  readonly card: CardOnPaper;
  readonly decision: Decision;
  readonly doubt: Doubt | null;
  /** What was asked for beside, that a test wants to see again. */
  readonly notes: Readonly<Record<string, string>>;
};
export type CaptureEntry = Booked & { readonly type: 'capture'; readonly amount: number };
/** Of a sale that is only held: it is let go. `pending`: accepted, and decided later. */
export type RefundEntry = Booked & {
  readonly type: 'refund';
  readonly refundId: string;
  readonly amount: number;
  readonly pending: { readonly decidesAt: number; readonly fails: boolean } | null;
};

/** What happens by itself, at an instant that may be before the line was written. */
type Happened = Booked & { readonly happenedAt: number };
export type DecisionEntry = Happened & {
  readonly type: 'decision';
  readonly refundId: string;
  readonly outcome: 'done' | 'failed';
};
export type ResolutionEntry = Happened & { readonly type: 'resolution'; readonly outcome: Resolution };
/** The hold ended without a capture. */
export type LapseEntry = Happened & { readonly type: 'lapse' };
export type ChangeEntry = Happened & {
  readonly type: 'change';
  readonly change: 'settled' | 'chargeback';
  readonly installmentNumber: number;
  /** What a chargeback took; null: all that was left. */
  readonly amount: number | null;
  /** What is kept for paying ahead of the day. */
  readonly anticipationFee: number | null;
};
/** The acquirer's clock was put forward, in all by so much. */
export type ClockEntry = Booked & { readonly type: 'clock'; readonly aheadMilliseconds: number };

/** One line of the ledger. */
export type Entry =
  | SaleEntry
  | CaptureEntry
  | RefundEntry
  | DecisionEntry
  | ResolutionEntry
  | LapseEntry
  | ChangeEntry
  | ClockEntry;

export const MERCHANT_ID = /^[A-Za-z0-9-]{1,64}$/;
export const SALE_ID = /^[A-Za-z0-9-]{1,64}$/;
/** A check may have none. */
const REFERENCE = /^[^\p{Cc}]{0,64}$/u;
export const LARGEST_AMOUNT = 999_999_999_999;
export const MOST_INSTALLMENTS = 36;
export const WHOLE_PORTION = 10_000;

export function lineOf(entry: Entry): string {
  return JSON.stringify(entry);
}

/** The entry that a line holds; null when it holds none. */
export function entryOfLine(line: string): Entry | null {
  const fields = new FieldReader(jsonOf(line));
  const entry = readEntry(fields);
  return fields.fault === null ? entry : null;
}

const TYPES = [
  'sale',
  'capture',
  'refund',
  'decision',
  'resolution',
  'lapse',
  'change',
  'clock',
] as const satisfies readonly Entry['type'][];

function readEntry(fields: FieldReader): Entry {
  const type = fields.word('type', TYPES);
  const booked = { at: readTime(fields, 'at'), id: fields.text('id', SALE_ID) };
  switch (type) {
    case 'sale':
      return { type, ...booked, ...readSale(fields) };
    case 'capture':
      return { type, ...booked, amount: fields.integer('amount', 1, LARGEST_AMOUNT) };
    case 'refund':
      return { type, ...booked, ...readRefund(fields) };
    case 'clock':
      return { type, ...booked, aheadMilliseconds: readTime(fields, 'aheadMilliseconds') };
    default:
      return readHappened(type, { ...booked, happenedAt: readTime(fields, 'happenedAt') }, fields);
  }
}

function readHappened(
  type: (DecisionEntry | ResolutionEntry | LapseEntry | ChangeEntry)['type'],
  happened: { at: number; id: string; happenedAt: number },
  fields: FieldReader,
): Entry {
  switch (type) {
    case 'lapse':
      return { type, ...happened };
    case 'resolution':
      return { type, ...happened, outcome: fields.word('outcome', RESOLUTIONS) };
    case 'decision': {
      const refundId = fields.text('refundId', SALE_ID);
      return { type, ...happened, refundId, outcome: fields.word('outcome', ['done', 'failed']) };
    }
    case 'change':
      return {
        ...{ type, ...happened, change: fields.word('change', ['settled', 'chargeback']) },
        installmentNumber: fields.integer('installmentNumber', 1, MOST_INSTALLMENTS),
        amount: fields.integerOrNull('amount', 1, LARGEST_AMOUNT),
        anticipationFee: fields.integerOrNull('anticipationFee', 1, LARGEST_AMOUNT),
      };
  }
}

function readSale(fields: FieldReader) {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
    amount: fields.integer('amount', 0, LARGEST_AMOUNT),
    installments: fields.integer('installments', 1, MOST_INSTALLMENTS),
    isCaptured: fields.boolean('isCaptured'),
    nsu: fields.integer('nsu', 1, Number.MAX_SAFE_INTEGER),
    feePortion: fields.integer('feePortion', 0, WHOLE_PORTION),
    card: fields.object('card', (card) => ({
      brand: card.word('brand', BRANDS),
      firstSix: card.text('firstSix', /^\d{6}$/),
      lastFour: card.text('lastFour', /^\d{4}$/),
      expiration: card.text('expiration', /^\d\d\/\d{4}$/),
      holder: card.text('holder', /^.{0,255}$/s),
      triggerCard: card.textOrNull('triggerCard', /^[a-z0-9-]{1,64}$/),
    })),
    decision: fields.object('decision', readDecision),
    doubt: fields.objectOrNull('doubt', (doubt) => ({
      status: doubt.integer('status', 0, 12) as 0 | 12,
      becomes: doubt.word('becomes', RESOLUTIONS),
      decidesAt: readTime(doubt, 'decidesAt'),
    })),
    notes: fields.object('notes', (notes) => notes.allTexts()),
  };
}

function readDecision(fields: FieldReader): Decision {
  const outcome = fields.word('outcome', ['approved', 'declined']);
  if (outcome === 'approved') {
    return {
      outcome,
      authorizationCode: fields.text('authorizationCode', /^[0-9A-Z]{6}$/),
      networkTransactionId: fields.text('networkTransactionId', /^\d{15}$/),
    };
  }
  return {
    outcome,
    meaning: fields.text('meaning', /^[0-9A-Z]{2,4}$/),
    responseCode: fields.text('responseCode', /^[0-9A-Z]{2,4}$/),
    adviceCode: fields.textOrNull('adviceCode', /^\d\d$/),
  };
}

function readRefund(fields: FieldReader) {
  return {
    refundId: fields.text('refundId', SALE_ID),
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    pending: fields.objectOrNull('pending', (pending) => ({
      decidesAt: readTime(pending, 'decidesAt'),
      fails: pending.boolean('fails'),
    })),
  };
}

function readTime(fields: FieldReader, name: string): number {
  return fields.integer(name, 0, Number.MAX_SAFE_INTEGER);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
