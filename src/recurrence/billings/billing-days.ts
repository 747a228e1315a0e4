import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { BillingState } from './billing.ts';

/** The billings of one state that are due on a day. */
export type BillingSum = {
  readonly day: Day;
  readonly state: BillingState;
  readonly count: number;
  readonly amount: Cents;
};

/** Sums of days. */
export type BillingDays = {
  readonly sums: readonly BillingSum[];
  /** The first day that is not in them, or not whole, because there are too many; null: all are. */
  readonly goesOnAt: Day | null;
};

/**
 * Of each state so many were read, in the order of days: a day on which that ended is left for the next
 * reading with all that follows, unless it is the first.
 */
export function wholeDays(sums: readonly BillingSum[], mostOfState: number): BillingDays {
  const ends = [...Map.groupBy(sums, ({ state }) => state).values()].flatMap((ofState) => {
    const read = ofState.reduce((sum, { count }) => sum + count, 0);
    const last = ofState
      .map(({ day }) => day)
      .sort()
      .at(-1);
    return read < mostOfState || last === undefined ? [] : [last];
  });
  const [goesOnAt = null] = ends.sort();
  if (goesOnAt === null) return { sums, goesOnAt };
  const whole = sums.filter(({ day }) => day < goesOnAt);
  return { sums: whole.length === 0 ? sums.filter(({ day }) => day === goesOnAt) : whole, goesOnAt };
}
