import { unusable } from '../../../platform/channels/unclear.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { CaptureAnswer, CaptureDenied } from '../../../providers/acquirers/acquirer.ts';
import type { CaptureState } from '../../capture.ts';
import {
  OF_ACQUIRER,
  REQUEST_LEASE_MARGIN_MILLISECONDS,
  type ResolveRequests,
  resolveRequests,
} from '../../requests/resolve-requests.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import { CAPTURE_REQUESTS, noteDenied, type UnresolvedCapture } from './captures.sql.ts';

type DecidedAnswer = Extract<CaptureAnswer, { kind: 'captured' | 'refused' }>;

export type ResolveCapturesTools = AskAcquirerTools &
  Pick<ResolveRequests<UnresolvedCapture, DecidedAnswer>, 'outage' | 'observe' | 'warn'> & {
    readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
  };

export function captureLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return 2 * acquirerTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS;
}

const DENIED = 'the acquirer said no to it';

/**
 * Asks for the outcome. A capture that the acquirer does not know is sent again, under the same id, until it
 * says no.
 */
export function resolveUnresolvedCaptures(tools: ResolveCapturesTools, wakeSignal: WakeSignal): Work {
  const { database, outage, observe, warn, clock } = tools;
  return resolveRequests<UnresolvedCapture, DecidedAnswer>(
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
  { database, acquirers, acquirerTimeoutMilliseconds: timeout }: ResolveCapturesTools,
  request: UnresolvedCapture,
): Promise<Exclude<CaptureAnswer, CaptureDenied>> {
  const { merchantId, transactionId: reference, requestId: captureReference, amount, tid } = request;
  const acquirer = acquirers.of(request.acquirer);
  const capture = { merchantId, reference, captureReference, amount, tid };
  const found = await acquirer.findCapture(capture, timeout);
  if (found.kind !== 'notFound') return found;
  if (request.millisecondsDenied !== null) {
    const isOver = request.millisecondsDenied >= (acquirer.traits.lateBooking?.horizon ?? 0);
    return isOver ? { kind: 'refused', reason: 'denied' } : unusable(DENIED);
  }
  const answer = await acquirer.capture({ ...capture, capturedAt: request.requestedAt }, timeout);
  if (answer.kind !== 'denied') return answer;
  // One that was sent before may still be booked.
  await noteDenied(database, request);
  return unusable(answer.reason);
}
