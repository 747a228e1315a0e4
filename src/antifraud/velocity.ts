import { type Decision, strictest, type Verdict } from './anti-fraud.ts';

/** Whose tries are counted. `address` and `device`: the buyer's IP address and device. */
export const SUBJECTS = ['card', 'document', 'address', 'device', 'merchant'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Sliding windows that end now: 60 seconds, 60 minutes, 24 hours. */
export const WINDOWS = ['minute', 'hour', 'day'] as const;
export type Window = (typeof WINDOWS)[number];

/** `declines`: tries that the issuer declined. `cards`: different cards among the tries. */
export const MEASURES = ['attempts', 'declines', 'cards'] as const;
export type Measure = (typeof MEASURES)[number];

/** With `threshold` or more on record in the window, the next sale gets the verdict. */
export type VelocityRule = {
  readonly subject: Subject;
  readonly window: Window;
  readonly measure: Measure;
  readonly threshold: number;
  readonly verdict: Exclude<Verdict, 'accept'>;
};

export type Counts = Readonly<Record<Window, Readonly<Record<Measure, number>>>>;

/**
 * The newest events that are read of each fingerprint, which bounds the cost of a sale. Also a rule's highest
 * threshold. Where a window has more events, a threshold is a share: 250 is half of the newest 500.
 */
export const MOST_ATTEMPTS_COUNTED = 500;

/**
 * Production's rules unless the operator sets others. Card: tries that networks fine and no buyer makes
 * (Mastercard counts seven tries after a decline in a day). Buyer and device: many cards are a card tester's.
 * Address: it may be a telephone company's with thousands of buyers behind it, so only a burst of declines is
 * rejected. Merchant: never rejected, because a card tester could then close the shop; half of 500 declined
 * is more than twice what networks take for an attack.
 */
export const PRODUCTION_RULES =
  'card/hour/attempts/10=reject card/day/declines/8=reject ' +
  'document/hour/attempts/20=review document/hour/cards/4=review document/day/cards/8=reject ' +
  'device/hour/cards/4=review device/day/cards/8=reject ' +
  'address/hour/cards/20=review address/minute/declines/20=reject ' +
  'merchant/minute/declines/100=review merchant/hour/declines/250=review';

/**
 * Adds what was counted under two fingerprints of one subject, which must have no event in common. A card
 * that was tried before and after a key rotation counts as two cards.
 */
export function addCounts(one: Counts, other: Counts): Counts {
  const sumOf = (window: Window) => ({
    attempts: one[window].attempts + other[window].attempts,
    declines: one[window].declines + other[window].declines,
    cards: one[window].cards + other[window].cards,
  });
  return { minute: sumOf('minute'), hour: sumOf('hour'), day: sumOf('day') };
}

/** The counts without the try that is being decided, which is on record already. */
export function withoutOneTry(counts: Counts): Counts {
  const before = ({ attempts, ...others }: Counts[Window]) => ({
    ...others,
    attempts: Math.max(0, attempts - 1),
  });
  return { minute: before(counts.minute), hour: before(counts.hour), day: before(counts.day) };
}

/** For example `card/hour/attempts`. */
export function ruleName({ subject, window, measure }: VelocityRule): string {
  return `${subject}/${window}/${measure}`;
}

const RULE = /^(\w+)\/(\w+)\/(\w+)\/(\d{1,3})=(\w+)$/;

/** Reads rules `subject/window/measure/threshold=verdict` separated by blanks, or returns the faulty ones. */
export function readVelocityRules(
  text: string,
): { readonly rules: readonly VelocityRule[] } | { readonly faulty: readonly string[] } {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const rules = parts.map(readRule);
  const faulty = parts.filter((_, index) => rules[index] === null);
  return faulty.length > 0 ? { faulty } : { rules: rules.filter((rule) => rule !== null) };
}

function readRule(text: string): VelocityRule | null {
  const [, subject, window, measure, digits, verdict] = RULE.exec(text) ?? [];
  const threshold = Number(digits);
  const isKnown =
    SUBJECTS.includes(subject as Subject) &&
    WINDOWS.includes(window as Window) &&
    MEASURES.includes(measure as Measure) &&
    (verdict === 'review' || verdict === 'reject');
  if (!isKnown || threshold < 1 || threshold > MOST_ATTEMPTS_COUNTED) return null;
  return { subject, window, measure, threshold, verdict } as VelocityRule;
}

/** True if a rule needs the most expensive count, that of a merchant's different cards. */
export function countsMerchantsCards(rules: readonly VelocityRule[]): boolean {
  return rules.some(({ subject, measure }) => subject === 'merchant' && measure === 'cards');
}

/** A subject that the sale does not have (such as no device) has no counts and breaks no rule. */
export function velocityDecision(
  rules: readonly VelocityRule[],
  countsOf: Readonly<Partial<Record<Subject, Counts>>>,
): Decision {
  const reached = rules.filter(({ subject, window, measure, threshold }) => {
    const counts = countsOf[subject];
    return counts !== undefined && counts[window][measure] >= threshold;
  });
  return {
    verdict: strictest(reached.map(({ verdict }) => verdict)),
    reasons: [...new Set(reached.map(ruleName))],
  };
}
