import type { NamedCard } from '../../cards/card.ts';
import { type CardTools, type OpenedCardSource, openCardSource } from '../../cards/open-card-source.ts';
import type { Instant } from '../../values/instant.ts';
import { refusalWords } from './refusal-words.ts';

/** What a page sends of a card that was typed on it. */
export type TypedCard = Pick<NamedCard, 'brand'> & { readonly encryptedCard: string };

/** All but the brand is inside the encrypted card. */
export function namedCard({ encryptedCard, brand }: TypedCard): NamedCard {
  return {
    encryptedCard,
    brand,
    numberToken: null,
    vaultId: null,
    holderName: null,
    securityCode: null,
    expirationMonth: null,
    expirationYear: null,
  };
}

/**
 * Opens a card that a stranger typed. If it is refused before any acquirer is asked, so that no try is used
 * up, returns the words for the stranger. A stranger must type the security code. `now`: business time.
 */
export async function openTypedCard(
  tools: CardTools,
  merchantId: string,
  card: TypedCard,
  now: Instant,
): Promise<OpenedCardSource | { readonly words: string }> {
  const opened = await openCardSource(tools, merchantId, namedCard(card), now);
  if (!('card' in opened)) return { words: refusalWords(opened) };
  return opened.card.securityCode === null ? { words: refusalWords(['securityCodeLength']) } : opened;
}
