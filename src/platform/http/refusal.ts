import { type Answer, type Call, CUT_CONNECTION, type WireError } from './endpoint.ts';
import { FAILURES, type Failure, RETRY_AFTER_SECONDS } from './failures.ts';
import type { Language, Sentence } from './sentence.ts';

/** One refusal on the wire. A module's `refusals.ts` is a total table of these. */
export type RefusalShape = {
  readonly status: number;
  readonly tag: string;
  readonly sentence: Sentence;
  /**
   * Of what passes by itself: the same request may be sent again then. A 409 without it stands, however
   * often it is asked.
   */
  readonly retryAfterSeconds?: number;
};

/** An array with one `{ tag, description }`. */
export function refusalAnswer(
  shape: RefusalShape,
  language: Language,
  headers?: Record<string, string>,
): Answer {
  const { status, tag, sentence, retryAfterSeconds } = shape;
  const body: WireError[] = [{ tag, description: sentence[language] }];
  const passing = retryAfterSeconds === undefined ? headers : { 'retry-after': String(retryAfterSeconds) };
  const all = headers === undefined ? passing : { ...passing, ...headers };
  return all === undefined ? { status, body } : { status, body, headers: all };
}

/** 503: nothing was made, and the same request may be sent again shortly. */
export function unavailableAnswer(
  failure: Extract<Failure, 'overloaded' | 'acquirerAway'>,
  language: Language,
): Answer {
  return refusalAnswer(FAILURES[failure], language, { 'retry-after': RETRY_AFTER_SECONDS });
}

/** 429: the same request may be sent again after so many seconds. */
export function tooManyAnswer(secondsToWait: number, language: Language): Answer {
  return refusalAnswer(FAILURES.tooManyRequests, language, { 'retry-after': String(secondsToWait) });
}

/** The answer for several refusals of one request, all of one status. */
export function refusalsAnswer(shapes: readonly RefusalShape[], language: Language): Answer {
  const body = shapes.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
  return { status: shapes[0]?.status ?? 400, body };
}

/**
 * The result of a request that may bring a key. `first`: done now, or refused now, which records
 * nothing. `again`: the outcome of the first request with this key. `inFlight`: the first one has
 * no outcome yet.
 */
export type Once<Result> =
  | { readonly kind: 'first' | 'again'; readonly result: Result }
  | { readonly kind: 'inFlight' | 'otherBody' };

/** On every answer that repeats an earlier outcome. */
const REPLAYED = { 'idempotent-replayed': 'true' };

/**
 * The answer of a request that may have brought a key: of its own result, or of the first one's.
 */
export function writeOnce<Result>(
  { language }: Pick<Call<unknown, unknown, unknown>, 'language'>,
  once: Once<Result>,
  write: (result: Result) => Answer | typeof CUT_CONNECTION,
): Answer | typeof CUT_CONNECTION {
  switch (once.kind) {
    case 'first':
      return write(once.result);
    case 'again': {
      const answer = write(once.result);
      return answer === CUT_CONNECTION ? answer : { ...answer, headers: { ...answer.headers, ...REPLAYED } };
    }
    case 'inFlight':
      return refusalAnswer(FAILURES.keyInFlight, language);
    case 'otherBody':
      return refusalAnswer(FAILURES.keyOfOtherBody, language);
  }
}
