import type { Counts } from './velocity.ts';

/** `stop`: refuses. `observe`: lets go and raises the alarm. */
export const CARD_TESTING_MODES = ['stop', 'observe', 'off'] as const;
export type CardTestingMode = (typeof CARD_TESTING_MODES)[number];

/**
 * `cards`: many new cards at one merchant, most of them declined. `codes`: one card beyond a rule
 * of its tries.
 */
export type CardTesting = 'cards' | 'codes';

/**
 * The recorded reason of a sale or verification that was refused for the tries of a whole merchant.
 */
export const ENUMERATION_REASON = 'merchant/hour/enumeration';

/** Tries of new cards; those with stored cards, which nobody can guess, are neither. */
export const TESTED_KINDS = ['verification', 'sale'] as const;
export type TestedKind = (typeof TESTED_KINDS)[number];

/**
 * Different cards of the newest tries of one kind within the last hour, and before it within the day.
 * `failed`: all tries of the card were declined, one of them for the card. A card of which only
 * declines are known that do not tell of it is in no count.
 */
export type TestedCards = {
  readonly cards: number;
  readonly failed: number;
  readonly usualCards: number;
  readonly usualFailed: number;
};

export type TestedByKind = Readonly<Record<TestedKind, TestedCards>>;

/** Fewer do not tell. A verification sells nothing: nobody has twenty bad cards of his own to store. */
const LEAST_FAILED: Readonly<Record<TestedKind, number>> = { verification: 20, sale: 40 };
/** Less of the day does not say what is usual at a merchant. */
const LEAST_USUAL_CARDS = 100;
/**
 * Of the different cards, so many failed: a good shop has one or two in ten, and after an hour or two it is
 * known how many are usual. Of a bought list three quarters fail, whatever stands among them.
 */
const SHARES = { leastKnown: 0.3, unknown: 0.5, most: 0.6 } as const;
const TIMES_USUAL = 2;

/** Whether sales of a merchant have enough declines to look at their cards, which costs more. */
export function isSuspicious({ declines }: Pick<Counts['hour'], 'declines'>): boolean {
  return declines >= Math.min(...Object.values(LEAST_FAILED));
}

/**
 * Whether tries of a kind are stopped: by a test among themselves, or by one of the other kind that
 * would stop sales. A few bad verifications must not close the shop.
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

/** Whether the reasons of a reject are those of one card that was tried too often. */
export function areOfOneCard(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason.startsWith('card/'));
}
