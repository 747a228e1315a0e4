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
import type { CardKeys } from './pairs/open-card-keys.ts';
import { openEncryptedCard } from './pairs/open-encrypted-card.ts';
import type { CardRefusal } from './refusals.ts';
import type { CardTokenKey, LiveCardToken } from './tokens/card-tokens.sql.ts';

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
 * Opens the card behind a token or an encrypted card of this merchant, in memory; or says everything that is wrong with
 * it. `now` is business time (expiry). Does not use the carrier up: the claim commits with the intent.
 */
export async function openCarrier(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
  now: Instant,
): Promise<OpenedCarrier | readonly CardRefusal[]> {
  const opened =
    named.numberToken === null
      ? await openBlob(tools, merchantId, named)
      : await openToken(tools, merchantId, named);
  if (typeof opened === 'string') return [opened];
  const { number, inside, carrier } = opened;
  const known = brandOf(number);
  const whole = {
    brand: named.brand ?? known,
    expirationMonth: named.expirationMonth ?? inside.expirationMonth ?? null,
    expirationYear: named.expirationYear ?? inside.expirationYear ?? null,
    securityCode: named.securityCode ?? inside.securityCode ?? null,
  };
  const refusals = [...fieldsInConflict(named, inside), ...cardRefusals(number, whole, now)];
  if (refusals.length > 0 || !isWhole(whole)) return refusals;
  const card = { number, holderName: named.holderName, ...whole };
  const trace = { brand: whole.brand, ...maskedCard(number), fingerprint: tools.keyring.fingerprint(number) };
  return { card, trace, carrier, isBrandDoubtful: known !== null && known !== whole.brand };
}

type NamedParts = Pick<NamedCard, 'brand' | 'expirationMonth' | 'expirationYear' | 'securityCode'>;
type WholeParts = Pick<OpenCard, 'brand' | 'expirationMonth' | 'expirationYear' | 'securityCode'>;

function isWhole(parts: NamedParts): parts is WholeParts {
  return parts.brand !== null && parts.expirationMonth !== null && parts.expirationYear !== null;
}

function cardRefusals(number: string, parts: NamedParts, now: Instant): CardRefusal[] {
  const { brand, expirationMonth, expirationYear, securityCode } = parts;
  const refusals: CardRefusal[] = [];
  if (brand === null) refusals.push('brandNeeded');
  else if (isBrandImpossible(brand, number)) refusals.push('brandImpossible');
  else if (securityCode !== null && securityCode.length !== securityCodeLength(brand))
    refusals.push('securityCodeLength');
  if (expirationMonth === null) refusals.push('expirationMonthNeeded');
  if (expirationYear === null) refusals.push('expirationYearNeeded');
  if (expirationMonth === null || expirationYear === null) return refusals;
  if (isCardExpired(expirationMonth, expirationYear, now)) refusals.push('cardExpired');
  return refusals;
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
  return { number, inside: {}, carrier: found.carrier };
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
function fieldsInConflict(named: NamedCard, inside: Partial<NamedCard>): CardRefusal[] {
  const differs = (field: keyof NamedCard) =>
    named[field] !== null &&
    inside[field] !== null &&
    inside[field] !== undefined &&
    named[field] !== inside[field];
  return [
    ...(differs('holderName') ? (['holderNameConflict'] as const) : []),
    ...(differs('securityCode') ? (['securityCodeConflict'] as const) : []),
    ...(differs('expirationMonth') ? (['expirationMonthConflict'] as const) : []),
    ...(differs('expirationYear') ? (['expirationYearConflict'] as const) : []),
  ];
}
