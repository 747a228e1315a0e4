import { addDays, type Day } from '../../values/instant.ts';

/**
 * Days from a failure to the retry that follows it: the first, the second and so on. Due on the
 * 1st: 3rd, 5th, 9th, 17th.
 */
const RETRY_PAUSES_DAYS: readonly number[] = [2, 2, 4, 8];

/** The most retries that a plan can allow. */
export const MAX_RETRIES = RETRY_PAUSES_DAYS.length;

/**
 * The pauses as descriptions list them, and the numbers of the charges that are retries: the first
 * charge is 1.
 */
export const RETRY_PAUSES_TEXT = `${RETRY_PAUSES_DAYS.slice(0, -1).join(', ')} and ${RETRY_PAUSES_DAYS.at(-1)}`;
export const RETRY_NUMBERS_TEXT = `2 to ${MAX_RETRIES + 1}`;

/** A charge on schedule that failed for a lack of funds. */
export type FailedCharge = {
  /** From 1. */
  readonly attemptNumber: number;
  /** How many retries its plan allows. */
  readonly maxRetries: number;
  /**
   * The day on which it was to be made, and the one (in São Paulo) on which it was begun: later
   * after downtime.
   */
  readonly scheduledOn: Day;
  readonly chargedOn: Day;
  /** The first day that the issuer's advice allows; null: it gave none. */
  readonly earliestRetryOn: Day | null;
};

/** The day of the next charge; `isAdvised`: later than the schedule, as the issuer advised. */
export type Retry = { readonly retryOn: Day; readonly isAdvised: boolean };

/**
 * The retry after a lack of funds; null: none is left. Counted from the scheduled day, so that a
 * charge that ran late on that day does not move the rest; after downtime from the day on which it
 * was made. A RangeError when that day leaves the calendar.
 */
export function retryAfterFailure(failed: FailedCharge): Retry | null {
  const { attemptNumber, maxRetries, scheduledOn, chargedOn, earliestRetryOn } = failed;
  const isLate = chargedOn > scheduledOn;
  const retryOn = nextRetryOn(isLate ? chargedOn : scheduledOn, attemptNumber - 1, maxRetries);
  if (retryOn === null) return null;
  const isAdvised = earliestRetryOn !== null && earliestRetryOn > retryOn;
  return isAdvised ? { retryOn: earliestRetryOn, isAdvised } : { retryOn, isAdvised };
}

/**
 * Every day on which a billing may be charged again, if each charge before fails for a lack of
 * funds.
 */
export function possibleRetryDays(dueOn: Day, maxRetries: number): Day[] {
  const days: Day[] = [];
  for (
    let day = nextRetryOn(dueOn, 0, maxRetries);
    day !== null;
    day = nextRetryOn(day, days.length, maxRetries)
  )
    days.push(day);
  return days;
}

function nextRetryOn(failedOn: Day, retriesMade: number, maxRetries: number): Day | null {
  const pause = retriesMade < maxRetries ? RETRY_PAUSES_DAYS[retriesMade] : undefined;
  return pause === undefined ? null : addDays(failedOn, pause);
}
