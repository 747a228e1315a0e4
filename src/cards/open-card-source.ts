import { hash } from 'node:crypto';
import type { Fingerprint, Keyring } from '../keys/open-keyring.ts';
import type { Looked } from '../platform/postgres/batched-reads.ts';
import { brandOf, type CardBrand } from '../values/card-number.ts';
import type { Instant } from '../values/instant.ts';
import {
  type CardSource,
  type CardSummary,
  cardRefusals,
  cardSummaryOf,
  cardTokenRecord,
  expiryRefusals,
  fieldsInConflict,
  isWhole,
  type NamedCard,
  type OpenCard,
  type StoredUse,
} from './card.ts';
import { openSealedNumber } from './open-sealed-number.ts';
import type { CardKeys } from './pairs/open-card-keys.ts';
import { openEncryptedCard } from './pairs/open-encrypted-card.ts';
import type { CardRefusal } from './refusals.ts';
import type { CardTokenKey, LiveCardToken } from './tokens/card-tokens.sql.ts';
import { openVaultCard } from './vault/open-vault-card.ts';
import type { VaultCard } from './vault/vault-card.ts';
import type { VaultCardKey } from './vault/vault-cards.sql.ts';

export type OpenedCardSource = {
  readonly card: OpenCard;
  readonly trace: CardSummary;
  /** The card's fingerprints under every key that still compares, the summary's first. */
  readonly fingerprints: readonly Fingerprint[];
  /** Null for a stored card, which may be charged again and again. */
  readonly cardSource: CardSource | null;
  /** Null for a token or an encrypted card. */
  readonly stored: StoredUse | null;
  /**
   * Our list of first digits names another brand than the merchant: allowed (lists age), worth a
   * warning.
   */
  readonly isBrandDoubtful: boolean;
};

export type CardTools = {
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
  readonly findCardToken: (key: CardTokenKey) => Promise<Looked<LiveCardToken>>;
  readonly findVaultCard: (key: VaultCardKey) => Promise<Looked<VaultCard>>;
  /** Whether the acquirer charges cards of this brand. */
  readonly takesBrand: (brand: CardBrand) => boolean;
};

type Inside = Pick<NamedCard, 'holderName' | 'securityCode' | 'expirationMonth' | 'expirationYear'>;
type Opened = { readonly number: string; readonly inside: Inside; readonly cardSource: CardSource };

/** A token holds only the number. */
const NOTHING_INSIDE: Inside = {
  holderName: null,
  securityCode: null,
  expirationMonth: null,
  expirationYear: null,
};

/**
 * Opens the card behind a token, an encrypted card or a stored card of this merchant, in memory; or
 * returns every fault. `now` is business time (expiry). Does not use the card source up: the claim
 * commits with the intent.
 */
export async function openCardSource(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
  now: Instant,
): Promise<OpenedCardSource | readonly CardRefusal[]> {
  if (named.vaultId !== null) return openVaultCard(tools, merchantId, named.vaultId, named, now);
  const opened =
    named.numberToken === null
      ? await openBlob(tools, merchantId, named)
      : await openToken(tools, merchantId, named);
  if (!('number' in opened)) return [...opened, ...expiryRefusals(named, now)];
  const { number, inside, cardSource } = opened;
  const known = brandOf(number);
  const whole = {
    brand: named.brand ?? known,
    holderName: named.holderName ?? inside.holderName,
    expirationMonth: named.expirationMonth ?? inside.expirationMonth,
    expirationYear: named.expirationYear ?? inside.expirationYear,
    securityCode: named.securityCode ?? inside.securityCode,
  };
  const refusals = [...fieldsInConflict(named, inside), ...cardRefusals(number, whole, now)];
  if (refusals.length > 0 || !isWhole(whole)) return refusals;
  if (!tools.takesBrand(whole.brand)) return ['brandNotOffered'];
  const card = { number, ...whole };
  const fingerprints = tools.keyring.fingerprints(number);
  const trace = cardSummaryOf(number, whole.brand, fingerprints[0]);
  const isBrandDoubtful = known !== null && known !== whole.brand;
  return { card, trace, fingerprints, cardSource, stored: null, isBrandDoubtful };
}

/**
 * The faults of a card of which perhaps only a part can be read, and of its card source, when there
 * is one.
 */
export async function checkCardSource(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
  now: Instant,
): Promise<readonly CardRefusal[]> {
  const { numberToken, encryptedCard, vaultId } = named;
  const sources = [numberToken, encryptedCard, vaultId].filter((cardSource) => cardSource !== null);
  if (sources.length !== 1) return expiryRefusals(named, now);
  const opened = await openCardSource(tools, merchantId, named, now);
  return 'card' in opened ? [] : opened;
}

async function openBlob(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
): Promise<Opened | readonly CardRefusal[]> {
  const opened = await openEncryptedCard(tools.cardKeys, merchantId, named.encryptedCard ?? '');
  if (!('card' in opened)) return opened;
  return { number: opened.card.number, inside: opened.card, cardSource: opened.cardSource };
}

async function openToken(
  tools: CardTools,
  merchantId: string,
  named: NamedCard,
): Promise<Opened | readonly CardRefusal[]> {
  const found = await findTokenized(tools, merchantId, named.numberToken ?? '');
  if (found === null || found.isUsed) return ['numberTokenUnknown'];
  return { number: found.number, inside: NOTHING_INSIDE, cardSource: found.cardSource };
}

/** The card behind a token that has not expired, also a used one. */
export async function findTokenized(
  { findCardToken, keyring }: Pick<CardTools, 'findCardToken' | 'keyring'>,
  merchantId: string,
  numberToken: string,
): Promise<(Omit<LiveCardToken, 'number'> & { readonly number: string }) | null> {
  const hashed = tokenHash(numberToken);
  const { value: found } = await findCardToken({ merchantId, tokenHash: hashed });
  if (found === null) return null;
  const number = await openSealedNumber(keyring, cardTokenRecord(merchantId, hashed), found.number);
  // It was altered: the alarm has been raised, and the caller is refused as for any bad token.
  return number === null ? null : { ...found, number };
}

/** Tokens are kept as hashes: a reader of the table cannot pay with them. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', `numberToken${token}`, 'buffer');
}
