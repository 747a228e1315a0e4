import { type Decision, strictest, type Verdict } from './anti-fraud.ts';

/** `address` and `device` are the buyer's. */
export const SUBJECTS = ['card', 'document', 'address', 'device', 'merchant'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Sliding windows that end now: 60 seconds, 60 minutes, 24 hours. */
export const WINDOWS = ['minute', 'hour', 'day'] as const;
export type Window = (typeof WINDOWS)[number];

/** Tries to pay, those that the issuer declined, and different cards among the tries. */
export const MEASURES = ['attempts', 'declines', 'cards'] as const;
export type Measure = (typeof MEASURES)[number];

/** Once `threshold` are on record within the window, the next sale gets the verdict. */
export type VelocityRule = {
  readonly subject: Subject;
  readonly window: Window;
  readonly measure: Measure;
  readonly threshold: number;
  readonly verdict: Exclude<Verdict, 'accept'>;
};

export type Counts = Readonly<Record<Window, Readonly<Record<Measure, number>>>>;

/**
 * The newest events of a subject (of each of its fingerprints) that are read. Bounds the cost of a
 * sale; so it is also the highest threshold. For a merchant with more sales than these in a window
 * the counts are of the newest ones: shares, in effect.
 */
export const MOST_ATTEMPTS_COUNTED = 500;

/**
 * Production's rules unless the operator sets others. A card: what networks fine, and no buyer does
 * (Mastercard counts seven tries after a decline in a day). A buyer and a device: many cards are a
 * tester's. An address may be a telephone company's, with thousands behind it: it is rejected for a
 * burst of declines only. A whole merchant is never rejected, for then a tester of cards could
 * close the shop; half of 500 declined is over twice what networks take for an attack.
 */
export const PRODUCTION_RULES =
  'card/hour/attempts/10=reject card/day/declines/8=reject ' +
  'document/hour/attempts/20=review document/hour/cards/4=review document/day/cards/8=reject ' +
  'device/hour/cards/4=review device/day/cards/8=reject ' +
  'address/hour/cards/20=review address/minute/declines/20=reject ' +
  'merchant/minute/declines/100=review merchant/hour/declines/250=review';

/**
 * Counts of one subject under two of its fingerprints, which have no event in common. A card that
 * was tried before and after a rotation of keys has two fingerprints, and counts as two cards for a
 * day: rather too many than none.
 */
export function addCounts(one: Counts, other: Counts): Counts {
  const sumOf = (window: Window) => ({
    attempts: one[window].attempts + other[window].attempts,
    declines: one[window].declines + other[window].declines,
    cards: one[window].cards + other[window].cards,
  });
  return { minute: sumOf('minute'), hour: sumOf('hour'), day: sumOf('day') };
}

/** The counts as they were before this try, when it is on record already. */
export function withoutOneTry(counts: Counts): Counts {
  const before = ({ attempts, ...others }: Counts[Window]) => ({
    ...others,
    attempts: Math.max(0, attempts - 1),
  });
  return { minute: before(counts.minute), hour: before(counts.hour), day: before(counts.day) };
}

/** `card/hour/attempts`: the name of a rule among the reasons. */
export function ruleName({ subject, window, measure }: VelocityRule): string {
  return `${subject}/${window}/${measure}`;
}

const RULE = /^(\w+)\/(\w+)\/(\w+)\/(\d{1,3})=(\w+)$/;

/**
 * Rules as an operator writes them, separated by blanks:
 * `subject/window/measure/threshold=verdict`. Returns the faulty parts when there are any. A rule
 * named twice with different verdicts is a review and, higher up, a reject.
 */
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

/** Whether any rule counts a merchant's different cards: this count is the most expensive one. */
export function countsMerchantsCards(rules: readonly VelocityRule[]): boolean {
  return rules.some(({ subject, measure }) => subject === 'merchant' && measure === 'cards');
}

/**
 * The verdict of the rules that the counts reach. An absent subject has no counts and breaks no
 * rule.
 */
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
