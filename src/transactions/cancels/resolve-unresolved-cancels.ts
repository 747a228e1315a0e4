import type { Acquirer, CancelAnswer } from '../../acquirers/acquirer.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { secondsUntilNextResolveTry, unsentPostponement } from '../transaction.ts';
import { type CancelState, secondsUntilNextPendingTry } from './cancel.ts';
import type { AcceptedCancelRow, CancelOutcomeRow } from './cancel-outcomes.sql.ts';
import {
  claimUnresolvedCancels,
  millisecondsUntilDueCancel,
  postponeCancel,
  pullCancelsForward,
  type UnresolvedCancel,
} from './cancels.sql.ts';

export type ResolveCancelsTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  readonly writeCancelOutcome: BatchedWrite<CancelOutcomeRow | AcceptedCancelRow, CancelState>;
  /** Whether the acquirer answers any cancel. */
  readonly cancelOutage: OutageWatch;
  readonly observeCancel: (outcome: 'canceled' | 'pending' | 'refused' | 'postponed') => void;
  readonly warnOfCancel: (cancel: UnresolvedCancel, reason: string) => void;
};

const RECORD_MILLISECONDS = 8_000;
/** Time for the commit of the answer. */
const LEASE_MARGIN_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;

export function cancelLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
}

/**
 * Sends undecided cancels again, under the same id, until the acquirer confirms or refuses: it
 * records one id once.
 */
export function resolveUnresolvedCancels(tools: ResolveCancelsTools, wakeSignal: WakeSignal): Work {
  const { database, cancelOutage } = tools;
  const lease = cancelLeaseMilliseconds(tools.acquirerTimeoutMilliseconds);
  return new Dispatcher<UnresolvedCancel, CancelAnswer>({
    name: 'resolveUnresolvedCancels',
    limits: DISPATCH.unresolvedCancels,
    wakeSignal,
    outage: cancelOutage,
    async claim(_limit, share) {
      const tasks = await claimUnresolvedCancels(database, share, lease);
      return { tasks, isEnd: tasks.length === 0 };
    },
    send({ merchantId, cancelId, transactionId, amount, requestedAt }) {
      const references = { reference: transactionId, cancellationReference: cancelId };
      const request = { merchantId, ...references, amount, requestedAt };
      return tools.acquirer.cancel(request, tools.acquirerTimeoutMilliseconds);
    },
    record: (cancel, answer) => record(tools, cancel, answer),
    millisecondsUntilDue: (passedOver) => millisecondsUntilDueCancel(database, passedOver),
    pullForward: (limit) => pullCancelsForward(database, limit, lease),
  });
}

async function record(
  tools: ResolveCancelsTools,
  cancel: UnresolvedCancel,
  answer: CancelAnswer,
): Promise<void> {
  const { merchantId, cancelId, transactionId, amount, tries } = cancel;
  // Without a free connection nothing is known of the acquirer.
  if (answer.kind !== 'notSent')
    tools.cancelOutage.observe(answer.kind !== 'unknown' && answer.kind !== 'notConnected', merchantId);
  if (answer.kind === 'notSent') {
    tools.observeCancel('postponed');
    await postponeCancel(tools.database, cancel, unsentPostponement(answer.reason));
    return;
  }
  if (answer.kind === 'unknown' || answer.kind === 'notConnected') {
    tools.observeCancel('postponed');
    if (tries >= TRIES_BEFORE_WARNING) tools.warnOfCancel(cancel, answer.reason);
    const seconds = secondsUntilNextResolveTry(tries, tools.cancelOutage.isAway());
    await postponeCancel(tools.database, cancel, { seconds, reason: answer.reason });
    return;
  }
  const deadlineAt = performance.now() + RECORD_MILLISECONDS;
  if (answer.kind === 'pending') {
    const askAfterSeconds = secondsUntilNextPendingTry(cancel.isAccepted ? tries : 0);
    const accepted = { merchantId, cancelId, fence: cancel.fence, askAfterSeconds };
    await tools.writeCancelOutcome(accepted, deadlineAt);
    tools.observeCancel(answer.kind);
    return;
  }
  // No request waits for this one: a person must learn that the merchant's cancel was refused.
  if (answer.kind === 'refused') tools.warnOfCancel(cancel, answer.reason);
  const moment = tools.clock.now(merchantId);
  const refusalReason = answer.kind === 'refused' ? answer.reason : null;
  const row = { merchantId, cancelId, transactionId, amount, refusalReason, moment };
  await tools.writeCancelOutcome(row, deadlineAt);
  tools.observeCancel(answer.kind);
}
