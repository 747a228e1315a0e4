/** A smaller skew can come from the way in which a clock is read. */
export const SMALL_SKEW_SECONDS = 2;
/** Signatures, logins and certificates begin to fail at this skew. */
export const LARGE_SKEW_SECONDS = 30;

/** `theirs` was read between two readings of our clock, all in milliseconds. 0: it lies between them. */
export function clockAheadSeconds(
  theirs: number,
  ours: { readonly before: number; readonly after: number },
): number {
  if (theirs > ours.after) return (theirs - ours.after) / 1_000;
  return theirs < ours.before ? (theirs - ours.before) / 1_000 : 0;
}

export function skewText(aheadSeconds: number): string {
  return `${Math.round(Math.abs(aheadSeconds))} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} ours`;
}
