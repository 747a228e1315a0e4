import type { CaptureAnswer } from '../../acquirers/acquirer.ts';
import { newIdOf } from '../../idempotency/answer-once.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { CommitUnknown } from '../../platform/postgres/database-errors.ts';
import { notePaymentMade } from '../../platform/tracing/scope.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { CaptureRefusal, CaptureState } from '../capture.ts';
import {
  LEASE_MARGIN_MILLISECONDS,
  OUTCOME_MARGIN_MILLISECONDS,
  SHORTEST_USEFUL_TIMEOUT_MILLISECONDS,
} from '../transaction.ts';
import type { CaptureOutcomeRow } from './capture-outcomes.sql.ts';
import { CAPTURE_REQUESTS, type CaptureIntentResult, type CaptureIntentRow } from './captures.sql.ts';

export type CaptureTools = {
  readonly database: Database;
  readonly acquirers: Pick<Acquirers, 'of'>;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  readonly minimumInstallment: Cents;
  /** Wakes the resolving of what is unanswered. */
  readonly wakeSignal: WakeSignal;
  readonly writeCaptureIntent: BatchedWrite<CaptureIntentRow, CaptureIntentResult>;
  readonly writeCaptureOutcome: BatchedWrite<CaptureOutcomeRow, CaptureState>;
};

export type CaptureResult =
  | {
      readonly kind: 'captured';
      readonly amount: Cents;
      /** Of the transaction. */
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  | { readonly kind: 'refused'; readonly refusal: CaptureRefusal }
  /** No clear answer: the capture is asked for, and finished, until the acquirer answers. */
  | { readonly kind: 'unknown' }
  /** The acquirer was not asked, and the transaction is as it was. */
  | { readonly kind: 'notSent' | 'notConnected' };

/** The fence of a capture that no other process has claimed. */
const FIRST_FENCE = 0;

/**
 * Charges an amount of a pre-authorized transaction, or all of it (`amount` null), once: commits the
 * intent, asks the acquirer outside of any database transaction, commits the outcome, then notifies.
 * A capture without an answer is finished and not voided: its transaction cannot be canceled before
 * that. `deadlineAt` in monotonic milliseconds. Throws `CommitUnknown` when intent or outcome is in
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
  const capture = { ...intent, ...committed };
  const answer = await askAcquirer(tools, capture, deadlineAt);
  if (answer.kind === 'unknown') return leaveUnresolved(tools, capture, answer.reason);
  if (answer.kind === 'notSent' || answer.kind === 'notConnected')
    return endUnsent(tools, capture, answer.kind, deadlineAt);
  return recordAnswer(tools, capture, answer, deadlineAt);
}

type Capture = CaptureIntentRow & Extract<CaptureIntentResult, { kind: 'committed' }>;

async function askAcquirer(
  tools: CaptureTools,
  capture: Capture,
  deadlineAt: number,
): Promise<CaptureAnswer | { readonly kind: 'notSent' }> {
  const left = deadlineAt - OUTCOME_MARGIN_MILLISECONDS - performance.now();
  const timeout = Math.min(tools.acquirerTimeoutMilliseconds, left);
  if (timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS) return { kind: 'notSent' };
  const { merchantId, transactionId: reference, captureId: captureReference, amount, requestedAt } = capture;
  const request = { merchantId, reference, captureReference, amount, capturedAt: requestedAt };
  return tools.acquirers.of(capture.acquirer).capture(request, timeout);
}

async function leaveUnresolved(
  { database, wakeSignal }: CaptureTools,
  { merchantId, captureId }: Capture,
  reason: string,
): Promise<CaptureResult> {
  try {
    const request = { merchantId, requestId: captureId, fence: FIRST_FENCE };
    await CAPTURE_REQUESTS.postpone(database, request, { seconds: 0, reason });
    wakeSignal.notify();
  } catch {
    // Needs no record: when the lease ends the capture is asked for.
  }
  return { kind: 'unknown' };
}

/**
 * Takes an unsent capture back, and its key. When that certainly failed, or this process dies
 * before, the work that claims the capture finishes it. Throws `CommitUnknown`: it may never be
 * sent.
 */
async function endUnsent(
  tools: CaptureTools,
  { merchantId, captureId, transactionId, amount, request }: Capture,
  kind: 'notSent' | 'notConnected',
  deadlineAt: number,
): Promise<CaptureResult> {
  const moment = tools.clock.now(merchantId);
  const ended = { refusalReason: 'notSent', fence: FIRST_FENCE, keyToFree: request?.keyHash ?? null };
  const row = { merchantId, captureId, transactionId, amount, moment, ...ended };
  try {
    return (await tools.writeCaptureOutcome(row, deadlineAt)) === 'refused' ? { kind } : { kind: 'unknown' };
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    return { kind: 'unknown' };
  }
}

/**
 * Once the acquirer has answered, "nothing was done" would be false: what cannot be recorded now is
 * recorded later.
 */
async function recordAnswer(
  tools: CaptureTools,
  capture: Capture,
  answer: Extract<CaptureAnswer, { kind: 'captured' | 'refused' }>,
  deadlineAt: number,
): Promise<CaptureResult> {
  const { merchantId, captureId, transactionId, amount, authorizationCode } = capture;
  const moment = tools.clock.now(merchantId);
  const refusalReason = answer.kind === 'refused' ? answer.reason : null;
  const row = { merchantId, captureId, transactionId, amount, refusalReason, moment };
  try {
    const state = await tools.writeCaptureOutcome(row, deadlineAt);
    if (state === 'capturing') return { kind: 'unknown' };
    return state === 'captured'
      ? { kind: 'captured', amount, authorizationCode, moment }
      : { kind: 'refused', refusal: 'refusedByAcquirer' };
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return leaveUnresolved(tools, capture, `the answer could not be recorded: ${reason}`);
  }
}
