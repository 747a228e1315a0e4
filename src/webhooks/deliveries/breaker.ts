import type { Instant } from '../../values/instant.ts';
import type { EndpointResponse } from './delivery-outcome.ts';

/** What the last tries say about an endpoint. Minutes are of business time. */
export type Health = {
  readonly failuresInRow: number;
  readonly goneInRow: number;
  /** The tries of the last five minutes, by minute. */
  readonly minutes: readonly Minute[];
};

type Minute = { readonly minute: number; readonly tries: number; readonly failures: number };

export const UNPROCESSED: Health = { failuresInRow: 0, goneInRow: 0, minutes: [] };

const FAILURES_IN_ROW = 10;
const TRIES_IN_WINDOW = 10;
const SHARE_OF_FAILURES = 0.7;
const WINDOW_MINUTES = 5;
const MINUTE_MILLISECONDS = 60_000;
const FAILURES_UNTIL_FAILING = 3;
const GONE_IN_ROW = 3;

/**
 * How long a breaker stays open, by its openings in a row. The longest is short, because a probe costs one
 * POST and soon finds that the endpoint is back.
 */
export const OPEN_MILLISECONDS: readonly number[] = [5_000, 10_000, 20_000, 40_000, 60_000];

/** After so much real time without a change, a breaker starts with the shortest opening again. */
export const QUIET_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** After so long without a success an endpoint is disabled. */
export const HELD_AFTER_MILLISECONDS = 5 * 24 * 60 * MINUTE_MILLISECONDS;

/** Any answer but a failure shows that the endpoint works, even if it refuses the message. */
export function healthAfter(health: Health, response: EndpointResponse, now: Instant): Health {
  if (response === 'unsent') return health;
  const isFailure = response === 'failed';
  const minute = Math.floor(now / MINUTE_MILLISECONDS);
  const kept = health.minutes.filter((one) => one.minute > minute - WINDOW_MINUTES && one.minute < minute);
  const current = health.minutes.find((one) => one.minute === minute);
  return {
    failuresInRow: isFailure ? health.failuresInRow + 1 : 0,
    goneInRow: response === 'gone' ? health.goneInRow + 1 : 0,
    minutes: [
      ...kept,
      {
        minute,
        tries: (current?.tries ?? 0) + 1,
        failures: (current?.failures ?? 0) + (isFailure ? 1 : 0),
      },
    ],
  };
}

/**
 * Whether the breaker opens: after ten failures in a row, or 70 % of at least ten tries in five minutes.
 * Called after a failure.
 */
export function isTripped({ failuresInRow, minutes }: Health): boolean {
  if (failuresInRow >= FAILURES_IN_ROW) return true;
  const tries = minutes.reduce((sum, one) => sum + one.tries, 0);
  const failures = minutes.reduce((sum, one) => sum + one.failures, 0);
  return tries >= TRIES_IN_WINDOW && failures >= tries * SHARE_OF_FAILURES;
}

/** One or two failures in a row are normal: from the third on the endpoint is failing. */
export function isFailing({ failuresInRow }: Health): boolean {
  return failuresInRow >= FAILURES_UNTIL_FAILING;
}

export function isGone({ goneInRow }: Health): boolean {
  return goneInRow >= GONE_IN_ROW;
}
