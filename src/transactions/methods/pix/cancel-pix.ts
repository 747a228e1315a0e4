import { newIdOf } from '../../../idempotency/answer-once.ts';
import type { KeyedRequest } from '../../../idempotency/idempotency-key.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import { notePaymentMade } from '../../../platform/tracing/scope.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { PixRefundAnswer } from '../../../providers/pix/pix-bank.ts';
import type { Cents } from '../../../values/cents.ts';
import type { Instant } from '../../../values/instant.ts';
import { FIRST_FENCE, sendRequest } from '../../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import { type AskPixBankTools, askPixBank } from './ask-pix-bank.ts';
import { NOT_SENT, nameOf, type Pix, type PixState } from './pix.ts';
import { findPix, type PixMoved, type PixMoveRow } from './pix-charges.sql.ts';
import { moveOf } from './pix-move.ts';
import { resultOfRemove } from './pix-question.ts';
import { hurryReceipts, keepingReceipts } from './receipts/receipts.sql.ts';
import {
  devolutionIdOf,
  type Refund,
  type RefundRefusal,
  type RefundState,
  secondsUntilNextPendingTry,
} from './refunds/refund.ts';
import {
  findRefund,
  REFUND_REQUESTS,
  type RefundIntentResult,
  type RefundIntentRow,
  type RefundOutcome,
  type RefundOutcomeRow,
} from './refunds/refunds.sql.ts';

export type CancelPixTools = AskPixBankTools & {
  /** Wakes the work that resolves refunds. */
  readonly refundSignal: WakeSignal;
  /** Writes nothing after its deadline, because the caller has been answered then. */
  readonly writeWish: BatchedWrite<PixMoveRow, PixMoved>;
  readonly writeRefundIntent: BatchedWrite<RefundIntentRow, RefundIntentResult>;
  readonly writeRefundOutcome: BatchedWrite<RefundOutcomeRow, RefundState>;
};

/**
 * `paidAtBank`: the charge is paid at the bank, which reports the payment shortly. `wholeOnly`: nobody has
 * paid yet, so only the whole charge can be canceled.
 */
export type CancelPixRefusal =
  | RefundRefusal
  | 'notFound'
  | 'notResolved'
  | 'notCharged'
  | 'wholeOnly'
  | 'paidAtBank'
  | 'expired';

export type CancelPixResult =
  | { readonly kind: 'canceled'; readonly amount: Cents; readonly moment: Instant }
  /** The bank is carrying it out: the amount stays held. */
  | { readonly kind: 'pending'; readonly amount: Cents }
  | { readonly kind: 'refused'; readonly refusal: CancelPixRefusal }
  /** The bank gave no clear answer, and is asked until it does. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'notSent' | 'notConnected' };

export type WantedPixCancel = {
  readonly merchantId: string;
  readonly pixId: string;
  /** Null: all that is left. */
  readonly amount: Cents | null;
  /** Which of the payments is given back; null: the one that paid the charge. */
  readonly endToEndId: string | null;
  readonly createdBy: string;
  readonly request: KeyedRequest | null;
};

/**
 * Cancels a charge. One that waits is taken away from the bank; of one that is paid, the payment is given
 * back, whole or in part. Commits what is wanted, asks the bank, commits its answer. `deadlineAt` is in
 * monotonic milliseconds. Throws `CommitUnknown` if a commit is in doubt.
 */
export async function cancelPix(
  tools: CancelPixTools,
  wanted: WantedPixCancel,
  deadlineAt: number,
): Promise<CancelPixResult | 'keyUsed'> {
  const pix = await findPix(tools.database, wanted);
  if (pix === null || pix.refusalReason === NOT_SENT) return refused('notFound');
  if (wanted.endToEndId !== null || pix.payment !== null) return refundPix(tools, pix, wanted, deadlineAt);
  if (wanted.amount !== null && wanted.amount !== pix.amount) return refused('wholeOnly');
  return removePix(tools, wanted, deadlineAt);
}

const refused = (refusal: CancelPixRefusal): CancelPixResult => ({ kind: 'refused', refusal });

type WantedRemoval = Pick<WantedPixCancel, 'merchantId' | 'pixId' | 'request'>;

/** Takes a waiting charge away from the bank, and never gives back what was paid. */
export async function removePix(
  tools: CancelPixTools,
  wanted: WantedRemoval,
  deadlineAt: number,
): Promise<CancelPixResult | 'keyUsed'> {
  const { merchantId, request } = wanted;
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  const begun = await startRemove(tools, wanted, leaseMilliseconds, deadlineAt);
  if (begun === null) return refused('notFound');
  const { held: pix, isMoved } = begun;
  if (!isMoved) return removalOf(pix, tools.clock.now(merchantId));
  const bank = tools.pixBanks.of(pix.bank);
  const remove = async (timeout: number) =>
    keepingReceipts(tools.database, pix, await bank.remove(nameOf(pix), timeout));
  const ask = async (timeout: number) => resultOfRemove(pix, await remove(timeout));
  const unsent = { change: { event: 'keep' } as const, keyToFree: request?.keyHash ?? null };
  const answer = await askPixBank(tools, pix, ask, unsent, deadlineAt);
  if (answer.kind === 'unknown') return { kind: 'unknown' };
  if (answer.kind !== 'recorded') return { kind: answer.kind };
  if (answer.warning === 'paidAtBank') {
    await hurryReceipts(tools.database, pix.bank);
    if (answer.held.state !== 'canceled') return refused('paidAtBank');
  }
  return removalOf(answer.held, tools.clock.now(merchantId));
}

