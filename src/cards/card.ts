import type { Fingerprint } from '../keys/open-keyring.ts';
import { type CardBrand, isBrandImpossible, maskedCard, securityCodeLength } from '../values/card-number.ts';
import { holdsCardNumber, holdsNumber } from '../values/card-number-in-text.ts';
import { type Day, type Instant, saoPauloDay } from '../values/instant.ts';
import type { CardRefusal } from './refusals.ts';

/** A card as a request names it: one card source and the fields beside it. Null means not given. */
export type NamedCard = {
  readonly numberToken: string | null;
  readonly encryptedCard: string | null;
  readonly vaultId: string | null;
  readonly holderName: string | null;
  readonly securityCode: string | null;
  readonly brand: CardBrand | null;
  readonly expirationMonth: string | null;
  readonly expirationYear: string | null;
};

/** A card opened in memory to be charged. Never written, never logged. */
export type OpenCard = {
  readonly number: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly holderName: string;
  readonly securityCode: string | null;
  readonly brand: CardBrand;
};

/**
 * What a card is compared by when a request is repeated: equal for the same card in whatever carrier.
 * Without the security code.
 */
export function comparableCard(card: {
  readonly number: unknown;
  readonly expirationMonth: unknown;
  readonly expirationYear: unknown;
  readonly holderName: unknown;
}): string {
  const { number, expirationMonth, expirationYear, holderName } = card;
  const parts = [number, expirationMonth, expirationYear, holderName];
  return JSON.stringify(parts.map((part) => part ?? null));
}

/** Whether a card, as `comparableCard` gives it, has the digits that are shown of one. */
export function isShownAs(card: string, { cardFirstSix, cardLastFour }: ShownDigits): boolean {
  const [number] = JSON.parse(card) as [unknown];
  return typeof number === 'string' && number.startsWith(cardFirstSix) && number.endsWith(cardLastFour);
}

type ShownDigits = { readonly cardFirstSix: string; readonly cardLastFour: string };

/** The card source of a payment, named by a hash: it may pay once. */
export type CardSource = { readonly hash: Buffer; readonly expiresAt: Instant };

/**
 * The part of a card that may be kept and shown: first six and last four digits, and a keyed
 * fingerprint. One truncation everywhere.
 */
export type CardSummary = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  readonly fingerprint: Buffer;
  /** The data key that made the fingerprint: fingerprints compare only under one key. */
  readonly fingerprintKeyId: number;
};

export function cardSummaryOf(number: string, brand: CardBrand, { keyId, print }: Fingerprint): CardSummary {
  return { brand, ...maskedCard(number), fingerprint: print, fingerprintKeyId: keyId };
}

/**
 * The refusal of a card source that is in use or used up: the same as of one that never was, save of
 * an encrypted card where its faults are named.
 */
export function sourceUsedRefusal(
  named: Pick<NamedCard, 'numberToken'>,
  { namesFaults }: { readonly namesFaults: boolean },
): CardRefusal {
  if (named.numberToken !== null) return 'numberTokenUnknown';
  return namesFaults ? 'encryptedCardUsed' : 'encryptedCardUnreadable';
}

/** A use of a card that the merchant keeps. */
export type StoredUse = {
  readonly vaultId: string;
  /** No use of it was approved before. */
  readonly isFirst: boolean;
  /**
   * The network's name of the first use; null when there was none, or the network gave it no name.
   */
  readonly networkTransactionId: string | null;
};

/** The holder, or the merchant with a stored card. */
export type Initiator = 'cardholder' | 'merchant';

/**
 * The first use of a stored card is its holder's; later ones are the merchant's, unless a security
 * code comes with them: a code may not be kept, so it proves that the holder has the card in hand.
 */
export function initiatorOf(stored: StoredUse | null, securityCode: string | null): Initiator {
  if (stored === null || stored.isFirst) return 'cardholder';
  return securityCode === null ? 'merchant' : 'cardholder';
}

/** An unused token ends after ten minutes (contract of the cards). */
export const TOKEN_LIFETIME_MILLISECONDS = 10 * 60 * 1_000;

/** What a sealed number is bound to: moved to another merchant or token, it does not open. */
export function cardTokenRecord(merchantId: string, hashed: Buffer): string {
  return `card token|${merchantId}|${hashed.toString('hex')}`;
}

/**
 * A card is good through the last day of its month, by São Paulo's calendar and the merchant's
 * business time.
 */
export function isCardExpired(month: string, year: string, now: Instant): boolean {
  const today: Day = saoPauloDay(now);
  return `20${year}-${month}` < today.slice(0, 7);
}

type NamedParts = Pick<
  NamedCard,
  'brand' | 'holderName' | 'expirationMonth' | 'expirationYear' | 'securityCode'
>;
type WholeParts = Pick<OpenCard, keyof NamedParts>;

export function isWhole(parts: NamedParts): parts is WholeParts {
  const { brand, holderName, expirationMonth, expirationYear } = parts;
  return brand !== null && holderName !== null && expirationMonth !== null && expirationYear !== null;
}

/** Every fault of a card of this number, at once. `now` is business time (expiry). */
export function cardRefusals(number: string, parts: NamedParts, now: Instant): CardRefusal[] {
  const { brand, holderName, expirationMonth, expirationYear, securityCode } = parts;
  const refusals: CardRefusal[] = [];
  if (holderName === null) refusals.push('holderNameNeeded');
  else if (holdsCardNumber(holderName) || holdsNumber(holderName, number))
    refusals.push('holderNameHoldsNumber');
  if (brand === null) refusals.push('brandNeeded');
  else if (isBrandImpossible(brand, number)) refusals.push('brandImpossible');
  else if (securityCode !== null && securityCode.length !== securityCodeLength(brand))
    refusals.push('securityCodeLength');
  if (expirationMonth === null) refusals.push('expirationMonthNeeded');
  if (expirationYear === null) refusals.push('expirationYearNeeded');
  return [...refusals, ...expiryRefusals(parts, now)];
}

/** The faults of the expiry alone, whatever the number is. */
export function expiryRefusals(
  { expirationMonth, expirationYear }: Pick<NamedParts, 'expirationMonth' | 'expirationYear'>,
  now: Instant,
): CardRefusal[] {
  if (expirationMonth === null || expirationYear === null) return [];
  return isCardExpired(expirationMonth, expirationYear, now) ? ['cardExpired'] : [];
}

type Twice = 'holderName' | 'securityCode' | 'expirationMonth' | 'expirationYear';

/**
 * A field beside an encrypted card and inside it must be equal: which one is true cannot be known.
 */
export function fieldsInConflict(named: NamedCard, inside: Pick<NamedCard, Twice>): CardRefusal[] {
  const differs = (field: Twice) =>
    named[field] !== null && inside[field] !== null && named[field] !== inside[field];
  return [
    ...(differs('holderName') ? (['holderNameConflict'] as const) : []),
    ...(differs('securityCode') ? (['securityCodeConflict'] as const) : []),
    ...(differs('expirationMonth') ? (['expirationMonthConflict'] as const) : []),
    ...(differs('expirationYear') ? (['expirationYearConflict'] as const) : []),
  ];
}
