import { hash } from 'node:crypto';
import { identifyCarried } from '../idempotency/answer-once.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { type Fingerprint, KeyAbsent, type Keyring, type Sealed } from '../keys/open-keyring.ts';
import type { Looked } from '../platform/postgres/batched-reads.ts';
import { Overloaded } from '../platform/work/fair-line.ts';
import { brandOf, type CardBrand } from '../values/card-number.ts';
import { isUuid } from '../values/ids.ts';
import type { Instant } from '../values/instant.ts';
import {
  type CardSource,
  type CardSummary,
  cardRefusals,
  cardSummaryOf,
  cardTokenRecord,
  comparableCard,
  expiryRefusals,
  fieldsInConflict,
  isWhole,
  type NamedCard,
  type OpenCard,
  type StoredUse,
} from './card.ts';
import type { CardKeys } from './pairs/open-card-keys.ts';
import { openEncryptedCard, peekEncryptedCard } from './pairs/open-encrypted-card.ts';
import type { CardRefusal } from './refusals.ts';
import type { CardTokenKey, LiveCardToken } from './tokens/card-tokens.sql.ts';
import { fieldsThatDiffer, nextUseOf, type VaultCard, vaultCardRecord } from './vault/vault-card.ts';
import type { VaultCardKey } from './vault/vault-cards.sql.ts';

export type OpenedCardSource = {
  readonly card: OpenCard;
  readonly trace: CardSummary;
  /** The card's fingerprints under every key still in use, the one in the summary first. */
  readonly fingerprints: readonly Fingerprint[];
  /** What this charge uses up; null: it is a stored card, which may be charged repeatedly. */
  readonly cardSource: CardSource | null;
  /** Earlier uses of a stored card; null: it is a token or an encrypted card. */
  readonly stored: StoredUse | null;
  /**
   * Our list of first digits says another brand than the merchant. Allowed with a warning, because lists age.
   */
  readonly isBrandDoubtful: boolean;
};

export type CardTools = {
  readonly keyring: Keyring;
  readonly cardKeys: CardKeys;
  readonly findCardToken: (key: CardTokenKey) => Promise<Looked<LiveCardToken>>;
  readonly findVaultCard: (key: VaultCardKey) => Promise<Looked<VaultCard>>;
  readonly takesBrand: (brand: CardBrand) => boolean;
};

type Inside = Pick<NamedCard, 'holderName' | 'securityCode' | 'expirationMonth' | 'expirationYear'>;
type Opened = { readonly number: string; readonly inside: Inside; readonly cardSource: CardSource };

const NOTHING_INSIDE: Inside = {
  holderName: null,
  securityCode: null,
  expirationMonth: null,
  expirationYear: null,
};

/**
 * Opens the card behind a token, encrypted card or stored card in memory, or returns every fault. `now`:
 * business time, for the expiry. Does not use up the card source: the intent's commit does.
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

/** Does the same as `openCardSource` for a request of which only a part may be readable. */
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

async function findTokenized(
  { findCardToken, keyring }: Pick<CardTools, 'findCardToken' | 'keyring'>,
  merchantId: string,
  numberToken: string,
): Promise<(Omit<LiveCardToken, 'number'> & { readonly number: string }) | null> {
  const hashed = tokenHash(numberToken);
  const { value: found } = await findCardToken({ merchantId, tokenHash: hashed });
  if (found === null) return null;
  const number = await openSealedNumber(keyring, cardTokenRecord(merchantId, hashed), found.number);
  // Altered: the alarm was raised, and the caller is refused as for any bad token.
  return number === null ? null : { ...found, number };
}

/** Tokens are stored as hashes, so that a reader of the table cannot pay with them. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', `numberToken${token}`, 'buffer');
}

type PeekTools = Pick<CardTools, 'cardKeys' | 'findCardToken' | 'keyring'>;

/**
 * Opens a repeated request's card, even from a used or expired carrier. null: none, or it no longer opens.
 */
