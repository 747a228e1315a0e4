import type { PostFailure } from '../posting/posting-result.ts';
import type { DELIVERY_MOVES, DeliveryKind } from './delivery.ts';
import { millisecondsUntilNextTry } from './retry-schedule.ts';

/**
 * The result of one POST. `failure` and `answer` are short and printable; times are milliseconds.
 */
export type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: string;
      /** Of a 429 or 503 with `Retry-After`. */
      readonly retryAfterMilliseconds: number | null;
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly failure: PostFailure; readonly milliseconds: number };

/** Why a try failed, in a word: no answer, one that takes nothing, or no secret to sign with. */
export type TryFailure =
  | PostFailure
  | 'gone'
  | 'tooManyRequests'
  | 'serverError'
  | 'redirect'
  | 'refused'
  | 'secretNotOpened';

/**
 * What one try shows of its endpoint. `taken`: it accepted the message. `refused`: it works, and
 * did not want this message. `gone`: it reports that it is no more. `failed`: it does not work.
 * `unsent`: our own fault, which shows nothing.
 */
export type EndpointResponse = 'taken' | 'refused' | 'gone' | 'failed' | 'unsent';

export type Try = {
  readonly response: EndpointResponse;
  /** Of the answer; null: none came. */
  readonly status: number | null;
  /** Null: it was accepted. */
  readonly failure: TryFailure | null;
  readonly answer: string | null;
  readonly milliseconds: number;
  readonly retryAfterMilliseconds: number | null;
};

/** The careful POST had no connection free, or this process stops: nothing was tried. */
const NOT_SENT = 'notSent';
/** Then another process, or this one a little later, sends it. */
const NOT_SENT_PAUSE_MILLISECONDS = 1_000;

/** Only 2xx is a success; a redirect is a refusal, for it is never followed. */
export function tryOf(posted: Posted): Try {
  if (posted.kind === 'failed') {
    const { failure, milliseconds } = posted;
    if (failure === NOT_SENT) return unsentTry(failure);
    return {
      response: 'failed',
      status: null,
      failure,
      answer: null,
      milliseconds,
      retryAfterMilliseconds: null,
    };
  }
  const { status, answer, milliseconds, retryAfterMilliseconds } = posted;
  const [response, failure] = meaningOf(status);
  return { response, status, failure, answer, milliseconds, retryAfterMilliseconds };
}

function meaningOf(status: number): [EndpointResponse, TryFailure | null] {
  if (status >= 200 && status < 300) return ['taken', null];
  if (status === 410) return ['gone', 'gone'];
  if (status === 429) return ['failed', 'tooManyRequests'];
  if (status >= 500) return ['failed', 'serverError'];
  if (status >= 300 && status < 400) return ['refused', 'redirect'];
  return ['refused', 'refused'];
}

/** A try that could not be sent, for a reason of ours. */
export function unsentTry(failure: TryFailure): Try {
  return {
    response: 'unsent',
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
  /** It was sent before its time: as a probe, or because its endpoint had returned. */
  readonly isAhead: boolean;
};

/** What is recorded of a delivery after a try. */
export type Fate = {
  readonly state: (typeof DELIVERY_MOVES)['waiting']['deliver' | 'retry' | 'giveUp'];
  /** From now to the next try; null: none, or unchanged. */
  readonly pauseMilliseconds: number | null;
  /** Whether the try counts for the schedule. */
  readonly isCounted: boolean;
};

/**
 * A try ahead of its time that fails does not count for the schedule: an endpoint that comes and
 * goes would use up in minutes what is meant to last three days. A test is never tried again.
 */
export function fateAfter(tried: TriedDelivery, made: Try, jitter: number): Fate {
  if (made.response === 'taken') return { state: 'delivered', pauseMilliseconds: null, isCounted: true };
  if (tried.kind === 'test') return { state: 'givenUp', pauseMilliseconds: null, isCounted: true };
  if (made.failure === NOT_SENT)
    return { state: 'waiting', pauseMilliseconds: NOT_SENT_PAUSE_MILLISECONDS, isCounted: false };
  if (tried.isAhead && made.response === 'failed')
    return { state: 'waiting', pauseMilliseconds: null, isCounted: false };
  const tries = tried.tries + 1 - tried.triesBefore;
  const pauseMilliseconds = millisecondsUntilNextTry({ ...made, tries, jitter });
  return { state: pauseMilliseconds === null ? 'givenUp' : 'waiting', pauseMilliseconds, isCounted: true };
}
