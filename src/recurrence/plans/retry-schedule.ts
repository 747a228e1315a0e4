import { addDays, type Day } from '../../values/instant.ts';

/** Days from a failure to the retry that follows it: the first, the second and so on. Due on the 1st: 3rd, 5th, 9th, 17th. */
const RETRY_PAUSES_DAYS = [2, 2, 4, 8] as const;

/**
 * The day of the next retry after a failure that was scheduled for a day, when so many retries were made before and a plan
 * allows `attempts` of them; null: none is left. Counted from the scheduled day, so that a charge that ran late on that day does
 * not move the rest; after downtime the caller counts from the day on which it was made. A RangeError when that day leaves the calendar.
 */
export function nextRetryOn(scheduledOn: Day, retriesMade: number, attempts: number): Day | null {
  const pause = retriesMade < attempts ? RETRY_PAUSES_DAYS[retriesMade] : undefined;
  return pause === undefined ? null : addDays(scheduledOn, pause);
}

/** Every day on which a billing may be charged again, if each charge before fails for a lack of funds. */
export function possibleRetryDays(dueOn: Day, attempts: number): Day[] {
  const days: Day[] = [];
  for (let day = nextRetryOn(dueOn, 0, attempts); day !== null; day = nextRetryOn(day, days.length, attempts))
    days.push(day);
  return days;
}
