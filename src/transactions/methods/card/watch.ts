/** How long to look for what the acquirer may book after all, and when first. */
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
/** Nothing voided what a person decided about: it is looked for at once. */
export const WATCH_AFTER_DECISION: Watch = {
  pauseMilliseconds: 0,
  watchMilliseconds: WATCHED_FOR_MILLISECONDS,
};

const SHORTEST_PAUSE_SECONDS = 30;
export const LONGEST_PAUSE_SECONDS = 1_800;

/** What is booked late is mostly booked soon, so most looks come early. */
export function secondsUntilNextLook(overMilliseconds: number): number {
  const seconds = Math.round((overMilliseconds + WATCHED_FOR_MILLISECONDS) / 4_000);
  return Math.min(LONGEST_PAUSE_SECONDS, Math.max(SHORTEST_PAUSE_SECONDS, seconds));
}

const LONGEST_TRY_SECONDS = 300;

/** What is not ended may be live beside a charge that was made after it: for a day it is tried more often. */
export function secondsUntilNextTry(overMilliseconds: number): number {
  const seconds = secondsUntilNextLook(overMilliseconds);
  return isWatchOver(overMilliseconds) ? seconds : Math.min(LONGEST_TRY_SECONDS, seconds);
}

/** A clear look after it is the last one. */
export function isWatchOver(overMilliseconds: number): boolean {
  return overMilliseconds >= 0;
}

/** No look was clear for so long that no more are made. */
export function isWatchGivenUp(overMilliseconds: number): boolean {
  return overMilliseconds >= GIVEN_UP_AFTER_MILLISECONDS;
}
