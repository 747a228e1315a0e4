import type { Fingerprint } from '../keys/open-keyring.ts';
import type { CardForAuthorization } from '../providers/acquirers/acquirer.ts';
import type { NetworkReference } from '../providers/acquirers/network-reference.ts';
import { type CardBrand, isBrandImpossible, maskedCard, securityCodeLength } from '../values/card-number.ts';
import { holdsCardNumber, holdsNumber } from '../values/card-number-in-text.ts';
import { type Day, type Instant, saoPauloDay } from '../values/instant.ts';
import type { CardRefusal } from './refusals.ts';

/** What a request says of its card; null: the request has no such field. */
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

/** A card with its full number, open in memory to be charged. Never written, never logged. */
export type OpenCard = CardForAuthorization;

/**
 * A text to compare the cards of repeated requests: the same for one card as token, encrypted or stored. Has
 * no security code.
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

export function isShownAs(card: string, { cardFirstSix, cardLastFour }: ShownDigits): boolean {
  const [number] = JSON.parse(card) as [unknown];
  return typeof number === 'string' && number.startsWith(cardFirstSix) && number.endsWith(cardLastFour);
}

type ShownDigits = { readonly cardFirstSix: string; readonly cardLastFour: string };

/** A card token or an encrypted card, known by its hash. It may pay once. */
export type CardSource = { readonly hash: Buffer; readonly expiresAt: Instant };

/**
 * What of a card may be stored and shown: at most its first six and last four digits, and a keyed
 * fingerprint.
 */
export type CardSummary = {
  readonly brand: CardBrand;
  readonly firstSix: string;
  readonly lastFour: string;
  /** Can be compared only with fingerprints made with the same key. */
  readonly fingerprint: Buffer;
};

export function cardSummaryOf(number: string, brand: CardBrand, { print }: Fingerprint): CardSummary {
  return { brand, ...maskedCard(number), fingerprint: print };
}

/**
 * The refusal of a token or encrypted card that is in use or used up. It reads as if there had never been
 * one, unless faults of encrypted cards are named (homologation).
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
  /** True: no use of the stored card was approved before. */
  readonly isFirst: boolean;
  /**
   * The network's ids of the first use, or of the use that the acquirer wants named; empty: the card was not
   * used yet, or the network gave none.
   */
  readonly networkReference: NetworkReference;
};

/** True for a stored card's first approved use, or the first that brings the link that the card lacks. */
export function isCardMarked(stored: StoredUse | null, { linkId }: NetworkReference): boolean {
  if (stored === null) return false;
  return stored.isFirst || (stored.networkReference.linkId === null && linkId !== null);
}

/** Who started the charge. `merchant`: with a stored card, without its holder. */
export type Initiator = 'cardholder' | 'merchant';

/**
 * Uses of a stored card after the first are started by the merchant, unless the request has a security code
 * or an authentication: neither may be stored, so they prove that the holder is there.
 */
export function initiatorOf(
  stored: StoredUse | null,
  proof: { readonly securityCode: string | null; readonly isAuthenticated: boolean },
): Initiator {
  if (stored === null || stored.isFirst) return 'cardholder';
  return proof.securityCode === null && !proof.isAuthenticated ? 'merchant' : 'cardholder';
}

/** How long a token lives that is not used, by the contract of the cards API. */
export const TOKEN_LIFETIME_MILLISECONDS = 10 * 60 * 1_000;

/** Sealed with a number, so that it opens only for this merchant and token. */
export function cardTokenRecord(merchantId: string, hashed: Buffer): string {
  return `card token|${merchantId}|${hashed.toString('hex')}`;
}

/** A card is valid through the last day of its month in São Paulo. `now`: business time. */
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

/** What is wrong with a card, all faults at once. `now`: business time, for the expiry. */
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

/** Fields that differ beside and inside an encrypted card: nobody knows which one is true. */
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
