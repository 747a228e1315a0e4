import type { Counts } from './velocity.ts';

/** `stop` refuses the try and raises the alarm, `observe` raises it alone. */
export const CARD_TESTING_MODES = ['stop', 'observe', 'off'] as const;
export type CardTestingMode = (typeof CARD_TESTING_MODES)[number];

/** `cards`: many new cards at one merchant, most of them declined. `codes`: one card that exceeds a rule. */
export type CardTesting = 'cards' | 'codes';

/** The recorded reason if a sale or verification is refused because of card testing at the whole merchant. */
export const ENUMERATION_REASON = 'merchant/hour/enumeration';

/** Of sales only those with a new card count: nobody can guess a stored one. */
export const TESTED_KINDS = ['verification', 'sale'] as const;
export type TestedKind = (typeof TESTED_KINDS)[number];

/**
 * Counts different cards among the newest tries of one kind: of the last hour, and (`usual`) of the 23 hours
 * before it. `failed`: all tries of the card were declined, at least one because of the card. Cards with
 * technical declines only are not counted.
 */
export type TestedCards = {
  readonly cards: number;
  readonly failed: number;
  readonly usualCards: number;
  readonly usualFailed: number;
};

export type TestedByKind = Readonly<Record<TestedKind, TestedCards>>;

/**
 * So many failed cards of an hour at least. Of verifications fewer are enough: nobody has twenty bad cards
 * of their own to store.
 */
const LEAST_FAILED: Readonly<Record<TestedKind, number>> = { verification: 20, sale: 40 };
/** With fewer cards in the day, the merchant's usual share is not known. */
const LEAST_USUAL_CARDS = 100;
/** The failed share of different cards. Good shops have 10 to 20 %, bought lists of cards about 75 %. */
const SHARES = { leastKnown: 0.3, unknown: 0.5, most: 0.6 } as const;
const TIMES_USUAL = 2;

/** Whether there are enough declines to count the cards, which costs more. */
export function isSuspicious({ declines }: Pick<Counts['hour'], 'declines'>): boolean {
  return declines >= Math.min(...Object.values(LEAST_FAILED));
}

/**
 * Whether a try of this kind is stopped. The other kind counts too, but only from as many failed cards as
 * stop sales: some bad verifications must not close a shop.
 */
export function isEnumeration(kind: TestedKind, tested: TestedByKind): boolean {
  return TESTED_KINDS.some((each) => {
    const least = each === kind ? LEAST_FAILED[kind] : LEAST_FAILED.sale;
    const { cards, failed } = tested[each];
    return failed >= least && failed >= leastShare(tested[each]) * cards;
  });
}

function leastShare({ usualCards, usualFailed }: TestedCards): number {
  if (usualCards < LEAST_USUAL_CARDS) return SHARES.unknown;
  const suspicious = (TIMES_USUAL * usualFailed) / usualCards;
  return Math.min(SHARES.most, Math.max(SHARES.leastKnown, suspicious));
}

/** Whether one card that was tried too often caused the reject. */
export function areOfOneCard(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason.startsWith('card/'));
}