export async function openCarriedCard(
  tools: PeekTools,
  merchantId: string,
  named: NamedCard,
): Promise<string | null> {
  const inside = await openCarrier(tools, merchantId, named);
  if (inside === null) return null;
  return comparableCard({
    number: inside.number,
    holderName: named.holderName ?? inside.holderName,
    expirationMonth: named.expirationMonth ?? inside.expirationMonth,
    expirationYear: named.expirationYear ?? inside.expirationYear,
  });
}

async function openCarrier(
  tools: PeekTools,
  merchantId: string,
  { numberToken, encryptedCard }: NamedCard,
): ReturnType<typeof peekEncryptedCard> {
  if (encryptedCard !== null) return peekEncryptedCard(tools.cardKeys, encryptedCard);
  const found = numberToken === null ? null : await findTokenized(tools, merchantId, numberToken);
  if (found === null) return null;
  return { number: found.number, holderName: null, expirationMonth: null, expirationYear: null };
}

/**
 * What the first request with a key records of its card, to compare repetitions with; null: a stored card.
 */
export function identifyCarriedCard(
  keyring: Pick<Keyring, 'fingerprints'>,
  request: KeyedRequest | null,
  { card, cardSource }: Pick<OpenedCardSource, 'card' | 'cardSource'>,
): KeyedRequest | null {
  return cardSource === null ? request : identifyCarried(keyring, request, comparableCard(card));
}

/**
 * null: the number was altered, and the alarm was raised. Throws `KeyAbsent` where its key is missing, so
 * that an existing card does not look unknown.
 */
async function openSealedNumber(
  keyring: Pick<Keyring, 'open' | 'hasKey'>,
  record: string,
  sealed: Sealed,
): Promise<string | null> {
  const opened = await keyring.open('card', record, sealed).catch((error: unknown) => {
    // This process does not have the key yet, and too many already ask the key store.
    if (error instanceof Overloaded) throw new KeyAbsent(sealed.dataKeyId, { cause: error });
    throw error;
  });
  if (opened !== null) return opened.toString('latin1');
  if (!keyring.hasKey(sealed.dataKeyId)) throw new KeyAbsent(sealed.dataKeyId);
  return null;
}

/**
 * Opens a stored card in memory, or returns every fault. `now`: business time, for the expiry. Another
 * merchant's card, an unknown one and a malformed id get the same answer. Throws `KeyAbsent` for an existing
 * card without its key.
 */
export async function openVaultCard(
  tools: Pick<CardTools, 'keyring' | 'findVaultCard' | 'takesBrand'>,
  merchantId: string,
  vaultId: string,
  named: NamedCard,
  now: Instant,
): Promise<OpenedCardSource | readonly CardRefusal[]> {
  if (!isUuid(vaultId)) return ['vaultIdUnknown'];
  const { value: stored } = await tools.findVaultCard({ merchantId, vaultId: vaultId.toLowerCase() });
  if (stored === null) return ['vaultIdUnknown'];
  const record = vaultCardRecord(merchantId, stored.vaultId);
  const number = await openSealedNumber(tools.keyring, record, stored.number);
  // Altered: the alarm was raised, and the caller is answered as for an unknown card.
  if (number === null) return ['vaultIdUnknown'];
  const { brand, holderName, expirationMonth, expirationYear } = stored;
  const whole = { brand, holderName, expirationMonth, expirationYear, securityCode: named.securityCode };
  const refusals = [...fieldsThatDiffer(named, stored), ...cardRefusals(number, whole, now)];
  if (refusals.length > 0) return refusals;
  if (!tools.takesBrand(brand)) return ['brandNotOffered'];
  const fingerprints = tools.keyring.fingerprints(number);
  // A doubtful brand was warned about when the card was stored.
  return {
    card: { number, ...whole },
    trace: cardSummaryOf(number, brand, fingerprints[0]),
    fingerprints,
    cardSource: null,
    stored: nextUseOf(stored),
    isBrandDoubtful: false,
  };
}
