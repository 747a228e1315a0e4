/**
 * Why there is no clear answer. `unusable`: an answer came that proves nothing. `silent`: none came, or the
 * bridge says that it has none. `notAsked`: we sent nothing, and this says nothing about whom we ask.
 */
export type UnclearCause = 'unusable' | 'silent' | 'notAsked';

/** An answer that proves nothing is an answer. */
export function isHeard({ kind, cause }: { readonly kind: string; readonly cause?: UnclearCause }): boolean {
  return kind !== 'unknown' || cause === 'unusable';
}

export type Unusable = { readonly kind: 'unknown'; readonly cause: 'unusable'; readonly reason: string };

export function unusable(reason: string): Unusable {
  return { kind: 'unknown', cause: 'unusable', reason };
}
