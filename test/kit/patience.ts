/** How many times longer than on a quiet machine everything may take; it may change between files. */
const patience = () => Number(process.env.PARCELA_TEST_PATIENCE ?? 2);
/** Up to it a service has time for what a test asks. */
const QUIET_PATIENCE = 4;
const BUSY_TRIES = 5;
const isLong = process.env.PARCELA_TEST_LONG === '1';

/** A limit of time for a wait that should never come to it. */
export function patiently(milliseconds: number): number {
  return milliseconds * patience();
}

/** Nothing was done where a machine had no time for it (503), and the same may be asked again: so often. */
export function triesWhileBusy(): number {
  return patience() > QUIET_PATIENCE ? BUSY_TRIES : 1;
}

/** How much of a long proof is done: a slice, or all of it in `npm run proof`. */
export function sliceOf(all: number, slice: number): number {
  return isLong ? all : Math.min(all, slice);
}
