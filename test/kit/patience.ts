/** How many times longer than on a quiet machine everything may take; it may change between files. */
const patience = () => Number(process.env.PARCELA_TEST_PATIENCE ?? 2);
const isLong = process.env.PARCELA_TEST_LONG === '1';

/** A limit of time for a wait that should never come to it. */
export function patiently(milliseconds: number): number {
  return milliseconds * patience();
}

/** How much of a long proof is done: a slice, or all of it in `npm run proof`. */
export function sliceOf(all: number, slice: number): number {
  return isLong ? all : Math.min(all, slice);
}

/** Of every so many the one whose turn it is, so that all come in turns; all of them in `npm run proof`. */
export function turnOf<T>(things: readonly T[], turn: number, turns: number): readonly T[] {
  return isLong ? things : things.filter((_, index) => index % turns === turn % turns);
}
