import type { Brand, Decline } from './decline-codes.ts';
import cards from './trigger-cards.json' with { type: 'json' };

export type TriggerCard = {
  readonly name: string;
  readonly number: string;
  readonly brand: Brand;
  readonly declines: 'first' | 'afterApprovals' | 'always';
  /** How many declines come first, or how many approvals it takes; nothing for `always`. */
  readonly times: number;
  readonly responseCode: string;
  readonly adviceCode: string | null;
};

/** What is booked for a card at one merchant, undone charges too. */
export type CardCount = { approved: number; declined: number };

export const TRIGGER_CARDS = cards as readonly TriggerCard[];

const BY_NUMBER = new Map(TRIGGER_CARDS.map((card) => [card.number, card]));
const NOTHING_BOOKED: CardCount = { approved: 0, declined: 0 };

export function triggerCardOf(number: string): TriggerCard | null {
  return BY_NUMBER.get(number) ?? null;
}

/** The card's answer to its next charge at a merchant; null approves. */
export function declineOfCard(card: TriggerCard, count: CardCount = NOTHING_BOOKED): Decline | null {
  const { responseCode, adviceCode } = card;
  return isDeclined(card, count) ? { responseCode, adviceCode } : null;
}

/**
 * The card's answer to a check without money. A card that only lacks funds is a good card, and a
 * check uses up none of its declines.
 */
export function declineOfCheckedCard(card: TriggerCard, count: CardCount = NOTHING_BOOKED): Decline | null {
  return card.declines === 'first' ? null : declineOfCard(card, count);
}

function isDeclined(card: TriggerCard, count: CardCount): boolean {
  switch (card.declines) {
    case 'first':
      return count.declined < card.times;
    case 'afterApprovals':
      return count.approved >= card.times;
    case 'always':
      return true;
  }
}
