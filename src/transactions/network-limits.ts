import { readDecline } from '../acquirers/issuer-code.ts';
import type { CardBrand } from '../values/card-number.ts';

/** Declines of one card at one merchant over the last 30 days, counted by answer. */
export type DeclineCount = {
  readonly responseCode: string;
  readonly adviceCode: string | null;
  /** Of the amount that is asked for now. */
  readonly isSameAmount: boolean;
  readonly inLastDay: number;
  readonly inLastThirtyDays: number;
};

/** Why another try would be fined or forbidden by the network. */
export type NetworkRefusal = 'neverAgain' | 'tooManyTries';

type Limit = {
  readonly inLastDay: number;
  readonly inLastThirtyDays: number;
  /** Whether declines of other amounts count. */
  readonly countsAllAmounts: boolean;
};

/**
 * Tries that a network takes without a fine, of one card at one merchant (Visa since May 2025, Mastercard's excessive
 * attempts since 2023, Elo's yearly notice): the next one is the one that costs. Amex and Hipercard name no number.
 */
const NETWORK_LIMITS = {
  visa: { inLastDay: Number.POSITIVE_INFINITY, inLastThirtyDays: 20, countsAllAmounts: false },
  mastercard: { inLastDay: 7, inLastThirtyDays: 35, countsAllAmounts: true },
  elo: { inLastDay: Number.POSITIVE_INFINITY, inLastThirtyDays: 15, countsAllAmounts: false },
  amex: null,
  hipercard: null,
} as const satisfies Record<CardBrand, Limit | null>;

/**
 * Whether a network would punish one more try of this card; null when it may be made. A canceled card is refused for
 * every amount, any other final no only for the amount that it was said to: "invalid amount" speaks of that amount alone.
 */
export function networkRefusal(brand: CardBrand, declines: readonly DeclineCount[]): NetworkRefusal | null {
  for (const { responseCode, adviceCode, isSameAmount, inLastThirtyDays } of declines) {
    const { declineClass, isRetryable } = readDecline(brand, responseCode, adviceCode);
    const isFinal = !isRetryable && (isSameAmount || declineClass === 'blocked');
    if (isFinal && inLastThirtyDays > 0) return 'neverAgain';
  }
  const limit: Limit | null = NETWORK_LIMITS[brand];
  if (limit === null) return null;
  const counted = declines.filter(({ isSameAmount }) => isSameAmount || limit.countsAllAmounts);
  const sum = (count: (decline: DeclineCount) => number) =>
    counted.reduce((total, decline) => total + count(decline), 0);
  const isOver =
    sum(({ inLastDay }) => inLastDay) >= limit.inLastDay ||
    sum(({ inLastThirtyDays }) => inLastThirtyDays) >= limit.inLastThirtyDays;
  return isOver ? 'tooManyTries' : null;
}
