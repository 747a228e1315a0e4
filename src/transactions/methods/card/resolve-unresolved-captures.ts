import { behindAnswer } from '../../../platform/channels/unclear.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../../platform/work/dispatch-policy.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { CaptureAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { CaptureState } from '../../capture.ts';
import { askOnceSent, lateCaptures } from '../../requests/ask-once-sent.ts';
import {
  OF_ACQUIRER,
  REQUEST_LEASE_MARGIN_MILLISECONDS,
  type ResolveRequests,
  resolveRequests,
  type Unclear,
} from '../../requests/resolve-requests.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import { CAPTURE_REQUESTS, SENT_CAPTURES, type UnresolvedCapture } from './captures.sql.ts';

type DecidedAnswer =
  | Extract<CaptureAnswer, { kind: 'captured' }>
  | { readonly kind: 'refused'; readonly reason: string };

export type ResolveCapturesTools = AskAcquirerTools &
  Pick<ResolveRequests<UnresolvedCapture, DecidedAnswer>, 'outage' | 'observe' | 'warn'> & {
    readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
  };

export function captureLeaseMilliseconds(acquirerTimeoutMilliseconds: number): number {
  return 2 * acquirerTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS;
}

/**
 * Asks the acquirer for the outcome of unresolved captures. One that the acquirer does not know is sent
 * again, under the same id, until it is captured or refused.
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
      async record({ merchantId, requestId: captureId, transactionId, amount, fence }, answer, deadlineAt) {
        const ended =
          answer.kind === 'refused' ? { refusalReason: answer.reason, fence } : { refusalReason: null };
        const row = { merchantId, captureId, transactionId, amount, moment: clock.now(merchantId), ...ended };
        await tools.writeCaptureOutcome(row, deadlineAt);
      },
    },
    wakeSignal,
  );
}

function findOrSend(
  { database, acquirers, acquirerTimeoutMilliseconds: timeout }: ResolveCapturesTools,
  request: UnresolvedCapture,
): Promise<DecidedAnswer | Unclear> {
  const { merchantId, transactionId: reference, requestId: captureReference, amount, tid } = request;
  const acquirer = acquirers.of(request.acquirer);
  const capture = { merchantId, reference, captureReference, amount, tid };
  return askOnceSent<DecidedAnswer>({
    ...{ database, request },
    requests: SENT_CAPTURES,
    late: lateCaptures(acquirer.traits, timeout),
    async ask(markSent) {
      const found = await acquirer.findCapture(capture, timeout);
      if (found.kind !== 'notFound' || request.denial !== null) return found;
      const asked = { ...capture, capturedAt: request.requestedAt, markSent };
      return behindAnswer(await acquirer.capture(asked, timeout));
    },
  });
}
