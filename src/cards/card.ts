import type { CardBrand } from '../values/card-number.ts';
import { type Day, type Instant, saoPauloDay } from '../values/instant.ts';

/** A card opened in memory to be charged. Never written, never logged. */
export type OpenCard = {
  readonly number: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
  readonly brand: CardBrand;
};

/** What brought a card here, named by a hash: it may pay once. */
export type Carrier = { readonly hash: Buffer; readonly expiresAt: Instant };

/** What may be kept and shown of a card: first six and last four digits, and a keyed fingerprint. */
export type CardTrace = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  readonly fingerprint: Buffer;
};

/** A token that nobody used dies after ten minutes (contract of the cards). */
export const TOKEN_LIFETIME_MILLISECONDS = 10 * 60 * 1_000;

/** A card is good through the last day of its month, by São Paulo's calendar and the merchant's business time. */
export function isCardExpired(month: string, year: string, now: Instant): boolean {
  const today: Day = saoPauloDay(now);
  return `20${year}-${month}` < today.slice(0, 7);
}
