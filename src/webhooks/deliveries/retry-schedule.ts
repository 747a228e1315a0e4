const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * After the first try, the second, and so on: twelve tries in 75.7 hours, so that a system that was
 * away for a weekend is still notified.
 */
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

/**
 * Deliveries that failed together shall not come back together: each pause is longer by up to a
 * tenth.
 */
const MOST_JITTER = 0.1;
const LONGEST_RETRY_AFTER_MILLISECONDS = 24 * HOUR;

export type FailedTry = {
  /** Tries so far that count, the failed one included. */
  readonly tries: number;
  /** The endpoint's `Retry-After`; null: none. */
  readonly retryAfterMilliseconds: number | null;
  /** Random, from 0 to 1. */
  readonly jitter: number;
};

/**
 * Whole milliseconds from a failed try to the next one, or null when that was the last. A
 * `Retry-After` is respected up to a day.
 */
export function millisecondsUntilNextTry(failed: FailedTry): number | null {
  const pause = PAUSES_MILLISECONDS[failed.tries - 1];
  if (pause === undefined) return null;
  const asked = Math.min(failed.retryAfterMilliseconds ?? 0, LONGEST_RETRY_AFTER_MILLISECONDS);
  return Math.round(Math.max(pause * (1 + MOST_JITTER * failed.jitter), asked));
}
