import { hash } from 'node:crypto';
import type { Keyring } from '../keys/open-keyring.ts';
import type { Looked } from '../platform/postgres/gathered-reads.ts';
import {
  brandOf,
  type CardBrand,
  isBrandImpossible,
  maskedCard,
  securityCodeLength,
} from '../values/card-number.ts';
import type { Instant } from '../values/instant.ts';
import { type CardTrace, type Carrier, isCardExpired, type OpenCard } from './card.ts';
import type { CardTokenKey, LiveCardToken } from './card-tokens.sql.ts';
import type { CardKeys } from './open-card-keys.ts';
import { openEncryptedCard } from './open-encrypted-card.ts';
import type { CardRefusal } from './refusals.ts';

/** A card as a payment names it: one carrier and what stands beside it. Null means not given. */
export type NamedCard = {
  readonly numberToken: string | null;
  readonly encryptedCard: string | null;
  readonly holderName: string;
  readonly securityCode: string | null;
  readonly brand: CardBrand | null;
  readonly expirationMonth: string | null;
  readonly expirationYear: string | null;
};

export type OpenedCarrier = {
  readonly card: OpenCard;
  readonly trace: CardTrace;
  readonly carrier: Carrier;
  /** Our list of first digits names another brand than the merchant: allowed (lists age), worth a warning. */
  readonly isBrandDoubtful: boolean;
};

export type CardTools = {
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
  readonly findCardToken: (key: CardTokenKey) => Promise<Looked<LiveCardToken>>;
};

type Opened = { number: string; inside: Partial<NamedCard>; carrier: Carrier };

/**
 * Opens the card behind a token or an encrypted card of this merchant, in memory. `now` is business time (expiry).
 * Does not use the carrier up: the claim commits with the intent.
 */
export async function openCarrier(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
  now: Instant,
): Promise<OpenedCarrier | CardRefusal> {
  const opened =
    named.numberToken === null
      ? await openBlob(tools, merchantId, named)
      : await openToken(tools, merchantId, named);
  if (typeof opened === 'string') return opened;
  const { number, inside, carrier } = opened;
  const conflict = fieldInConflict(named, inside);
  if (conflict !== null) return conflict;
  const brand = named.brand ?? brandOf(number);
  if (brand === null) return 'brandNeeded';
  if (isBrandImpossible(brand, number)) return 'brandImpossible';
  const expirationMonth = named.expirationMonth ?? inside.expirationMonth ?? null;
  const expirationYear = named.expirationYear ?? inside.expirationYear ?? null;
  if (expirationMonth === null) return 'expirationMonthNeeded';
  if (expirationYear === null) return 'expirationYearNeeded';
  if (isCardExpired(expirationMonth, expirationYear, now)) return 'cardExpired';
  const securityCode = named.securityCode ?? inside.securityCode ?? null;
  if (securityCode !== null && securityCode.length !== securityCodeLength(brand)) return 'securityCodeLength';
  const card = { number, expirationMonth, expirationYear, holderName: named.holderName, securityCode, brand };
  const trace = { brand, ...maskedCard(number), fingerprint: tools.keyring.fingerprint(number) };
  const known = brandOf(number);
  return { card, trace, carrier, isBrandDoubtful: known !== null && known !== brand };
}

async function openBlob(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
): Promise<Opened | CardRefusal> {
  const opened = await openEncryptedCard(tools.cardKeys, merchantId, named.encryptedCard ?? '');
  if (opened === null) return 'encryptedCardUnreadable';
  const { number, securityCode, expirationMonth, expirationYear, holderName } = opened.card;
  const inside = {
    securityCode,
    expirationMonth,
    expirationYear,
    ...(holderName === null ? {} : { holderName }),
  };
  return { number, inside, carrier: opened.carrier };
}

async function openToken(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
): Promise<Opened | CardRefusal> {
  const hashed = tokenHash(named.numberToken ?? '');
  const { value: found } = await tools.findCardToken({ merchantId, tokenHash: hashed });
  if (found === null) return 'numberTokenUnknown';
  const number = tools.keyring
    .open('card', cardTokenRecord(merchantId, hashed), found.number)
    .toString('latin1');
  return { number, inside: {}, carrier: { hash: hashed, expiresAt: found.expiresAt } };
}

/** Tokens are kept as hashes: who reads the table cannot pay with what stands there. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', `numberToken${token}`, 'buffer');
}

/** What a sealed number is bound to: moved to another merchant or token, it does not open. */
export function cardTokenRecord(merchantId: string, hashed: Buffer): string {
  return `card token|${merchantId}|${hashed.toString('hex')}`;
}

/** A field given beside the blob and inside it must say the same: which of two would be true is nobody's to guess. */
function fieldInConflict(named: NamedCard, inside: Partial<NamedCard>): CardRefusal | null {
  const differs = (field: keyof NamedCard) =>
    named[field] !== null &&
    inside[field] !== null &&
    inside[field] !== undefined &&
    named[field] !== inside[field];
  if (differs('holderName')) return 'holderNameConflict';
  if (differs('securityCode')) return 'securityCodeConflict';
  if (differs('expirationMonth')) return 'expirationMonthConflict';
  if (differs('expirationYear')) return 'expirationYearConflict';
  return null;
}
