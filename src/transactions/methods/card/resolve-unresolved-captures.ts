import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { CaptureAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { CaptureState } from '../../capture.ts';
import type { UnansweredRequest } from '../../requests/request-queue.sql.ts';
import {
  OF_ACQUIRER,
  REQUEST_LEASE_MARGIN_MILLISECONDS,
  type ResolveRequests,
  resolveRequests,
} from '../../requests/resolve-requests.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import { CAPTURE_REQUESTS } from './captures.sql.ts';

type DecidedAnswer = Extract<CaptureAnswer, { kind: 'captured' | 'refused' }>;

export type ResolveCapturesTools = AskAcquirerTools &
  Pick<ResolveRequests<UnansweredRequest, DecidedAnswer>, 'outage' | 'observe' | 'warn'> & {
    readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
  };

export function captureLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return 2 * acquirerTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS;
}

/** Asks for the outcome. A capture that the acquirer does not know is sent again, under the same id. */
export function resolveUnresolvedCaptures(tools: ResolveCapturesTools, wakeSignal: WakeSignal): Work {
  const { database, outage, observe, warn, clock } = tools;
  return resolveRequests<UnansweredRequest, DecidedAnswer>(
    {
      ...{ database, outage, observe, warn },
      name: 'resolveUnresolvedCaptures',
      queue: CAPTURE_REQUESTS,
      ...OF_ACQUIRER,
      limits: DISPATCH.unresolvedCaptures,
      leaseMilliseconds: captureLeaseMilliseconds(tools.acquirerTimeoutMilliseconds),
      ask: (capture) => findOrSend(tools, capture),
      async record({ merchantId, requestId: captureId, transactionId, amount }, answer, deadlineAt) {
        const refusalReason = answer.kind === 'refused' ? answer.reason : null;
        const moment = clock.now(merchantId);
        const row = { merchantId, captureId, transactionId, amount, refusalReason, moment };
        await tools.writeCaptureOutcome(row, deadlineAt);
      },
    },
    wakeSignal,
  );
}

async function findOrSend(
  { acquirers, acquirerTimeoutMilliseconds: timeout }: ResolveCapturesTools,
  {
    merchantId,
    transactionId: reference,
    requestId: captureReference,
    acquirer: name,
    amount,
    tid,
    requestedAt,
  }: UnansweredRequest,
): Promise<CaptureAnswer> {
  const acquirer = acquirers.of(name);
  const capture = { merchantId, reference, captureReference, amount, tid };
  const found = await acquirer.findCapture(capture, timeout);
  if (found.kind !== 'notFound') return found;
  return acquirer.capture({ ...capture, capturedAt: requestedAt }, timeout);
}
