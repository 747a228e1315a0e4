import { readDecline } from '../../../providers/acquirers/issuer-code.ts';
import type { CardBrand } from '../../../values/card-number.ts';
import { type Cents, cents } from '../../../values/cents.ts';
import { type Instant, instant } from '../../../values/instant.ts';

export type PastDecline = {
  /** The brand that the sale named; the response code is of this brand. */
  readonly brand: CardBrand;
  readonly responseCode: string;
  readonly adviceCode: string | null;
  readonly amount: Cents;
  /** Business time. */
  readonly soldAt: Instant;
};

/** `neverAgain`: the issuer declined it for good. `tooManyTries`: the network's limit is reached. */
export type LimitCause = 'neverAgain' | 'tooManyTries';

export type NetworkRefusal = {
  readonly cause: LimitCause;
  /** Business time when the limit ends; null: another card or another amount is needed. */
  readonly mayRetryAt: Instant | null;
};

/** `observe`: charges go through, and those that `enforce` would refuse are counted. */
export const LIMIT_MODES = ['enforce', 'observe', 'off'] as const;
export type LimitMode = (typeof LIMIT_MODES)[number];

const DAY_MILLISECONDS = 24 * 60 * 60 * 1_000;
/** The longest time for which a network counts tries of a card. */
export const LONGEST_WINDOW_MILLISECONDS = 30 * DAY_MILLISECONDS;

/** After so many declines within the window the next try is fined. */
type Limit = { readonly declines: number; readonly windowMilliseconds: number };

type BrandLimits = {
  readonly limits: readonly Limit[];
  /** Declines of other amounts count too. */
  readonly countsAllAmounts: boolean;
};

const inThirtyDays = (declines: number) => ({ declines, windowMilliseconds: LONGEST_WINDOW_MILLISECONDS });
const inADay = (declines: number) => ({ declines, windowMilliseconds: DAY_MILLISECONDS });

/**
 * Tries of one card at one merchant without a fine: Visa since May 2025, Mastercard's excessive attempts
 * since 2023, Elo's yearly notice. Amex and Hipercard name no limit.
 */
export const NETWORK_LIMITS: Readonly<Record<CardBrand, BrandLimits>> = {
  visa: { limits: [inThirtyDays(20)], countsAllAmounts: false },
  mastercard: { limits: [inADay(7), inThirtyDays(35)], countsAllAmounts: true },
  elo: { limits: [inThirtyDays(15)], countsAllAmounts: false },
  amex: { limits: [], countsAllAmounts: false },
  hipercard: { limits: [], countsAllAmounts: false },
};

/**
 * Response codes that say that no card has this number, so that no other amount helps. Amex's 122 (also a
 * wrong security code) is in `MISTYPED`.
 */
const NUMBER_UNKNOWN: Readonly<Record<CardBrand, readonly string[]>> = {
  visa: ['14', '15'],
  mastercard: ['01', '14', '15'],
  elo: ['14', '56'],
  amex: [],
  hipercard: ['01', '14', '15'],
};

/**
 * Response codes that are final for the typed data (expiry, security code, the holder's data). With other
 * data a try is another request: Visa's category 3, Mastercard's advice 01, Elo's count by expiry. Whether
 * the data changed is unknown, because security codes are never stored.
 */
const MISTYPED: Readonly<Record<CardBrand, readonly string[]>> = {
  visa: ['1A', '54', '6P', '70', '82', 'N7'],
  mastercard: ['54'],
  elo: ['54', '63'],
  amex: ['101', '122'],
  hipercard: ['54'],
};
const NEW_DATA_ADVICE = '01';
/** A buyer corrects a typing error once or twice. More tries come from a program in a loop, or guesses. */
const MOST_MISTYPED = 3;

/** What a decline forbids: the card, its amount, its amount with the same typed data, or nothing. */
type Reach = 'card' | 'amount' | 'mistyped' | 'nothing';

function reachOf({ brand, responseCode, adviceCode }: PastDecline): Reach {
  const { declineClass, isRetryable } = readDecline(brand, responseCode, adviceCode);
  if (isRetryable) return 'nothing';
  if (declineClass === 'blocked' || NUMBER_UNKNOWN[brand].includes(responseCode)) return 'card';
  if (adviceCode === NEW_DATA_ADVICE) return 'mistyped';
  return MISTYPED[brand].includes(responseCode) ? 'mistyped' : 'amount';
}

/**
 * Null if the network would not punish one more try. `now` is business time; declines before every window do
 * not count. A canceled card is refused for every amount, another final decline only for its own: "invalid
 * amount" concerns that amount alone.
 */
