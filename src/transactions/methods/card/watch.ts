/** How long to look for a charge that the acquirer may still book, and when to look first. */
export type Watch = { readonly pauseMilliseconds: number; readonly watchMilliseconds: number };

const DAY_MILLISECONDS = 86_400_000;
const WATCHED_FOR_MILLISECONDS = DAY_MILLISECONDS;
const GIVEN_UP_AFTER_MILLISECONDS = 7 * DAY_MILLISECONDS;

export const NO_WATCH: Watch = { pauseMilliseconds: 0, watchMilliseconds: 0 };
/** After an acquirer's horizon nothing of a charge should appear; it is looked for all the same. */
export const WATCH_AFTER_HORIZON: Watch = {
  pauseMilliseconds: 1_800_000,
  watchMilliseconds: WATCHED_FOR_MILLISECONDS,
};
/** No void was sent for a charge that a person decided about, so it is looked for at once. */
export const WATCH_AFTER_DECISION: Watch = {
  pauseMilliseconds: 0,
  watchMilliseconds: WATCHED_FOR_MILLISECONDS,
};

const SHORTEST_PAUSE_SECONDS = 30;
export const LONGEST_PAUSE_SECONDS = 1_800;

/**
 * What is booked late is mostly booked soon, so most looks come early. `overMilliseconds` here and below:
 * real time since the watch should have ended; negative before.
 */
export function secondsUntilNextLook(overMilliseconds: number): number {
  const seconds = Math.round((overMilliseconds + WATCHED_FOR_MILLISECONDS) / 4_000);
  return Math.min(LONGEST_PAUSE_SECONDS, Math.max(SHORTEST_PAUSE_SECONDS, seconds));
}

const LONGEST_TRY_SECONDS = 300;

/**
 * A charge that could not be ended may be live beside one that was made after it, so it is tried more often
 * until the watch is over.
 */
export function secondsUntilNextTry(overMilliseconds: number): number {
  const seconds = secondsUntilNextLook(overMilliseconds);
  return isWatchOver(overMilliseconds) ? seconds : Math.min(LONGEST_TRY_SECONDS, seconds);
}

/** Whether the time of the watch is over: then the first look that finds nothing live is the last one. */
export function isWatchOver(overMilliseconds: number): boolean {
  return overMilliseconds >= 0;
}

/** Whether no look was clear for so long that no more are made. */
export function isWatchGivenUp(overMilliseconds: number): boolean {
  return overMilliseconds >= GIVEN_UP_AFTER_MILLISECONDS;
}
