/**
 * Why there is no clear answer. `unusable`: the answer proves nothing. `silent`: no answer, or the bridge has
 * none. `partly`: the other side answered one question, and was silent at the next. `notAsked`: nothing was
 * sent, which says nothing about the other side.
 */
export type UnclearCause = 'unusable' | 'silent' | 'notAsked' | 'partly';

export function isHeard({ kind, cause }: { readonly kind: string; readonly cause?: UnclearCause }): boolean {
  return kind !== 'unknown' || cause === 'unusable';
}

/** The answer to a question behind one that was answered: silence becomes `partly`. */
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

/** An answer that will be the same however often is asked: a person has to decide. */
export function forPerson(reason: string): Unusable & { readonly isForPerson: true } {
  return { ...unusable(reason), isForPerson: true };
}
