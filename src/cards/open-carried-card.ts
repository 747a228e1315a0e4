import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { identifyCarried } from '../idempotency/identify-request.ts';
import type { Keyring } from '../keys/open-keyring.ts';
import { comparableCard, type NamedCard } from './card.ts';
import { type CardTools, findTokenized, type OpenedCardSource } from './open-card-source.ts';
import { peekEncryptedCard } from './pairs/open-encrypted-card.ts';

type PeekTools = Pick<CardTools, 'cardKeys' | 'findCardToken' | 'keyring'>;

/**
 * The card that a repeated request carries, as a text to be compared: also of a carrier that is used
 * up or too old. Null: there is none, or it cannot be opened any more.
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

/** What is recorded of the first request: the card too, unless it is a stored one. */
export function identifyCarriedCard(
  keyring: Pick<Keyring, 'fingerprints'>,
  request: KeyedRequest | null,
  { card, cardSource }: Pick<OpenedCardSource, 'card' | 'cardSource'>,
): KeyedRequest | null {
  return cardSource === null ? request : identifyCarried(keyring, request, comparableCard(card));
}
