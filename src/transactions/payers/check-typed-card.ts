import type { NamedCard } from '../../cards/card.ts';
import { type CardTools, openCardSource } from '../../cards/open-card-source.ts';
import type { Instant } from '../../values/instant.ts';
import { refusalWords } from './refusal-words.ts';

/**
 * Why no acquirer is asked about a card that a stranger typed: then no try is used up. Strangers need the
 * code. Null: nothing is against it. `now`: business time.
 */
export async function checkTypedCard(
  tools: CardTools,
  merchantId: string,
  card: NamedCard,
  now: Instant,
): Promise<string | null> {
  const opened = await openCardSource(tools, merchantId, card, now);
  if (!('card' in opened)) return refusalWords(opened);
  return opened.card.securityCode === null ? refusalWords(['securityCodeLength']) : null;
}
