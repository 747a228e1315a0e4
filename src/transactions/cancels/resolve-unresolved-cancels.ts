import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { CancelAnswer } from '../../providers/acquirers/acquirer.ts';
import { askOnceSent, lateCancels } from '../requests/ask-once-sent.ts';
import {
  OF_ACQUIRER,
  REQUEST_LEASE_MARGIN_MILLISECONDS,
  type ResolveRequests,
  resolveRequests,
  type Unclear,
} from '../requests/resolve-requests.ts';
import type { AskAcquirerTools } from '../requests/send-request.ts';
import { type CancelState, secondsUntilNextPendingTry } from './cancel.ts';
import type { AcceptedCancelRow, CancelOutcomeRow } from './cancel-outcomes.sql.ts';
import { CANCEL_REQUESTS, SENT_CANCELS, type UnresolvedCancel } from './cancels.sql.ts';

type DecidedAnswer =
  | Extract<CancelAnswer, { kind: 'canceled' | 'pending' }>
  | { readonly kind: 'refused'; readonly reason: string };

export type ResolveCancelsTools = AskAcquirerTools &
  Pick<ResolveRequests<UnresolvedCancel, DecidedAnswer>, 'outage' | 'observe' | 'warn'> & {
    readonly writeCancelOutcome: BatchedWrite<CancelOutcomeRow | AcceptedCancelRow, CancelState>;
  };

export function cancelLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return acquirerTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS;
}

/** Sends undecided cancels again, under the same id, until the acquirer confirms or refuses. */
export function resolveUnresolvedCancels(tools: ResolveCancelsTools, wakeSignal: WakeSignal): Work {
  const { database, outage, observe, warn } = tools;
  return resolveRequests<UnresolvedCancel, DecidedAnswer>(
    {
      ...{ database, outage, observe, warn },
      name: 'resolveUnresolvedCancels',
      queue: CANCEL_REQUESTS,
      limits: DISPATCH.unresolvedCancels,
      leaseMilliseconds: cancelLeaseMilliseconds(tools.acquirerTimeoutMilliseconds),
      ask: (request) => sendAgain(tools, request),
      record: (cancel, answer, deadlineAt) => record(tools, cancel, answer, deadlineAt),
      ...OF_ACQUIRER,
    },
    wakeSignal,
  );
}

function sendAgain(
  { database, acquirers, acquirerTimeoutMilliseconds: timeout }: ResolveCancelsTools,
  request: UnresolvedCancel,
): Promise<DecidedAnswer | Unclear> {
  const { merchantId, requestId, transactionId, amount, requestedAt, denial } = request;
  const acquirer = acquirers.of(request.acquirer);
  const references = { reference: transactionId, cancellationReference: requestId };
  const history = { ...request, isDenied: denial !== null };
  return askOnceSent<DecidedAnswer>({
    ...{ database, request },
    requests: SENT_CANCELS,
    late: lateCancels(acquirer.traits),
    ask: (markSent) =>
      acquirer.cancel({ merchantId, ...references, amount, requestedAt, history, markSent }, timeout),
  });
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
    const { refundId = null, overdue = null } = answer;
    await writeCancelOutcome({ merchantId, cancelId, fence, askAfterSeconds, refundId, overdue }, deadlineAt);
    return;
  }
  const ended = answer.kind === 'refused' ? { refusalReason: answer.reason, fence } : { refusalReason: null };
  const row = { merchantId, cancelId, transactionId, amount, moment: clock.now(merchantId), ...ended };
  await writeCancelOutcome(row, deadlineAt);
}
