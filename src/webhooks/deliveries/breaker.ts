import type { Instant } from '../../values/instant.ts';
import type { EndpointResponse } from './delivery-outcome.ts';

/** The recent answers of an endpoint to this process. All times are business time. */
export type Health = {
  readonly failuresInRow: number;
  readonly goneInRow: number;
  /** Tries of the last five minutes, a minute each. */
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
 * How long a breaker stays open, by how often it opened in a row. Then one probe is sent. The next
 * one follows within a minute: a system that comes back shall be notified within seconds of what it
 * missed, and a probe costs one POST.
 */
export const OPEN_MILLISECONDS: readonly number[] = [5_000, 10_000, 20_000, 40_000, 60_000];

/**
 * An endpoint that was quiet for so long (real time) since its breaker last changed begins with the
 * shortest opening again.
 */
export const QUIET_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

/** An endpoint without a success for so long is disabled. */
export const HELD_AFTER_MILLISECONDS = 5 * 24 * 60 * MINUTE_MILLISECONDS;

/**
 * The health after one more try. An endpoint that answers anything but a failure works, whatever it
 * thinks of the message.
 */
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
 * Ten failures in a row, or seven of ten of at least ten tries in five minutes. Called after a
 * failure.
 */
export function isTripped({ failuresInRow, minutes }: Health): boolean {
  if (failuresInRow >= FAILURES_IN_ROW) return true;
  const tries = minutes.reduce((sum, one) => sum + one.tries, 0);
  const failures = minutes.reduce((sum, one) => sum + one.failures, 0);
  return tries >= TRIES_IN_WINDOW && failures >= tries * SHARE_OF_FAILURES;
}

/** Every endpoint has single failures; only some in a row are recorded. */
export function isFailing({ failuresInRow }: Health): boolean {
  return failuresInRow >= FAILURES_UNTIL_FAILING;
}

/** Three answers in a row that it is gone disable an endpoint. */
export function isGone({ goneInRow }: Health): boolean {
  return goneInRow >= GONE_IN_ROW;
}
