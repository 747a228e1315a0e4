/**
 * Why there is no clear answer. `unusable`: the answer proves nothing. `silent`: no answer, or the bridge has
 * none. `notAsked`: we sent nothing, which says nothing about the other side.
 */
export type UnclearCause = 'unusable' | 'silent' | 'notAsked';

export function isHeard({ kind, cause }: { readonly kind: string; readonly cause?: UnclearCause }): boolean {
  return kind !== 'unknown' || cause === 'unusable';
}

export type Unusable = { readonly kind: 'unknown'; readonly cause: 'unusable'; readonly reason: string };

export function unusable(reason: string): Unusable {
  return { kind: 'unknown', cause: 'unusable', reason };
}

/** Asking again brings its end no nearer: somebody has to decide. */
export function forPerson(reason: string): Unusable & { readonly isForPerson: true } {
  return { ...unusable(reason), isForPerson: true };
}
