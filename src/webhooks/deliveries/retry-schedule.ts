const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between twelve tries: 75.7 hours in all, to survive a weekend's outage. */
export const PAUSES_MILLISECONDS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Each pause is up to a tenth longer, so that failed deliveries are not all retried together. */
const MOST_JITTER = 0.1;
const LONGEST_RETRY_AFTER_MILLISECONDS = 24 * HOUR;

export type FailedTry = {
  /** Counted tries so far, including the failed one. */
  readonly tries: number;
  readonly retryAfterMilliseconds: number | null;
  /** Random, from 0 to 1. */
  readonly jitter: number;
};

/** In whole milliseconds; null: it was the last try. Respects a `Retry-After` of up to a day. */
export function millisecondsUntilNextTry(failed: FailedTry): number | null {
  const pause = PAUSES_MILLISECONDS[failed.tries - 1];
  if (pause === undefined) return null;
  const asked = Math.min(failed.retryAfterMilliseconds ?? 0, LONGEST_RETRY_AFTER_MILLISECONDS);
  return Math.round(Math.max(pause * (1 + MOST_JITTER * failed.jitter), asked));
}
