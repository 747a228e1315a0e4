import type { UnclearCause } from '../../platform/channels/unclear.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { taskOfPayment } from '../../platform/tracing/scope.ts';
import type { DispatchLimits } from '../../platform/work/dispatch-policy.ts';
import type { Dispatched } from '../../platform/work/dispatched.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { type Asked, type OutageWatch, observeAnswer } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import {
  awayPostponement,
  type Postponement,
  secondsUntilNextDoubt,
  secondsUntilNextLook,
  secondsUntilNextResolveTry,
  unsentPostponement,
} from '../transaction.ts';
import type { RequestQueue, UnansweredRequest } from './request-queue.sql.ts';

/**
 * `notSent` without a `cause`: nothing was asked, and the try does not count. Otherwise `cause` is `silent`
 * by default. `left`: nothing is wrong, and the outcome is known in so many milliseconds. `isForPerson`: a
 * person must decide (see `forPerson`).
 */
export type Unclear = {
  readonly kind: 'unknown' | 'notConnected' | 'notSent';
  readonly reason: string;
  readonly cause?: UnclearCause;
  readonly left?: number;
  readonly isForPerson?: boolean;
  /** The provider was only asked by a look-up. */
  readonly isLook?: boolean;
};
type Resolvable = { readonly merchantId: string; readonly fence: number; readonly tries: number } & {
  /** The reason of the last unclear try; null: there was none. */
  readonly unknownReason?: string | null;
};
/** `isLook`: the provider was only asked by a look-up. */
type Clear = { readonly kind: string; readonly isLook?: boolean };

export type ResolveRequests<Request extends Resolvable, Answer extends Clear> = {
  readonly name: string;
  readonly database: Database;
  readonly queue: Pick<RequestQueue<Request>, 'claim' | 'postpone' | 'pullForward' | 'earliest'>;
  readonly idOf: (request: Request) => string;
  readonly providerOf: (request: Request) => string;
  /** False: there is no provider to ask. */
  readonly mayClaim?: () => boolean;
  readonly about: NonNullable<Dispatched<Request, unknown>['about']>;
  readonly limits: DispatchLimits;
  /** Whether each provider answers any of these requests. */
  readonly outage: OutageWatch;
  /** Long enough to ask and to record the answer. */
  readonly leaseMilliseconds: number;
  /** Repeats the request under the same id, which a provider executes only once. */
  readonly ask: (request: Request) => Promise<Answer | Unclear>;
  readonly record: (request: Request, answer: Answer, deadlineAt: number) => Promise<void>;
  /** What a person must learn of an answer that no caller waits for; null: nothing. */
  readonly warningOf: (answer: Answer) => string | null;
  readonly outcomeOf: (answer: Answer) => string;
  readonly observe: (outcome: string) => void;
  readonly warn: (request: Request, reason: string) => void;
};

export const OF_ACQUIRER = {
  idOf: ({ requestId }: UnansweredRequest): string => requestId,
  providerOf: ({ acquirer }: UnansweredRequest): string => acquirer,
  about: taskOfPayment,
  warningOf: (answer: Clear & { readonly reason?: string }): string | null =>
    answer.kind === 'refused' ? (answer.reason ?? null) : null,
  outcomeOf: ({ kind }: Clear): string => kind,
};

/** In place of an answer: the request was not sent, because its provider is away while others answer. */
const NOT_ASKED = Symbol('not asked');
const RECORD_MILLISECONDS = 8_000;
/** After so many tries a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** Time to commit the answer. */
export const REQUEST_LEASE_MARGIN_MILLISECONDS = 15_000;

