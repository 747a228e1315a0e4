import type { PostFailure } from '../posting/posting-result.ts';
import type { DELIVERY_MOVES, DeliveryKind } from './delivery.ts';
import { millisecondsUntilNextTry } from './retry-schedule.ts';

/** What came of one POST. Texts are short and printable. */
export type Posted =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly answer: string;
      /** From the `Retry-After` of a 429 or 503; null: none was sent. */
      readonly retryAfterMilliseconds: number | null;
      readonly milliseconds: number;
    }
  | { readonly kind: 'failed'; readonly failure: PostFailure; readonly milliseconds: number };

export type TryFailure =
  | PostFailure
  | 'gone'
  | 'tooManyRequests'
  | 'serverError'
  | 'redirect'
  | 'refused'
  | 'secretNotOpened';

/**
 * `taken`: accepted. `refused`: the endpoint works, but refused this message. `gone`: it says that it no
 * longer exists. `failed`: it does not work. `unsent`: our own fault, which says nothing about the endpoint.
 */
export type EndpointResponse = 'taken' | 'refused' | 'gone' | 'failed' | 'unsent';

export type Try = {
  readonly response: EndpointResponse;
  /** null: no answer. */
  readonly status: number | null;
  /** null: accepted. */
  readonly failure: TryFailure | null;
  readonly answer: string | null;
  readonly milliseconds: number;
  readonly retryAfterMilliseconds: number | null;
};

/** No connection was free, or this process is stopping. */
const NOT_SENT = 'notSent';
/** After this pause the delivery is due again, for this or another process. */
const NOT_SENT_PAUSE_MILLISECONDS = 1_000;

/** Only 2xx is a success. Redirects are never followed, so they are refusals. */
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
  /**
   * `tries`: all earlier ones. `triesBefore`: those before the last resend, which do not count for the
   * schedule.
   */
  readonly tries: number;
  readonly triesBefore: number;
  /** Sent before its time: as a probe, or because its endpoint had returned. */
  readonly isAhead: boolean;
};

export type Fate = {
  readonly state: (typeof DELIVERY_MOVES)['waiting']['deliver' | 'retry' | 'giveUp'];
  /** From now to the next try; null: there is none, or the delivery stays due at the same time. */
  readonly pauseMilliseconds: number | null;
  readonly isCounted: boolean;
};

/** A failed try ahead of time does not count: an unstable endpoint would use up all tries in minutes. */
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
