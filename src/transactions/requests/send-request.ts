import type { ModuleContext } from '../../platform/module.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import { OUTCOME_MARGIN_MILLISECONDS, SHORTEST_USEFUL_TIMEOUT_MILLISECONDS } from '../transaction.ts';

/** The fence of a request that no process has claimed since its intent was written. */
export const FIRST_FENCE = 0;

/** What every request to an acquirer needs. */
export type AskAcquirerTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly acquirers: Pick<Acquirers, 'of'>;
  readonly acquirerTimeoutMilliseconds: number;
};

type Unanswered = { readonly kind: 'unknown'; readonly reason: string };
type Unsent = { readonly kind: 'notSent' } | { readonly kind: 'notConnected' };

/** A request whose intent is committed: a cancel, capture or release, or one about a boleto or Pix. */
export type SentRequest<Answer extends { readonly kind: string }, Result> = {
  readonly timeoutMilliseconds: number;
  readonly ask: (timeoutMilliseconds: number) => Promise<Answer | Unanswered | Unsent>;
  readonly record: (answer: Answer) => Promise<Result>;
  /**
   * Takes back an unsent request and frees its key. False: another process has claimed it. Null: an unsent
   * request is not taken back, but left to the resolving work.
   */
  readonly withdraw: (() => Promise<boolean>) | null;
  /** Leaves the request to the resolving work, which asks at once. */
  readonly leave: (reason: string) => Promise<void>;
  readonly wakeSignal: WakeSignal;
};

/**
 * Asks the provider outside of any database transaction, and commits the answer. Without a clear answer the
 * request is neither done nor refused, and is repeated. An unsent request is taken back; if that fails, or
 * this process dies before, the work that claims it sends it. `deadlineAt` is in monotonic milliseconds.
 * Throws `CommitUnknown` if the outcome is in doubt.
 */
export async function sendRequest<Answer extends { readonly kind: string }, Result>(
  request: SentRequest<Answer, Result>,
  deadlineAt: number,
): Promise<Result | Unsent | { readonly kind: 'unknown' }> {
  const answer = await askInTime(request.timeoutMilliseconds, deadlineAt, request.ask);
  if (isUnsent(answer)) {
    if (request.withdraw === null) return leaveUnresolved(request, 'it was not sent');
    const isWithdrawn = await orUnlessUnknown(request.withdraw(), () => false);
    return isWithdrawn ? { kind: answer.kind } : { kind: 'unknown' };
  }
  if (isUnanswered(answer)) return leaveUnresolved(request, answer.reason);
  // The provider has answered, so "nothing was done" would be false. The answer is recorded later.
  return orUnlessUnknown<Result | { readonly kind: 'unknown' }>(request.record(answer), (error) =>
    leaveUnresolved(request, `the answer could not be recorded: ${reasonOf(error)}`),
  );
}

/** The provider gets the time until the deadline, less the time to record the answer. */
export async function askInTime<Answer>(
  timeoutMilliseconds: number,
  deadlineAt: number,
  ask: (timeoutMilliseconds: number) => Promise<Answer>,
): Promise<Answer | { readonly kind: 'notSent' }> {
  const left = deadlineAt - OUTCOME_MARGIN_MILLISECONDS - performance.now();
  const timeout = Math.min(timeoutMilliseconds, left);
  return timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS ? { kind: 'notSent' } : ask(timeout);
}

async function leaveUnresolved(
  { leave, wakeSignal }: Pick<SentRequest<{ readonly kind: string }, unknown>, 'leave' | 'wakeSignal'>,
  reason: string,
): Promise<{ readonly kind: 'unknown' }> {
  try {
    await leave(reason);
    wakeSignal.notify();
  } catch {
    // This may fail: the provider is asked again when the lease ends.
  }
  return { kind: 'unknown' };
}

async function orUnlessUnknown<Result>(
  work: Promise<Result>,
  otherwise: (error: unknown) => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    return otherwise(error);
  }
}

function isUnsent(answer: { readonly kind: string }): answer is Unsent {
  return answer.kind === 'notSent' || answer.kind === 'notConnected';
}

function isUnanswered(answer: { readonly kind: string }): answer is Unanswered {
  return answer.kind === 'unknown';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