export function resolveRequests<Request extends Resolvable, Answer extends Clear>(
  resolving: ResolveRequests<Request, Answer>,
  wakeSignal: WakeSignal,
): Work {
  const { name, database, queue, limits, outage, leaseMilliseconds } = resolving;
  return new Dispatcher<Request, Answer | Unclear | typeof NOT_ASKED>({
    name,
    limits,
    wakeSignal,
    outage,
    async claim(_limit, share) {
      if (resolving.mayClaim?.() === false) return { tasks: [], isEnd: true };
      const tasks = await queue.claim(database, share, leaseMilliseconds);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: async (request) =>
      outage.mayAsk(askedOf(resolving, request)) ? await resolving.ask(request) : NOT_ASKED,
    record: (request, answer) => record(resolving, request, answer),
    about: resolving.about,
    piece: queue.earliest,
    pieceValues: (passedOver) => [passedOver],
    pullForward: (limit) => queue.pullForward(database, limit, leaseMilliseconds),
  });
}

async function record<Request extends Resolvable, Answer extends Clear>(
  resolving: ResolveRequests<Request, Answer>,
  request: Request,
  answer: Answer | Unclear | typeof NOT_ASKED,
): Promise<void> {
  const { outage } = resolving;
  const asked = askedOf(resolving, request);
  if (answer === NOT_ASKED)
    return postpone(resolving, request, awayPostponement(outage.awaySeconds(asked.provider)));
  if (isUnclear(answer)) return postpone(resolving, request, unclear(resolving, request, answer));
  observeAnswer(outage, { kind: answer.kind }, asked, resolving.idOf(request), answer.isLook);
  outage.observeEnd(resolving.idOf(request), asked.provider);
  const warning = resolving.warningOf(answer);
  if (warning !== null) resolving.warn(request, warning);
  await resolving.record(request, answer, performance.now() + RECORD_MILLISECONDS);
  resolving.observe(resolving.outcomeOf(answer));
}

async function postpone<Request extends Resolvable, Answer extends Clear>(
  { database, queue, idOf, observe }: ResolveRequests<Request, Answer>,
  request: Request,
  postponement: Postponement,
): Promise<void> {
  observe('postponed');
  const { merchantId, fence } = request;
  await queue.postpone(database, { merchantId, requestId: idOf(request), fence }, postponement);
}

/** Counts the silence of the provider, and gives when to ask again. */
function unclear<Request extends Resolvable, Answer extends Clear>(
  resolving: ResolveRequests<Request, Answer>,
  request: Request,
  answer: Unclear,
): Postponement {
  const { kind, reason, isForPerson = false, left } = answer;
  // Where nothing was asked, nothing is known of the provider.
  if (kind === 'notSent' && !isForPerson && answer.cause === undefined) return unsentPostponement(reason);
  const cause = answer.cause ?? (isForPerson ? 'unusable' : 'silent');
  const { outage, warn } = resolving;
  const asked = askedOf(resolving, request);
  observeAnswer(outage, { kind: 'unknown', cause }, asked, resolving.idOf(request), answer.isLook);
  if (left !== undefined) return { seconds: secondsUntilNextLook(request.tries, left), reason, left };
  const isAway = outage.isAway(asked.provider);
  if (request.tries >= TRIES_BEFORE_WARNING && !isAway) warn(request, reason);
  const isSaidAgain = request.unknownReason === reason;
  const seconds = isForPerson
    ? secondsUntilNextDoubt(request.tries, isSaidAgain)
    : secondsUntilNextResolveTry(request.tries, isAway);
  // A useless answer that came twice will not change by itself: a person must look (`left` 0).
  return isSaidAgain && (isForPerson || cause === 'unusable')
    ? { seconds, reason, left: 0 }
    : { seconds, reason };
}

function askedOf<Request extends Resolvable>(
  { providerOf }: { readonly providerOf: (request: Request) => string },
  request: Request,
): Asked {
  return { merchantId: request.merchantId, provider: providerOf(request) };
}

function isUnclear(answer: Clear): answer is Unclear {
  return answer.kind === 'unknown' || answer.kind === 'notConnected' || answer.kind === 'notSent';
}
