import type { DELIVERY_MOVES, DeliveryKind } from './delivery.ts';
import { millisecondsUntilNextTry } from './retry-schedule.ts';

/** What became of one POST. `failure` and `answer` are short and printable; times are milliseconds. */
export type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: string;
      /** Of a 429 or 503 that asked for time. */
      readonly retryAfterMilliseconds: number | null;
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly failure: string; readonly milliseconds: number };

/**
 * What one try says of its target. `taken`: the message was. `refused`: the target works, and did not want this message.
 * `gone`: the target says that it is no more. `failed`: it does not work. `unsent`: our own fault, which says nothing of it.
 */
export type EndpointResponse = 'taken' | 'refused' | 'gone' | 'failed' | 'unsent';

/** One try, as it is recorded. */
export type Try = {
  readonly heard: EndpointResponse;
  /** Of the answer; null: none came. */
  readonly status: number | null;
  /** Why it failed, in a word; null: it was taken. */
  readonly failure: string | null;
  readonly answer: string | null;
  readonly milliseconds: number;
  readonly retryAfterMilliseconds: number | null;
};

/** The careful POST had no connection free, or this process stops: no try of anything. */
const NOT_SENT = 'notSent';
/** Then another process, or this one a little later, sends it. */
const NOT_SENT_PAUSE_MILLISECONDS = 1_000;

/** Reads what became of a POST. Only 2xx is a success; a redirect is a refusal, for it is never followed. */
export function tryOf(posted: Posted): Try {
  if (posted.kind === 'failed') {
    const { failure, milliseconds } = posted;
    if (failure === NOT_SENT) return unsentTry(failure);
    return {
      heard: 'failed',
      status: null,
      failure,
      answer: null,
      milliseconds,
      retryAfterMilliseconds: null,
    };
  }
  const { status, answer, milliseconds, retryAfterMilliseconds } = posted;
  const [heard, failure] = meaningOf(status);
  return { heard, status, failure, answer, milliseconds, retryAfterMilliseconds };
}

function meaningOf(status: number): [EndpointResponse, string | null] {
  if (status >= 200 && status < 300) return ['taken', null];
  if (status === 410) return ['gone', 'gone'];
  if (status === 429) return ['failed', 'tooManyRequests'];
  if (status >= 500) return ['failed', 'serverError'];
  if (status >= 300 && status < 400) return ['refused', 'redirect'];
  return ['refused', 'refused'];
}

/** A try that could not even be sent, for a reason of ours. */
export function unsentTry(failure: string): Try {
  return {
    heard: 'unsent',
    status: null,
    failure,
    answer: null,
    milliseconds: 0,
    retryAfterMilliseconds: null,
  };
}

export type TriedDelivery = {
  readonly kind: DeliveryKind;
  /** Tries before this one, and those of them that do not count for the schedule. */
  readonly tries: number;
  readonly triesBefore: number;
  /** It was not its turn by the schedule: it went as a probe, or because its target had returned. */
  readonly isAhead: boolean;
};

/** What is recorded of a delivery after a try. */
export type Fate = {
  readonly state: (typeof DELIVERY_MOVES)['waiting']['deliver' | 'retry' | 'giveUp'];
  /** From now to the next try; null: none, or as it stood. */
  readonly pauseMilliseconds: number | null;
  /** Whether the try is one of its tries. */
  readonly isCounted: boolean;
};

/**
 * A try ahead of its time that the target fails is none of the delivery's tries: a target that comes and goes would use
 * up in minutes what is meant to last three days. A test is never tried again.
 */
export function fateAfter(tried: TriedDelivery, made: Try, jitter: number): Fate {
  if (made.heard === 'taken') return { state: 'delivered', pauseMilliseconds: null, isCounted: true };
  if (tried.kind === 'test') return { state: 'givenUp', pauseMilliseconds: null, isCounted: true };
  if (made.failure === NOT_SENT)
    return { state: 'waiting', pauseMilliseconds: NOT_SENT_PAUSE_MILLISECONDS, isCounted: false };
  if (tried.isAhead && made.heard === 'failed')
    return { state: 'waiting', pauseMilliseconds: null, isCounted: false };
  const tries = tried.tries + 1 - tried.triesBefore;
  const pauseMilliseconds = millisecondsUntilNextTry({ ...made, tries, jitter });
  return { state: pauseMilliseconds === null ? 'givenUp' : 'waiting', pauseMilliseconds, isCounted: true };
}
