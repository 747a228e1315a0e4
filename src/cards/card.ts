import type { Fingerprint } from '../keys/open-keyring.ts';
import type { CardForAuthorization } from '../providers/acquirers/acquirer.ts';
import type { NetworkReference } from '../providers/acquirers/network-reference.ts';
import { type CardBrand, isBrandImpossible, maskedCard, securityCodeLength } from '../values/card-number.ts';
import { holdsCardNumber, holdsNumber } from '../values/card-number-in-text.ts';
import { type Day, type Instant, saoPauloDay } from '../values/instant.ts';
import type { CardRefusal } from './refusals.ts';

/** null: not given. */
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

/** Open in memory, to be charged. Never written, never logged. */
export type OpenCard = CardForAuthorization;

/** Compares the cards of repeated requests: equal for one card in any carrier. Without security code. */
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

export function isShownAs(card: string, { cardFirstSix, cardLastFour }: ShownDigits): boolean {
  const [number] = JSON.parse(card) as [unknown];
  return typeof number === 'string' && number.startsWith(cardFirstSix) && number.endsWith(cardLastFour);
}

type ShownDigits = { readonly cardFirstSix: string; readonly cardLastFour: string };

/** Identified by a hash: it may pay once. */
export type CardSource = { readonly hash: Buffer; readonly expiresAt: Instant };

/** May be stored and shown: at most the six first and four last digits, and a keyed fingerprint. */
export type CardSummary = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Fingerprints compare only under one key. */
  readonly fingerprint: Buffer;
};

export function cardSummaryOf(number: string, brand: CardBrand, { print }: Fingerprint): CardSummary {
  return { brand, ...maskedCard(number), fingerprint: print };
}

/**
 * A source in use or used up is answered as if it never existed, unless faults of encrypted cards are named.
 */
export function sourceUsedRefusal(
  named: Pick<NamedCard, 'numberToken'>,
  { namesFaults }: { readonly namesFaults: boolean },
): CardRefusal {
  if (named.numberToken !== null) return 'numberTokenUnknown';
  return namesFaults ? 'encryptedCardUsed' : 'encryptedCardUnreadable';
}

export type StoredUse = {
  readonly vaultId: string;
  /** No use was approved before. */
  readonly isFirst: boolean;
  /** Of the first use, or as its acquirer wants it; empty: none yet, or the network gave none. */
  readonly networkReference: NetworkReference;
};

/** True for a stored card's first approved use, or the first that brings the link that the card lacks. */
export function isCardMarked(stored: StoredUse | null, { linkId }: NetworkReference): boolean {
  if (stored === null) return false;
  return stored.isFirst || (stored.networkReference.linkId === null && linkId !== null);
}

/** `merchant`: with a stored card. */
export type Initiator = 'cardholder' | 'merchant';

/**
 * Later uses are the merchant's, unless a security code or an authentication, neither of which may be stored,
 * proves the holder's presence.
 */
export function initiatorOf(
  stored: StoredUse | null,
  proof: { readonly securityCode: string | null; readonly isAuthenticated: boolean },
): Initiator {
  if (stored === null || stored.isFirst) return 'cardholder';
  return proof.securityCode === null && !proof.isAuthenticated ? 'merchant' : 'cardholder';
}

/** By the contract of the cards API, for an unused token. */
export const TOKEN_LIFETIME_MILLISECONDS = 10 * 60 * 1_000;

/** Binds a sealed number to merchant and token. */
export function cardTokenRecord(merchantId: string, hashed: Buffer): string {
  return `card token|${merchantId}|${hashed.toString('hex')}`;
}

/** Valid through the last day of its month in São Paulo, by business time. */
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

/** `now`: business time, for the expiry. */
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

export function expiryRefusals(
  { expirationMonth, expirationYear }: Pick<NamedParts, 'expirationMonth' | 'expirationYear'>,
  now: Instant,
): CardRefusal[] {
  if (expirationMonth === null || expirationYear === null) return [];
  return isCardExpired(expirationMonth, expirationYear, now) ? ['cardExpired'] : [];
}

type Twice = 'holderName' | 'securityCode' | 'expirationMonth' | 'expirationYear';

/** A field both beside and inside an encrypted card must be equal: nobody knows which one is true. */
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