export function networkRefusal(
  brand: CardBrand,
  amount: Cents,
  now: Instant,
  declines: readonly PastDecline[],
): NetworkRefusal | null {
  const recent = declines.filter(({ soldAt }) => now - soldAt < LONGEST_WINDOW_MILLISECONDS);
  if (isForbidden(amount, recent)) return { cause: 'neverAgain', mayRetryAt: null };
  const { limits, countsAllAmounts } = NETWORK_LIMITS[brand];
  const counted = recent
    .filter((decline) => countsAllAmounts || decline.amount === amount)
    .map(({ soldAt }) => soldAt)
    .sort((one, other) => other - one);
  const ends = limits.map((limit) => endOf(limit, counted)).filter((end) => end > now);
  return ends.length === 0 ? null : { cause: 'tooManyTries', mayRetryAt: instant(Math.max(...ends)) };
}

function isForbidden(amount: Cents, declines: readonly PastDecline[]): boolean {
  let mistyped = 0;
  for (const decline of declines) {
    const reach = reachOf(decline);
    if (reach === 'card' || (reach === 'amount' && decline.amount === amount)) return true;
    if (reach === 'mistyped' && decline.amount === amount) mistyped += 1;
  }
  return mistyped >= MOST_MISTYPED;
}

/**
 * Declines of any age count: a canceled card's for every amount, another final one for its own. A failure of
 * the acquirer says nothing about the card.
 */
export function hasSaidNeverAgain(amount: Cents, declines: readonly PastDecline[]): boolean {
  return declines.some((decline) => {
    const { brand, responseCode, adviceCode } = decline;
    const reach = reachOf(decline);
    if (reach === 'card') return true;
    const { declineClass } = readDecline(brand, responseCode, adviceCode);
    return reach === 'amount' && declineClass === 'denied' && decline.amount === amount;
  });
}

/**
 * When the limit ends: when the oldest of the last `declines` leaves the window. Minus infinity: the limit is
 * not reached.
 */
function endOf({ declines, windowMilliseconds }: Limit, newestFirst: readonly Instant[]): number {
  const decisive = newestFirst[declines - 1];
  return decisive === undefined ? Number.NEGATIVE_INFINITY : decisive + windowMilliseconds;
}

/**
 * The first digits of homologation's trial cards: a hundred numbers a brand, so that one that is used up for
 * thirty days can be followed by the next. Any other card may be declined there any number of times.
 */
export const TRIAL_CARDS = {
  visa: '4000059000000',
  mastercard: '5200059000000',
  elo: '6363689000000',
} as const satisfies Partial<Record<CardBrand, string>>;

export function isTrialCard(number: string): boolean {
  return Object.values(TRIAL_CARDS).some((digits) => number.startsWith(digits));
}

/** A network's fee for a try, in cents of reais and of dollars, before taxes. */
export type NetworkFee = { readonly reais: Cents; readonly dollars: Cents };

const NO_FEE: NetworkFee = { reais: cents(0), dollars: cents(0) };
const VISA_FEE: NetworkFee = { reais: cents(0), dollars: cents(10) };

/** Visa's category 1, "never approve": the fee begins with the second try. */
const VISA_NEVER = ['04', '07', '12', '14', '15', '41', '43', '46', '57', 'R0', 'R1', 'R3'];
/** Mastercard's advice codes "do not try again" and "the holder has stopped it": each try is charged. */
const MASTERCARD_NEVER = ['03', '21'];
const MASTERCARD_NEVER_FEE: NetworkFee = { reais: cents(250), dollars: cents(0) };

/** The fee for each try beyond `NETWORK_LIMITS`, with domestic cards. Null: the network names no limit. */
export const FEES_BEYOND_LIMIT: Readonly<Record<CardBrand, NetworkFee | null>> = {
  visa: VISA_FEE,
  mastercard: { reais: cents(200), dollars: cents(0) },
  elo: { reais: cents(80), dollars: cents(0) },
  amex: null,
  hipercard: null,
};

/** The fee for one more try of a declined card, even if there were few before. */
export function feeOfRetry(brand: CardBrand, responseCode: string, adviceCode: string | null): NetworkFee {
  if (brand === 'visa' && VISA_NEVER.includes(responseCode)) return VISA_FEE;
  if (brand === 'mastercard' && adviceCode !== null && MASTERCARD_NEVER.includes(adviceCode))
    return MASTERCARD_NEVER_FEE;
  return NO_FEE;
}

export function addFees(sum: NetworkFee, fee: NetworkFee, tries: number): NetworkFee {
  return {
    reais: cents(sum.reais + fee.reais * tries),
    dollars: cents(sum.dollars + fee.dollars * tries),
  };
}
