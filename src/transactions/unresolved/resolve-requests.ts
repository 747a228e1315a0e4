import type { NotConnected, NotSent, Unknown } from '../../acquirers/acquirer.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { taskOfPayment } from '../../platform/tracing/scope.ts';
import type { DispatchLimits } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { secondsUntilNextResolveTry, unsentPostponement } from '../transaction.ts';
import type { RequestQueue, UnansweredRequest } from './request-queue.sql.ts';

type Unclear = Unknown | NotConnected | NotSent;
type AnyAnswer = { readonly kind: string };

/** How requests of a kind are resolved. */
export type ResolveRequests<Request extends UnansweredRequest, Answer extends AnyAnswer> = {
  /** Of the work. */
  readonly name: string;
  readonly database: Database;
  readonly queue: RequestQueue<Request>;
  readonly limits: DispatchLimits;
  /** Whether the acquirer answers any of them. */
  readonly outage: OutageWatch;
  /** Until then what is claimed is asked for and recorded. */
  readonly leaseMilliseconds: number;
  /** Asks for it again, under the same id: the acquirer books one id once. */
  readonly ask: (request: Request) => Promise<Answer | Unclear>;
  /** Records what the acquirer says. */
  readonly record: (request: Request, answer: Answer, deadlineAt: number) => Promise<void>;
  readonly observe: (outcome: Answer['kind'] | 'postponed') => void;
  readonly warn: (request: Request, reason: string) => void;
};

const RECORD_MILLISECONDS = 8_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;
/** Time for the commit of the answer. */
export const REQUEST_LEASE_MARGIN_MILLISECONDS = 15_000;

/** Asks for what was not answered clearly, until the acquirer confirms or refuses. */
export function resolveRequests<Request extends UnansweredRequest, Answer extends AnyAnswer>(
  resolving: ResolveRequests<Request, Answer>,
  wakeSignal: WakeSignal,
): Work {
  const { name, database, queue, limits, outage, leaseMilliseconds } = resolving;
  return new Dispatcher<Request, Answer | Unclear>({
    name,
    limits,
    wakeSignal,
    outage,
    async claim(_limit, share) {
      const tasks = await queue.claim(database, share, leaseMilliseconds);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send: (request) => resolving.ask(request),
    record: (request, answer) => record(resolving, request, answer),
    about: taskOfPayment,
    piece: queue.earliest,
    pieceValues: (passedOver) => [passedOver],
    pullForward: (limit) => queue.pullForward(database, limit, leaseMilliseconds),
  });
}

async function record<Request extends UnansweredRequest, Answer extends AnyAnswer>(
  resolving: ResolveRequests<Request, Answer>,
  request: Request,
  answer: Answer | Unclear,
): Promise<void> {
  const { database, queue, outage } = resolving;
  if (isUnclear(answer)) {
    resolving.observe('postponed');
    // Without a free connection nothing is known of the acquirer.
    if (answer.kind === 'notSent')
      return queue.postpone(database, request, unsentPostponement(answer.reason));
    outage.observe(false, request.merchantId);
    if (request.tries >= TRIES_BEFORE_WARNING && !outage.isAway()) resolving.warn(request, answer.reason);
    const seconds = secondsUntilNextResolveTry(request.tries, outage.isAway());
    return queue.postpone(database, request, { seconds, reason: answer.reason });
  }
  outage.observe(true, request.merchantId);
  // No request of a merchant waits for this one: a person must learn that it was refused.
  if (isRefused(answer)) resolving.warn(request, answer.reason);
  await resolving.record(request, answer, performance.now() + RECORD_MILLISECONDS);
  resolving.observe(answer.kind);
}

function isUnclear(answer: AnyAnswer): answer is Unclear {
  return answer.kind === 'unknown' || answer.kind === 'notConnected' || answer.kind === 'notSent';
}

function isRefused(answer: AnyAnswer): answer is { readonly kind: 'refused'; readonly reason: string } {
  return answer.kind === 'refused';
}
