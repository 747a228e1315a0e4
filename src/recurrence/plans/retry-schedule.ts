import { addDays, type Day } from '../../values/instant.ts';

/** Days from each failure to the next retry. Due on the 1st: 3rd, 5th, 9th, 17th. */
const RETRY_PAUSES_DAYS: readonly number[] = [2, 2, 4, 8];

export const MAX_RETRIES = RETRY_PAUSES_DAYS.length;

/** For descriptions. The first charge is number 1. */
export const RETRY_PAUSES_TEXT = `${RETRY_PAUSES_DAYS.slice(0, -1).join(', ')} and ${RETRY_PAUSES_DAYS.at(-1)}`;
export const RETRY_NUMBERS_TEXT = `2 to ${MAX_RETRIES + 1}`;

/** A charge that failed for a lack of funds. */
export type FailedCharge = {
  readonly attemptNumber: number;
  readonly maxRetries: number;
  /** `scheduledOn`: the charge's day. `chargedOn`: when it began (in São Paulo); later after downtime. */
  readonly scheduledOn: Day;
  readonly chargedOn: Day;
  /** By the issuer's advice; null: none. */
  readonly earliestRetryOn: Day | null;
};

/** `isAdvised`: later than the schedule, by the issuer's advice. */
export type Retry = { readonly retryOn: Day; readonly isAdvised: boolean };

/**
 * The next retry, counted from the scheduled day, or after downtime from the day of the charge. null: none is
 * left. Throws RangeError beyond the calendar.
 */
export function retryAfterFailure(failed: FailedCharge): Retry | null {
  const { attemptNumber, maxRetries, scheduledOn, chargedOn, earliestRetryOn } = failed;
  const isLate = chargedOn > scheduledOn;
  const retryOn = nextRetryOn(isLate ? chargedOn : scheduledOn, attemptNumber - 1, maxRetries);
  if (retryOn === null) return null;
  const isAdvised = earliestRetryOn !== null && earliestRetryOn > retryOn;
  return isAdvised ? { retryOn: earliestRetryOn, isAdvised } : { retryOn, isAdvised };
}

/** The days of all retries, if every charge fails for a lack of funds. */
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
