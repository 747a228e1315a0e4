import type { Counts } from './velocity.ts';

/** `stop`: refuses. `observe`: lets go and raises the alarm. */
export const CARD_TESTING_MODES = ['stop', 'observe', 'off'] as const;
export type CardTestingMode = (typeof CARD_TESTING_MODES)[number];

/**
 * `cards`: many cards at one merchant, nearly all of them declined. `codes`: one card beyond a rule
 * of its tries.
 */
export type CardTesting = 'cards' | 'codes';

/**
 * The recorded reason of a sale or verification that was refused for the tries of a whole merchant.
 */
export const ENUMERATION_REASON = 'merchant/hour/enumeration';

/**
 * Within an hour, of the newest tries: so many declines, such a share of them, of so many different
 * cards. A good shop has one or two declines in ten; an attack nine in ten, and a card is never
 * tried often.
 */
const LEAST_DECLINES = 60;
const LEAST_SHARE = 0.75;
const LEAST_CARDS = 30;

type Tries = Counts['hour'];

/** Whether a merchant has enough declines to count their different cards, which costs more. */
export function isSuspicious({ attempts, declines }: Pick<Tries, 'attempts' | 'declines'>): boolean {
  return declines >= LEAST_DECLINES && declines >= LEAST_SHARE * attempts;
}

export function isEnumeration(hour: Tries): boolean {
  return isSuspicious(hour) && hour.cards >= LEAST_CARDS;
}

/** Whether the reasons of a reject are those of one card that was tried too often. */
export function areOfOneCard(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason.startsWith('card/'));
}
