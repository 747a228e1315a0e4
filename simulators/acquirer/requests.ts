import { BRANDS, type Brand } from '../kit/cards/decline-codes.ts';
import { CHANGE_TYPES, type ChangeType } from '../kit/cards/installments.ts';
import { TRANSACTION_LINK } from '../kit/cards/transaction-link.ts';
import type { FieldReader } from '../kit/field-reader.ts';
import type { AuthorizationEntry } from './entries.ts';
import { type CancellationStep, FAULTS, type Step } from './script-step.ts';

export type Card = {
  readonly number: string;
  readonly brand: Brand;
  /** `MM/YY` */
  readonly expiration: string;
};

export type Authorization = {
  readonly merchantId: string;
  readonly reference: string;
  readonly merchantReference: string | null;
  readonly amount: number;
  readonly installments: number;
  readonly initiator: 'cardholder' | 'merchant';
  readonly capture: AuthorizationEntry['capture'];
  /** Null: now, by the acquirer's own clock. */
  readonly soldAt: number | null;
  readonly card: Card;
};
/** A request to charge what was pre-authorized. */
export type CaptureRequest = {
  readonly merchantId: string;
  readonly captureReference: string;
  readonly reference: string;
  readonly amount: number;
  /** Null: now, by the acquirer's own clock. */
  readonly capturedAt: number | null;
};
export type Undo = { readonly merchantId: string; readonly reference: string };
export type Cancellation = {
  readonly merchantId: string;
  readonly cancellationReference: string;
  readonly reference: string;
  readonly amount: number;
  /** In the merchant's time; null: now, by the acquirer's own clock. */
  readonly requestedAt: number | null;
};
export type Verification = { readonly merchantId: string; readonly reference: string; readonly card: Card };
/** What shall have happened to an installment. */
export type WantedChange = {
  readonly merchantId: string;
  readonly reference: string;
  readonly installmentNumber: number;
  readonly type: ChangeType;
  /** What a chargeback takes; null: all that is left of the installment. */
  readonly amount: number | null;
  /** What is kept for settling ahead of the day. */
  readonly anticipationFee: number | null;
  readonly at: number;
};
/** Which changes are asked for; `merchantId` null: those of all merchants. */
export type ChangesQuery = {
  readonly merchantId: string | null;
  readonly after: number;
  /** Null: now, by the acquirer's own clock. */
  readonly until: number | null;
  readonly limit: number;
};
export type Script = {
  readonly merchantId: string;
  readonly steps: readonly Step[];
  readonly cancellations: readonly CancellationStep[];
};

export const REFERENCE = /^[\w.:-]{1,64}$/;
export const MERCHANT_ID = /^[^\p{Cc}]{1,64}$/u;
export const MERCHANT_REFERENCE = /^.{0,255}$/s;
export const RESPONSE_CODE = /^[0-9A-Za-z]{1,4}$/;
const NETWORK_TRANSACTION_ID = /^[\w-]{1,40}$/;
/** Cents: ten digits. */
export const LARGEST_AMOUNT = 9_999_999_999;
export const MOST_INSTALLMENTS = 99;
const MOST_STEPS = 1_000;
const LONGEST_DELAY_MILLISECONDS = 60_000;
const MOST_REFUSALS = 1_000;
const DAY_MILLISECONDS = 86_400_000;
const LONGEST_PENDING_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** Hundredths of a percent. */
export const WHOLE_PORTION = 10_000;
const SOFT_DESCRIPTOR = /^[A-Za-z0-9 .*-]{1,22}$/;
const REASONS = ['recurring', 'installments', 'resubmission', 'unscheduled'] as const;
const ECI = /^0[0-7]$/;
const PROVED = ['01', '02', '05', '06'];
const BASE64_OF_20 = /^[A-Za-z0-9+/]{27}=$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const INITIATORS = ['cardholder', 'merchant'] as const;

export function readAuthorization(fields: FieldReader, capture: Authorization['capture']): Authorization {
  const initiator = fields.word('initiator', INITIATORS);
  fields.textOrNull('networkTransactionId', NETWORK_TRANSACTION_ID);
  const link = fields.textOrNull('transactionLinkId', TRANSACTION_LINK);
  fields.wordOrNull('storedCard', ['first', 'later']);
  fields.wordOrNull('storedCardReason', REASONS);
  fields.textOrNull('softDescriptor', SOFT_DESCRIPTOR);
  fields.objectOrNull('threeDSecure', checkAuthentication);
  const card = fields.object('card', (sent) => readCard(sent, initiator));
  const isLinked = initiator === 'merchant' && card.brand === 'mastercard';
  if (link !== null && !isLinked) fields.refuse('transactionLinkId');
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
    merchantReference: fields.textOrNull('merchantReference', MERCHANT_REFERENCE),
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    installments: fields.integer('installments', 1, MOST_INSTALLMENTS),
    initiator,
    capture,
    soldAt: fields.instantOrNull('soldAt'),
    card,
  };
}