/** Records that a waiting charge is to be taken away. After the lease the resolving work asks the bank. */
export function startRemove(
  { clock, writeWish }: Pick<CancelPixTools, 'clock' | 'writeWish'>,
  { merchantId, pixId, request }: WantedRemoval,
  leaseMilliseconds: number,
  deadlineAt: number,
): Promise<PixMoved> {
  const moment = clock.now(merchantId);
  const decide = (held: Pix) => moveOf(held, { event: 'startRemove' }, moment);
  return writeWish({ merchantId, pixId, keyed: request, decide, leaseMilliseconds }, deadlineAt);
}

/** What a removal came to, by the charge as it stands. */
export function removalOf({ state, amount, isExpiring }: Pix, now: Instant): CancelPixResult {
  if (state === 'canceled') return { kind: 'canceled', amount, moment: now };
  if (state === 'removing' && !isExpiring) return { kind: 'unknown' };
  return refused(OBSTACLES[state]);
}

const OBSTACLES = {
  issuing: 'notResolved',
  waiting: 'paidAtBank',
  removing: 'notResolved',
  paid: 'paidAtBank',
  returned: 'alreadyCanceled',
  canceled: 'alreadyCanceled',
  expired: 'expired',
  refused: 'notCharged',
} as const satisfies Record<PixState, CancelPixRefusal>;

async function refundPix(
  tools: CancelPixTools,
  pix: Pix,
  { merchantId, pixId, amount, endToEndId, createdBy, request }: WantedPixCancel,
  deadlineAt: number,
): Promise<CancelPixResult | 'keyUsed'> {
  const committed = await tools.writeRefundIntent(
    {
      ...{ merchantId, pixId, amount, endToEndId, createdBy, request },
      refundId: newIdOf(request),
      requestedAt: tools.clock.now(merchantId),
      leaseMilliseconds: Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS,
    },
    deadlineAt,
  );
  if (committed.kind === 'keyUsed') return 'keyUsed';
  if (committed.kind === 'refused') return refused(committed.refusal);
  if (committed.kind !== 'committed') return refused('notFound');
  notePaymentMade({ paymentId: pixId });
  return sendRefund(tools, pix, committed.refund, request, deadlineAt);
}

function sendRefund(
  tools: CancelPixTools,
  pix: Pix,
  refund: Refund,
  request: KeyedRequest | null,
  deadlineAt: number,
): Promise<CancelPixResult> {
  const { merchantId, refundId, pixId, endToEndId, amount } = refund;
  const question = { merchantId, endToEndId, refundId: devolutionIdOf(refundId), amount };
  const write = (outcome: RefundOutcome, held: Pick<RefundOutcomeRow, 'fence' | 'keyToFree'> = {}) => {
    const moment = tools.clock.now(merchantId);
    return tools.writeRefundOutcome(
      { ...{ merchantId, refundId, pixId, outcome, moment }, ...held },
      deadlineAt,
    );
  };
  return sendRequest<RefundAnswer, CancelPixResult>(
    {
      timeoutMilliseconds: tools.pixTimeoutMilliseconds,
      wakeSignal: tools.refundSignal,
      ask: (timeout) => tools.pixBanks.of(pix.bank).refund(question, timeout),
      async record(answer) {
        // Other answers say nothing of a later try, so they count only under this fence. Money that was given
        // back is given back.
        await write(outcomeOfAnswer(answer, 0), answer.kind === 'refunded' ? {} : { fence: FIRST_FENCE });
        const now = await findRefund(tools.database, merchantId, refundId);
        return (now === null ? null : refundResult(now)) ?? { kind: 'unknown' };
      },
      async withdraw() {
        const outcome = { event: 'withdraw', reason: NOT_SENT } as const;
        const held = { fence: FIRST_FENCE, keyToFree: request?.keyHash ?? null };
        return (await write(outcome, held)) === 'refused';
      },
      leave: (reason) =>
        REFUND_REQUESTS.postpone(
          tools.database,
          { merchantId, requestId: refundId, fence: FIRST_FENCE },
          { seconds: 0, reason },
        ),
    },
    deadlineAt,
  );
}

type RefundAnswer = Extract<PixRefundAnswer, { kind: 'refunded' | 'pending' | 'refused' }>;

/**
 * What the bank's answer makes of a refund. `tries`: how often its record was asked for since; 0 after the
 * request itself.
 */
export function outcomeOfAnswer(answer: RefundAnswer, tries: number): RefundOutcome {
  switch (answer.kind) {
    case 'refunded':
      return { event: 'confirm' };
    case 'pending':
      return { event: 'accept', askAfterSeconds: secondsUntilNextPendingTry(tries) };
    case 'refused':
      return { event: answer.under === 'conflict' ? 'doubt' : 'refuse', reason: answer.reason };
  }
}

/** Null: no answer yet, or it was never sent and its key is free again. */
export function refundResult({ state, amount, refundedAt, refusalReason }: Refund): CancelPixResult | null {
  switch (state) {
    case 'refunding':
      return null;
    case 'pending':
      return { kind: 'pending', amount };
    case 'refunded':
      return { kind: 'canceled', amount, moment: refundedAt as Instant };
    case 'refused':
      return refusalReason === NOT_SENT ? null : { kind: 'refused', refusal: 'refusedByBank' };
  }
}
