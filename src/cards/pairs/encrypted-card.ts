import { isCardNumber } from '../../values/card-number.ts';
import type { Instant } from '../../values/instant.ts';

/** The content of an encrypted card, opened: strings as they came, checked for shape and age. */
export type EncryptedCard = {
  readonly number: string;
  readonly securityCode: string | null;
  readonly expirationMonth: string | null;
  readonly expirationYear: string | null;
  readonly holderName: string | null;
  readonly expiresAt: Instant;
};

/** A blob is good for a day: longer-lived ones would be stored cards in disguise. */
const BLOB_LIFETIME_MILLISECONDS = 24 * 60 * 60 * 1_000;
/** Clocks of shops run a little ahead. */
const CLOCK_TOLERANCE_MILLISECONDS = 5 * 60 * 1_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Reads the JSON inside an encrypted card. Null for anything that is not whole, of another merchant
 * or too old: a caller learns only that the card cannot be opened, never why. Real time: a moved
 * test clock ages no blob.
 */
export function readEncryptedCard(json: unknown, merchantId: string, now: Instant): EncryptedCard | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const fields = json as Record<string, unknown>;
  const { cardNumber, createdAt } = fields;
  if (typeof cardNumber !== 'string' || !isCardNumber(cardNumber)) return null;
  if (fields.merchantId !== merchantId || typeof createdAt !== 'string') return null;
  const madeAt = instantOf(createdAt);
  const isFresh = madeAt <= now + CLOCK_TOLERANCE_MILLISECONDS && madeAt > now - BLOB_LIFETIME_MILLISECONDS;
  if (!isFresh) return null;
  const securityCode = optional(fields.securityCode, /^\d{3,4}$/);
  const expirationMonth = optional(fields.expirationMonth, /^(0[1-9]|1[0-2])$/);
  const expirationYear = optional(fields.expirationYear, /^\d\d$/);
  const holderName = optional(fields.cardholderName, /^(?=.*\S)(?!.*\p{Cc}).{1,30}$/u);
  if (securityCode === undefined || expirationMonth === undefined) return null;
  if (expirationYear === undefined || holderName === undefined) return null;
  const expiresAt = (madeAt + BLOB_LIFETIME_MILLISECONDS) as Instant;
  return { number: cardNumber, securityCode, expirationMonth, expirationYear, holderName, expiresAt };
}

/**
 * An ISO date-time; without a zone it is taken as UTC. NaN, which is never fresh, for anything
 * else.
 */
function instantOf(text: string): number {
  const match = INSTANT.exec(text);
  if (match === null) return Number.NaN;
  return Date.parse(match[3] === undefined ? `${text}Z` : text);
}

/** Null when absent, undefined when malformed. */
function optional(value: unknown, shape: RegExp): string | null | undefined {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}