/** Nothing of it is kept. */
function checkAuthentication(fields: FieldReader): void {
  const eci = fields.text('eci', ECI);
  fields.text('version', /^2[.\d]{0,4}$/);
  if (fields.textOrNull('cavv', BASE64_OF_20) === null && PROVED.includes(eci)) fields.refuse('cavv');
  fields.textOrNull('xid', BASE64_OF_20);
  fields.textOrNull('dsTransactionId', UUID);
}

export function readUndo(fields: FieldReader): Undo {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
  };
}

export function readCancellation(fields: FieldReader): Cancellation {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    cancellationReference: fields.text('cancellationReference', REFERENCE),
    reference: fields.text('reference', REFERENCE),
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    requestedAt: fields.instantOrNull('requestedAt'),
  };
}

export function readCapture(fields: FieldReader): CaptureRequest {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    captureReference: fields.text('captureReference', REFERENCE),
    reference: fields.text('reference', REFERENCE),
    amount: fields.integer('amount', 1, LARGEST_AMOUNT),
    capturedAt: fields.instantOrNull('capturedAt'),
  };
}

export function readVerification(fields: FieldReader): Verification {
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
    card: fields.object('card', (card) => readCard(card, 'cardholder')),
  };
}

export function readWantedChange(fields: FieldReader): WantedChange {
  const type = fields.word('type', CHANGE_TYPES);
  const amount = fields.integerOrNull('amount', 1, LARGEST_AMOUNT);
  if (amount !== null && type !== 'chargeback') fields.refuse('amount');
  const anticipationFee = fields.integerOrNull('anticipationFee', 1, LARGEST_AMOUNT);
  if (anticipationFee !== null && type !== 'settled') fields.refuse('anticipationFee');
  return {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    reference: fields.text('reference', REFERENCE),
    installmentNumber: fields.integer('installmentNumber', 1, MOST_INSTALLMENTS),
    type,
    amount,
    anticipationFee,
    at: fields.instant('at'),
  };
}

export function readScript(fields: FieldReader): Script {
  const script = {
    merchantId: fields.text('merchantId', MERCHANT_ID),
    steps: fields.list('steps', MOST_STEPS, withoutOthers(readStep)),
    cancellations: fields.listOrEmpty('cancellations', MOST_STEPS, withoutOthers(readCancellationStep)),
  };
  fields.refuseOthers();
  return script;
}

const withoutOthers =
  <T>(read: (fields: FieldReader) => T) =>
  (fields: FieldReader): T => {
    const value = read(fields);
    fields.refuseOthers();
    return value;
  };

/**
 * A merchant that charges a stored card cannot have its security code, which nobody may keep after
 * the first charge: a request that carries one is refused, since it would show that it was kept.
 */
function readCard(fields: FieldReader, initiator: Authorization['initiator']): Card {
  const number = fields.text('number', /^\d{13,19}$/);
  if (!hasLuhnDigit(number)) fields.refuse('number');
  const securityCode = fields.textOrNull('securityCode', /^\d{3,4}$/);
  if (initiator === 'merchant' && securityCode !== null) fields.refuse('securityCode');
  fields.text('holderName', /^[^\p{Cc}]{1,128}$/u);
  const month = fields.text('expirationMonth', /^(0[1-9]|1[0-2])$/);
  const year = fields.text('expirationYear', /^\d{2}$/);
  return { number, brand: fields.word('brand', BRANDS), expiration: `${month}/${year}` };
}

function readStep(fields: FieldReader): Step {
  const outcome = fields.wordOrNull('outcome', ['approved', 'declined']);
  const responseCode = fields.textOrNull('responseCode', RESPONSE_CODE);
  const adviceCode = fields.textOrNull('adviceCode', RESPONSE_CODE);
  if (outcome === 'approved' && responseCode !== null) fields.refuse('responseCode');
  if (adviceCode !== null && outcome !== 'declined' && responseCode === null) fields.refuse('adviceCode');
  return {
    outcome: responseCode === null ? outcome : 'declined',
    responseCode,
    adviceCode,
    delayMilliseconds: fields.integerOrNull('delayMilliseconds', 0, LONGEST_DELAY_MILLISECONDS) ?? 0,
    fault: fields.wordOrNull('fault', FAULTS),
    undoRefusals: fields.integerOrNull('undoRefusals', 0, MOST_REFUSALS) ?? 0,
    notFoundTimes: fields.integerOrNull('notFoundTimes', 0, MOST_REFUSALS) ?? 0,
    feePortion: fields.integerOrNull('feePortion', 0, WHOLE_PORTION) ?? 0,
  };
}

function readCancellationStep(fields: FieldReader): CancellationStep {
  fields.word('outcome', ['pending']);
  return {
    decidedAfterMilliseconds:
      fields.integerOrNull('decidedAfterMilliseconds', 0, LONGEST_PENDING_MILLISECONDS) ?? DAY_MILLISECONDS,
    fails: fields.booleanOr('fails', false),
  };
}

function hasLuhnDigit(number: string): boolean {
  let sum = 0;
  for (let index = 0; index < number.length; index += 1) {
    const digit = number.charCodeAt(number.length - 1 - index) - 48;
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
