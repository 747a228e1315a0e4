import { newIdOf } from '../../../idempotency/answer-once.ts';
import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { notePaymentMade } from '../../../platform/tracing/scope.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { CaptureAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { Cents } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import type { CaptureRefusal, CaptureState } from '../../capture.ts';
import { askOnceSent, lateCaptures, NEVER_SENT } from '../../requests/ask-once-sent.ts';
import { type AskAcquirerTools, FIRST_FENCE, sendRequest } from '../../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import {
  CAPTURE_REQUESTS,
  type CaptureIntentResult,
  type CaptureIntentRow,
  SENT_CAPTURES,
} from './captures.sql.ts';

export type CaptureTools = AskAcquirerTools & {
  readonly minimumInstallment: Cents;
  readonly wakeSignal: WakeSignal;
  readonly writeCaptureIntent: BatchedWrite<CaptureIntentRow, CaptureIntentResult>;
  readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
};

export type CaptureResult =
  | {
      readonly kind: 'captured';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  | { readonly kind: 'refused'; readonly refusal: CaptureRefusal }
  /** The acquirer gave no clear answer. It is asked until it answers, and the capture is completed. */
  | { readonly kind: 'unknown' }
  /** The acquirer was not asked, and the transaction is as it was. */
  | { readonly kind: 'notSent' | 'notConnected' };

/**
 * Captures `amount`, or all of it if null, once: commits the intent, asks the acquirer, commits the outcome,
 * then notifies. Without an answer a capture is completed, not voided, and its transaction cannot be canceled
 * before that. `deadlineAt` is in monotonic milliseconds. Throws `CommitUnknown` if intent or outcome is in
 * doubt.
 */
export async function captureTransaction(
  tools: CaptureTools,
  wanted: {
    readonly merchantId: string;
    readonly transactionId: string;
    readonly amount: Cents | null;
    readonly createdBy: string;
    readonly request: KeyedRequest | null;
  },
  deadlineAt: number,
): Promise<CaptureResult | 'keyUsed'> {
  const requestedAt = tools.clock.now(wanted.merchantId);
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  const { minimumInstallment } = tools;
  const intent = {
    ...wanted,
    captureId: newIdOf(wanted.request),
    requestedAt,
    minimumInstallment,
    leaseMilliseconds,
  };
  const committed = await tools.writeCaptureIntent(intent, deadlineAt);
  if (committed.kind === 'keyUsed') return 'keyUsed';
  if (committed.kind !== 'committed') return committed;
  notePaymentMade({ paymentId: intent.transactionId });
  return sendCapture(tools, { ...intent, ...committed }, deadlineAt);
}

type Capture = CaptureIntentRow & Extract<CaptureIntentResult, { kind: 'committed' }>;
type ClearAnswer =
  | Extract<CaptureAnswer, { kind: 'captured' }>
  | { readonly kind: 'refused'; readonly reason: string };

function sendCapture(tools: CaptureTools, capture: Capture, deadlineAt: number): Promise<CaptureResult> {
  const { merchantId, transactionId: reference, captureId, amount, tid, requestedAt: capturedAt } = capture;
  const question = { merchantId, reference, captureReference: captureId, amount, capturedAt, tid };
  const held = { merchantId, requestId: captureId, fence: FIRST_FENCE };
  const acquirer = tools.acquirers.of(capture.acquirer);
  return sendRequest<ClearAnswer, CaptureResult>(
    {
      timeoutMilliseconds: tools.acquirerTimeoutMilliseconds,
      wakeSignal: tools.wakeSignal,
      ask: (timeout) =>
        askOnceSent<ClearAnswer>({
          database: tools.database,
          requests: SENT_CAPTURES,
          request: { ...held, ...NEVER_SENT },
          late: lateCaptures(acquirer.traits, timeout),
          ask: (markSent) => acquirer.capture({ ...question, markSent }, timeout),
        }),
      record: (answer) => recordAnswer(tools, capture, answer, deadlineAt),
      withdraw: () => withdraw(tools, capture, deadlineAt),
      leave: (reason) => CAPTURE_REQUESTS.postpone(tools.database, held, { seconds: 0, reason }),
    },
    deadlineAt,
  );
}

async function withdraw(
  tools: CaptureTools,
  { merchantId, captureId, transactionId, amount, request }: Capture,
  deadlineAt: number,
): Promise<boolean> {
  const moment = tools.clock.now(merchantId);
  const ended = { refusalReason: 'notSent', fence: FIRST_FENCE, keyToFree: request?.keyHash ?? null };
  const row = { merchantId, captureId, transactionId, amount, moment, ...ended };
  return (await tools.writeCaptureOutcome(row, deadlineAt)) === 'refused';
}

async function recordAnswer(
  tools: CaptureTools,
  { merchantId, captureId, transactionId, amount, authorizationCode }: Capture,
  answer: ClearAnswer,
  deadlineAt: number,
): Promise<CaptureResult> {
  const moment = tools.clock.now(merchantId);
  const fence = FIRST_FENCE;
  const ended = answer.kind === 'refused' ? { refusalReason: answer.reason, fence } : { refusalReason: null };
  const row = { merchantId, captureId, transactionId, amount, moment, ...ended };
  const state = await tools.writeCaptureOutcome(row, deadlineAt);
  if (state === 'capturing') return { kind: 'unknown' };
  return state === 'captured'
    ? { kind: 'captured', amount, authorizationCode, moment }
    : { kind: 'refused', refusal: 'refusedByAcquirer' };
}
