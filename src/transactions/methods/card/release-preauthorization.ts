import { newIdOf } from '../../../idempotency/answer-once.ts';
import type { BatchedWrite } from '../../../platform/postgres/batched-writes.ts';
import type { WakeSignal } from '../../../platform/work/wake-signal.ts';
import type { VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { Deliverer } from '../../../webhooks/deliveries/delivery.ts';
import type { ReleasedResult, WantedRelease } from '../../cancels/cancel.ts';
import { type AskAcquirerTools, sendRequest } from '../../requests/send-request.ts';
import { LEASE_MARGIN_MILLISECONDS } from '../../transaction.ts';
import type { ReleaseResult, ReleaseRow } from './releases.sql.ts';
import { postponeResolution, recordResolution } from './resolutions.sql.ts';

type VoidedCharge = Extract<VoidAnswer, { kind: 'voided' }>;

export type ReleaseTools = AskAcquirerTools & {
  /** Notified when a callback was enqueued. */
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** Wakes the resolving of charges, which repeats the void. */
  readonly wakeSignal: WakeSignal;
  readonly writeRelease: BatchedWrite<ReleaseRow, ReleaseResult>;
};

/**
 * Commits the intent, after which the charge can only be voided, and voids it. Without an acknowledgement
 * resolving repeats the void. Throws `CommitUnknown` if the intent is in doubt.
 */
export async function releasePreauthorization(
  tools: ReleaseTools,
  wanted: WantedRelease,
  deadlineAt: number,
): Promise<ReleasedResult> {
  const requestedAt = tools.clock.now(wanted.merchantId);
  const leaseMilliseconds = Math.ceil(deadlineAt - performance.now()) + LEASE_MARGIN_MILLISECONDS;
  const row = { ...wanted, releaseId: newIdOf(wanted.request), requestedAt, leaseMilliseconds };
  const released = await tools.writeRelease(row, deadlineAt);
  if (released.kind !== 'released') return released;
  const { fence, amount, authorizationCode, acquirer } = released;
  const { merchantId, transactionId } = wanted;
  const charge = { merchantId, transactionId, fence };
  const { database } = tools;
  const sent = await sendRequest<VoidedCharge, ReleasedResult>(
    {
      timeoutMilliseconds: tools.acquirerTimeoutMilliseconds,
      wakeSignal: tools.wakeSignal,
      async ask(timeout) {
        const answer = await tools.acquirers.of(acquirer).voidCharge(merchantId, transactionId, timeout);
        if (answer.kind === 'voided') return answer;
        const reason = answer.kind === 'declined' ? 'declined while it was being voided' : answer.reason;
        return { kind: 'unknown', reason };
      },
      async record() {
        const { isRecorded, isWaiting } = await recordResolution(
          database,
          charge,
          { state: 'voided' },
          requestedAt,
        );
        if (isWaiting) tools.deliverer.notify();
        return isRecorded
          ? { kind: 'canceled', amount, authorizationCode, moment: requestedAt }
          : { kind: 'unknown' };
      },
      withdraw: null,
      leave: (reason) => postponeResolution(database, charge, { seconds: 0, reason }),
    },
    deadlineAt,
  );
  return sent.kind === 'notSent' || sent.kind === 'notConnected' ? { kind: 'unknown' } : sent;
}
