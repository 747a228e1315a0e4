import { type TSchema, Type } from 'typebox';
import { type Answer, type AnswerShape, type Call, CUT_CONNECTION, type WireError } from './endpoint.ts';
import { FAILURES, type Failure, RETRY_AFTER_SECONDS } from './failures.ts';
import type { Language, Sentence } from './sentence.ts';

/** A refusal as the wire shows it. A module's `refusals.ts` is a total table of these. */
export type RefusalShape = {
  readonly status: number;
  readonly tag: string;
  readonly sentence: Sentence;
  /** Set if the cause passes by itself. A 409 without it is final. */
  readonly retryAfterSeconds?: number;
};

/**
 * Why an operation refused, for a person at the command line (in English) or at the console. `{value}` is
 * what was given, `{most}` a limit.
 */
export type SpokenRefusal = {
  readonly status: 400 | 404 | 409;
  readonly text: string;
  readonly most?: number;
};

/** The body is an array with one `{ tag, description }`. */
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

const ERRORS = Type.Array(Type.Object({ tag: Type.String(), description: Type.String() }));

/** An answer of a contract: a list of errors, with this one as its example. */
export function refusedAnswer(
  description: string,
  { tag, sentence }: { readonly tag: string; readonly sentence: Pick<Sentence, 'pt'> },
): AnswerShape & { readonly schema: TSchema } {
  return { description, schema: ERRORS, example: [{ tag, description: sentence.pt }] };
}

/** 503: nothing was written; the request may be repeated shortly. */
export function unavailableAnswer(
  failure: Extract<Failure, 'overloaded' | 'acquirerAway'>,
  language: Language,
): Answer {
  return refusalAnswer(FAILURES[failure], language, { 'retry-after': RETRY_AFTER_SECONDS });
}

/** 429: the request may be repeated after so many seconds. */
export function tooManyAnswer(secondsToWait: number, language: Language): Answer {
  return refusalAnswer(FAILURES.tooManyRequests, language, { 'retry-after': String(secondsToWait) });
}

/** The shapes all have one status. */
export function refusalsAnswer(shapes: readonly RefusalShape[], language: Language): Answer {
  const body = shapes.map(({ tag, sentence }) => ({ tag, description: sentence[language] }));
  return { status: shapes[0]?.status ?? 400, body };
}

/**
 * `first`: done now, or refused, which records nothing. `again`: the outcome of the first request with this
 * key. `inFlight`: the first has no outcome yet.
 */
export type Once<Result> =
  | { readonly kind: 'first' | 'again'; readonly result: Result }
  | { readonly kind: 'inFlight' | 'otherBody' };

/** On every answer that repeats an earlier outcome. */
const REPLAYED = { 'idempotent-replayed': 'true' };

/** The answer for its own result, or for that of the first request with its key. */
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
