import { newIdOf } from '../../idempotency/answer-once.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import type { Acquirers } from '../../providers/open-acquirers.ts';
import type { Instant } from '../../values/instant.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { ReleasedResult, WantedRelease } from '../cancels/cancel.ts';
import { type HeldCharge, postponeResolution, recordResolution } from '../card/resolutions.sql.ts';
import {
  LEASE_MARGIN_MILLISECONDS,
  OUTCOME_MARGIN_MILLISECONDS,
  SHORTEST_USEFUL_TIMEOUT_MILLISECONDS,
} from '../transaction.ts';
import type { ReleaseResult, ReleaseRow } from './releases.sql.ts';

export type ReleaseTools = {
  readonly database: Database;
  readonly acquirers: Pick<Acquirers, 'of'>;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  /** Notified when a callback was enqueued. */
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** Wakes the resolving of charges, which goes on with the void. */
  readonly wakeSignal: WakeSignal;
  readonly writeRelease: BatchedWrite<ReleaseRow, ReleaseResult>;
};

/**
 * Cancels a pre-authorization: commits the intent, after which it can only be voided, and voids it.
 * Without an acknowledgement resolving goes on, as with every charge that must not stay. Throws
 * `CommitUnknown` when the intent is in doubt.
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
  const charge = { merchantId: wanted.merchantId, transactionId: wanted.transactionId, fence, acquirer };
  const isVoided = await voidNow(tools, charge, requestedAt, deadlineAt).catch(() => false);
  return isVoided
    ? { kind: 'canceled', amount, authorizationCode, moment: requestedAt }
    : { kind: 'unknown' };
}

/** False: resolving goes on, at once where that could be recorded, else when the lease ends. */
async function voidNow(
  { database, acquirers, acquirerTimeoutMilliseconds, deliverer, wakeSignal }: ReleaseTools,
  charge: HeldCharge & { readonly acquirer: string },
  moment: Instant,
  deadlineAt: number,
): Promise<boolean> {
  const left = deadlineAt - OUTCOME_MARGIN_MILLISECONDS - performance.now();
  const timeout = Math.min(acquirerTimeoutMilliseconds, left);
  const voided =
    timeout < SHORTEST_USEFUL_TIMEOUT_MILLISECONDS
      ? ({ kind: 'unknown', reason: 'too little time was left' } as const)
      : await acquirers.of(charge.acquirer).voidCharge(charge.merchantId, charge.transactionId, timeout);
  if (voided.kind !== 'voided') {
    const reason = voided.kind === 'declined' ? 'declined while it was being voided' : voided.reason;
    await postponeResolution(database, charge, { seconds: 0, reason });
    wakeSignal.notify();
    return false;
  }
  const { isRecorded, isWaiting } = await recordResolution(database, charge, { state: 'voided' }, moment);
  if (isWaiting) deliverer.notify();
  return isRecorded;
}
