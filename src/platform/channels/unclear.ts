/**
 * Why there is no clear answer. `unusable`: the answer proves nothing. `silent`: no answer, or the bridge has
 * none. `partly`: it answered one question, and was silent at the next. `notAsked`: we sent nothing, which
 * says nothing about the other side.
 */
export type UnclearCause = 'unusable' | 'silent' | 'notAsked' | 'partly';

export function isHeard({ kind, cause }: { readonly kind: string; readonly cause?: UnclearCause }): boolean {
  return kind !== 'unknown' || cause === 'unusable';
}

/** Of the question behind one that was answered. */
export function behindAnswer<Answer extends object>(answer: Answer): Answer {
  return isSilent(answer) ? { ...answer, cause: 'partly' } : answer;
}

function isSilent(answer: { readonly kind?: unknown; readonly cause?: unknown }): boolean {
  const { kind, cause = 'silent' } = answer;
  return (kind === 'unknown' || kind === 'notConnected') && cause === 'silent';
}

export type Unusable = { readonly kind: 'unknown'; readonly cause: 'unusable'; readonly reason: string };

export function unusable(reason: string): Unusable {
  return { kind: 'unknown', cause: 'unusable', reason };
}

/** Asking again brings its end no nearer: somebody has to decide. */
export function forPerson(reason: string): Unusable & { readonly isForPerson: true } {
  return { ...unusable(reason), isForPerson: true };
}
