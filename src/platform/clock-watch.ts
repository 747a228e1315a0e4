import { clockAheadSeconds, LARGE_SKEW_SECONDS, skewText } from './clock-skew.ts';
import { gauge, type Metrics } from './metrics.ts';
import type { Outages } from './outages.ts';

export const CLOCK_AHEAD = gauge(
  'parcela_clock_ahead_seconds',
  'By how much the clock of the database is ahead of that of this machine; negative: behind.',
);

/** Called with the database's time, read between two monotonic times. */
export type NoteClock = (shown: number, askedAt: number, answeredAt: number) => void;

/**
 * Warns when two clocks differ: payments follow that of the database; the wall clock of this machine dates
 * signatures, tokens and the log. `now`: the wall clock in milliseconds.
 */
export function watchClock(
  { outages, metrics }: { readonly outages: Pick<Outages, 'clockRead'>; readonly metrics: Metrics },
  now: () => number = Date.now,
): NoteClock {
  const ahead = metrics.gauge(CLOCK_AHEAD);
  ahead.set(0);
  return (shown, askedAt, answeredAt) => {
    const lead = now() - performance.now();
    const seconds = clockAheadSeconds(shown, { before: lead + askedAt, after: lead + answeredAt });
    ahead.set(seconds);
    const differs = Math.abs(seconds) >= LARGE_SKEW_SECONDS;
    outages.clockRead(differs ? `the clock of the database is ${skewText(seconds)}` : null);
  };
}
