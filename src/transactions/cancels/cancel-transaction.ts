import { newIdOf } from '../../idempotency/answer-once.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { notePaymentMade } from '../../platform/tracing/scope.ts';
import { Overloaded } from '../../platform/work/fair-line.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { CancelAnswer } from '../../providers/acquirers/acquirer.ts';
import { type Acquirers, findableDays, oneByOne, wholeOnly } from '../../providers/open-acquirers.ts';
import type { Cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import { askOnceSent, lateCancels, NEVER_SENT } from '../requests/ask-once-sent.ts';
import { type AskAcquirerTools, FIRST_FENCE, sendRequest } from '../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../transaction.ts';
import {
  type CancelRefusal,
  type CancelState,
  oldestCancelableSales,
  type Release,
  secondsUntilNextPendingTry,
} from './cancel.ts';
import type { AcceptedCancelRow, CancelOutcomeRow } from './cancel-outcomes.sql.ts';
import {
  CANCEL_REQUESTS,
  type CancelIntentResult,
  type CancelIntentRow,
  SENT_CANCELS,
} from './cancels.sql.ts';

export type CancelTools = AskAcquirerTools & {
  readonly acquirers: Pick<Acquirers, 'all'>;
  readonly wakeSignal: WakeSignal;
  readonly cancelWindowDays: number;
  readonly writeCancelIntent: BatchedWrite<CancelIntentRow, CancelIntentResult>;
  readonly writeCancelOutcome: BatchedWrite<CancelOutcomeRow | AcceptedCancelRow, CancelState>;
  readonly releasePreauthorization: Release;
};

export type CancelResult =
  | {
      readonly kind: 'canceled';
      readonly amount: Cents;
      readonly authorizationCode: string;
      readonly moment: Instant;
    }
  /** The acquirer accepted the cancel and decides later. The amount stays held. */
  | { readonly kind: 'pending'; readonly amount: Cents; readonly authorizationCode: string }
  | { readonly kind: 'refused'; readonly refusal: CancelRefusal }
  /** No clear answer: the amount stays held, and the cancel is sent again until it is answered. */
  | { readonly kind: 'unknown' }
  /** The acquirer was not asked, and the amount is free again. */
  | { readonly kind: 'notSent' | 'notConnected' };

/**
 * Gives back `amount`, or all that is left if null: commits the intent, which holds the amount, asks the
 * acquirer, commits the outcome, then notifies. Without an answer a cancel is sent again, not voided as a
 * charge is: giving money back cannot be reversed. `deadlineAt` is in monotonic milliseconds. Throws
 * `CommitUnknown` if intent or outcome is in doubt.
 */
export async function cancelTransaction(
  tools: CancelTools,
  wanted: {
    readonly merchantId: string;
    readonly transactionId: string;
    readonly amount: Cents | null;
    readonly createdBy: string;
    readonly request: KeyedRequest | null;
  },
  deadlineAt: number,
): Promise<CancelResult | 'keyUsed'> {
  const requestedAt = tools.clock.now(wanted.merchantId);
  const oldest = oldestCancelableSales(requestedAt, tools.cancelWindowDays, findableDays(tools.acquirers));
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  const cancelId = newIdOf(wanted.request);
  const places = { wholeAt: wholeOnly(tools.acquirers), oneAt: oneByOne(tools.acquirers) };
  const intent = { ...wanted, cancelId, requestedAt, ...oldest, ...places, leaseMilliseconds };
  const committed = await tools.writeCancelIntent(intent, deadlineAt);
  if (committed.kind === 'keyUsed') return 'keyUsed';
  if (committed.kind === 'refused') return committed;
  notePaymentMade({ paymentId: wanted.transactionId });
  if (committed.kind === 'preauthorized') return letGo(tools, wanted, deadlineAt);
  return sendCancel(tools, { ...intent, ...committed }, deadlineAt);
}

/**
 * Releases a pre-authorization. If a capture or another cancel came first, the cancel starts over to find its
 * refusal. A release that throws `Overloaded` wrote nothing.
 */
async function letGo(
  tools: CancelTools,
  wanted: Parameters<typeof cancelTransaction>[1],
  deadlineAt: number,
): Promise<CancelResult | 'keyUsed'> {
  try {
    const released = await tools.releasePreauthorization(wanted, deadlineAt);
    if (released.kind === 'keyUsed') return 'keyUsed';
    return released.kind === 'overtaken' ? await cancelTransaction(tools, wanted, deadlineAt) : released;
  } catch (error) {
    if (error instanceof Overloaded) return { kind: 'notSent' };
    throw error;
  }
}

type Cancel = CancelIntentRow & Extract<CancelIntentResult, { kind: 'committed' }>;
type ClearAnswer =
  | Extract<CancelAnswer, { kind: 'canceled' | 'pending' }>
  | { readonly kind: 'refused'; readonly reason: string };

function sendCancel(tools: CancelTools, cancel: Cancel, deadlineAt: number): Promise<CancelResult> {
  const { merchantId, transactionId: reference, cancelId, amount, requestedAt, tid, givenBack } = cancel;
  const first = { isAccepted: false, isDenied: false, refundId: null, sinceLastSend: null };
  const history = { tid, givenBack, ...first };
  const held = { merchantId, requestId: cancelId, fence: FIRST_FENCE };
  const references = { reference, cancellationReference: cancelId };
  const question = { merchantId, ...references, amount, requestedAt, history };
  const acquirer = tools.acquirers.of(cancel.acquirer);
  return sendRequest<ClearAnswer, CancelResult>(
    {
      timeoutMilliseconds: tools.acquirerTimeoutMilliseconds,
      wakeSignal: tools.wakeSignal,
      ask: (timeout) =>
        askOnceSent<ClearAnswer>({
          database: tools.database,
          requests: SENT_CANCELS,
          request: { ...held, ...NEVER_SENT },
          late: lateCancels(acquirer.traits),
          ask: (markSent) => acquirer.cancel({ ...question, markSent }, timeout),
        }),
      record: (answer) => recordAnswer(tools, cancel, answer, deadlineAt),
      withdraw: () => withdraw(tools, cancel, deadlineAt),
      leave: (reason) => CANCEL_REQUESTS.postpone(tools.database, held, { seconds: 0, reason }),
    },
    deadlineAt,
  );
}

async function withdraw(
  tools: CancelTools,
  { merchantId, cancelId, transactionId, amount, request }: Cancel,
  deadlineAt: number,
): Promise<boolean> {
  const moment = tools.clock.now(merchantId);
  const ended = { refusalReason: 'notSent', fence: FIRST_FENCE, keyToFree: request?.keyHash ?? null };
  const row = { merchantId, cancelId, transactionId, amount, moment, ...ended };
  return (await tools.writeCancelOutcome(row, deadlineAt)) === 'refused';
}

async function recordAnswer(
  tools: CancelTools,
  { merchantId, cancelId, transactionId, amount, authorizationCode }: Cancel,
  answer: ClearAnswer,
  deadlineAt: number,
): Promise<CancelResult> {
  const moment = tools.clock.now(merchantId);
  const fence = FIRST_FENCE;
  const ended = answer.kind === 'refused' ? { refusalReason: answer.reason, fence } : { refusalReason: null };
  const row =
    answer.kind === 'pending'
      ? {
          ...{ merchantId, cancelId, fence },
          askAfterSeconds: secondsUntilNextPendingTry(0),
          refundId: answer.refundId ?? null,
          overdue: null,
        }
      : { merchantId, cancelId, transactionId, amount, moment, ...ended };
  switch (await tools.writeCancelOutcome(row, deadlineAt)) {
    case 'canceling':
      return { kind: 'unknown' };
    case 'pending':
      return { kind: 'pending', amount, authorizationCode };
    case 'canceled':
      return { kind: 'canceled', amount, authorizationCode, moment };
    case 'refused':
      return { kind: 'refused', refusal: 'refusedByAcquirer' };
  }
}
