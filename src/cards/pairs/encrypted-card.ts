import { isBlank } from '../../values/blank-text.ts';
import { isCardNumber } from '../../values/card-number.ts';
import type { Instant } from '../../values/instant.ts';

/** The content of an encrypted card: texts as sent, whose shape and age were checked. */
export type EncryptedCard = {
  readonly number: string;
  readonly securityCode: string | null;
  readonly expirationMonth: string | null;
  readonly expirationYear: string | null;
  readonly holderName: string | null;
  readonly expiresAt: Instant;
};

/** Why an encrypted card is refused. Only homologation tells callers. */
export type EncryptedCardFault =
  | 'encryptedCardEncoding'
  | 'encryptedCardLength'
  | 'encryptedCardKey'
  | 'encryptedCardJson'
  | 'encryptedCardNumber'
  | 'encryptedCardMerchant'
  | 'encryptedCardMoment'
  | 'encryptedCardOld'
  | 'encryptedCardAhead'
  | 'encryptedCardSecurityCode'
  | 'encryptedCardMonth'
  | 'encryptedCardYear'
  | 'encryptedCardHolderName';

/** How long an encrypted card may be used: a day. One that lived longer would be a stored card. */
export const BLOB_LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1_000;
/**
 * How far ahead its time may be: it is that of the buyer's clock, and many are hours ahead. It pays only once
 * anyway.
 */
const CLOCK_TOLERANCE_MILLISECONDS = 24 * 60 * 60 * 1_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Gives all faults at once. Goes by real time: a moved test clock ages no encrypted card. */
export function readEncryptedCard(
  json: unknown,
  merchantId: string,
  now: Instant,
  lifetimeMilliseconds = BLOB_LIFETIME_MILLISECONDS,
): EncryptedCard | readonly EncryptedCardFault[] {
  const fields = fieldsOf(json);
  if (fields === null) return ['encryptedCardJson'];
  const { cardNumber, createdAt } = fields;
  const madeAt = typeof createdAt === 'string' ? instantOf(createdAt) : Number.NaN;
  const faults: EncryptedCardFault[] = [];
  const isNumber = typeof cardNumber === 'string' && isCardNumber(cardNumber);
  if (!isNumber) faults.push('encryptedCardNumber');
  if (fields.merchantId !== merchantId) faults.push('encryptedCardMerchant');
  if (Number.isNaN(madeAt)) faults.push('encryptedCardMoment');
  if (madeAt > now + CLOCK_TOLERANCE_MILLISECONDS) faults.push('encryptedCardAhead');
  if (madeAt <= now - lifetimeMilliseconds) faults.push('encryptedCardOld');
  const read = (name: string, shape: RegExp, fault: EncryptedCardFault): string | null => {
    const value = fields[name];
    if (value === undefined) return null;
    if (typeof value === 'string' && shape.test(value)) return value;
    faults.push(fault);
    return null;
  };
  const card = {
    securityCode: read('securityCode', /^\d{3,4}$/, 'encryptedCardSecurityCode'),
    expirationMonth: read('expirationMonth', /^(0[1-9]|1[0-2])$/, 'encryptedCardMonth'),
    expirationYear: read('expirationYear', /^\d\d$/, 'encryptedCardYear'),
    holderName: read('cardholderName', /^(?=.*\S)(?!.*\p{Cc}).{1,30}$/u, 'encryptedCardHolderName'),
    expiresAt: (madeAt + BLOB_LIFETIME_MILLISECONDS) as Instant,
  };
  return isNumber && faults.length === 0 ? { number: cardNumber, ...card } : faults;
}

/** The content as sent, of any age and shape; empty if it is no object. */
export function rawParts(
  json: unknown,
): Record<'number' | 'expirationMonth' | 'expirationYear' | 'holderName', unknown> {
  const { cardNumber, expirationMonth, expirationYear, cardholderName } = fieldsOf(json) ?? {};
  return { number: cardNumber, expirationMonth, expirationYear, holderName: cardholderName };
}

/**
 * The fields by name. A null or blank one is left out; names may begin with a capital letter. null: a name
 * occurs twice.
 */
function fieldsOf(json: unknown): Record<string, unknown> | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const sent = Object.entries(json).map(
    ([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value] as const,
  );
  if (new Set(sent.map(([name]) => name)).size < sent.length) return null;
  return Object.fromEntries(sent.filter(([, value]) => value !== null && !isBlank(value)));
}

/**
 * Milliseconds of an ISO date-time, which is in UTC where it names no zone. NaN for any other text, which no
 * check takes for fresh.
 */
function instantOf(text: string): number {
  const match = INSTANT.exec(text);
  if (match === null) return Number.NaN;
  return Date.parse(match[3] === undefined ? `${text}Z` : text);
}
