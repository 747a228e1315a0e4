import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { CancelAnswer } from '../../providers/acquirers/acquirer.ts';
import {
  OF_ACQUIRER,
  REQUEST_LEASE_MARGIN_MILLISECONDS,
  type ResolveRequests,
  resolveRequests,
} from '../requests/resolve-requests.ts';
import type { AskAcquirerTools } from '../requests/send-request.ts';
import { type CancelState, secondsUntilNextPendingTry } from './cancel.ts';
import type { AcceptedCancelRow, CancelOutcomeRow } from './cancel-outcomes.sql.ts';
import { CANCEL_REQUESTS, markCancelSent, type UnresolvedCancel } from './cancels.sql.ts';

type DecidedAnswer = Extract<CancelAnswer, { kind: 'canceled' | 'pending' | 'refused' }>;

export type ResolveCancelsTools = AskAcquirerTools &
  Pick<ResolveRequests<UnresolvedCancel, DecidedAnswer>, 'outage' | 'observe' | 'warn'> & {
    readonly writeCancelOutcome: BatchedWrite<CancelOutcomeRow | AcceptedCancelRow, CancelState>;
  };

export function cancelLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return acquirerTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS;
}

/** Sends undecided cancels again, under the same id, until the acquirer confirms or refuses. */
export function resolveUnresolvedCancels(tools: ResolveCancelsTools, wakeSignal: WakeSignal): Work {
  const { database, outage, observe, warn, acquirers, acquirerTimeoutMilliseconds: timeout } = tools;
  return resolveRequests<UnresolvedCancel, DecidedAnswer>(
    {
      ...{ database, outage, observe, warn },
      name: 'resolveUnresolvedCancels',
      queue: CANCEL_REQUESTS,
      limits: DISPATCH.unresolvedCancels,
      leaseMilliseconds: cancelLeaseMilliseconds(timeout),
      ask({ merchantId, requestId, transactionId, acquirer, amount, requestedAt, ...history }) {
        const references = { reference: transactionId, cancellationReference: requestId };
        const markSent = () => markCancelSent(database, { merchantId, requestId, fence: history.fence });
        const request = { merchantId, ...references, amount, requestedAt, history, markSent };
        return acquirers.of(acquirer).cancel(request, timeout);
      },
      record: (cancel, answer, deadlineAt) => record(tools, cancel, answer, deadlineAt),
      ...OF_ACQUIRER,
    },
    wakeSignal,
  );
}

async function record(
  { clock, writeCancelOutcome }: ResolveCancelsTools,
  cancel: UnresolvedCancel,
  answer: DecidedAnswer,
  deadlineAt: number,
): Promise<void> {
  const { merchantId, requestId: cancelId, transactionId, amount, fence, tries, isAccepted } = cancel;
  if (answer.kind === 'pending') {
    const askAfterSeconds = secondsUntilNextPendingTry(isAccepted ? tries : 0);
    const refundId = answer.refundId ?? null;
    await writeCancelOutcome({ merchantId, cancelId, fence, askAfterSeconds, refundId }, deadlineAt);
    return;
  }
  const refusalReason = answer.kind === 'refused' ? answer.reason : null;
  const moment = clock.now(merchantId);
  const row = { merchantId, cancelId, transactionId, amount, refusalReason, moment };
  await writeCancelOutcome(row, deadlineAt);
}
