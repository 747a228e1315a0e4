import type { Database } from '../../../platform/postgres/database.ts';
import type { Work } from '../../../platform/work/due-work.ts';
import { everySoOften } from '../../../platform/work/every-so-often.ts';
import type { VoidAnswer } from '../../../providers/acquirers/acquirer.ts';
import type { AskAcquirerTools } from '../../requests/send-request.ts';
import {
  claimWatchedCharges,
  EARLIEST_WATCHED,
  forgetWatchedCharge,
  type WatchedCharge,
} from './watched-charges.sql.ts';

export type CheckWatchedTools = AskAcquirerTools & {
  readonly database: Database;
  /** Called for a charge that was live after it had been found to be gone: an alarm. */
  readonly alarm: (charge: WatchedCharge, voided: VoidAnswer['kind']) => void;
};

/** Between two looks of this process, and at one charge. */
const LOOK_MILLISECONDS = 5_000;
const PAUSE_MILLISECONDS = 1_800_000;
const BATCH = 20;

export function checkWatchedCharges(tools: CheckWatchedTools): Work {
  const check = async (signal: AbortSignal) => {
    const charges = await claimWatchedCharges(tools.database, BATCH, PAUSE_MILLISECONDS);
    for (const charge of charges) if (!signal.aborted) await checkWatchedCharge(tools, charge);
  };
  return everySoOften('checkWatchedCharges', LOOK_MILLISECONDS, check, { piece: EARLIEST_WATCHED });
}

/**
 * A charge whose outcome was recorded as nothing must not be live, whatever the acquirer booked later, and
 * one that was kept must have no twin.
 */
async function checkWatchedCharge(
  { database, acquirers, acquirerTimeoutMilliseconds: timeout, alarm }: CheckWatchedTools,
  charge: WatchedCharge,
): Promise<void> {
  const { merchantId, transactionId, state, tid, isOver } = charge;
  // A person or a restore may have it in another state; nothing is voided then.
  if (state === 'charging' || state === 'unresolved') return;
  const acquirer = acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  const isKept = state !== 'voided' && state !== 'declined';
  const isLive = found.kind === 'approved' || found.kind === 'preauthorized';
  if (isLive && !isKept) {
    const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
    alarm(charge, voided.kind);
  } else if (found.kind === 'approved' && found.hasTwins === true && tid !== null) {
    const voided = await acquirer.voidTwins(merchantId, transactionId, tid, timeout);
    alarm(charge, voided.kind);
  } else if (isOver && found.kind !== 'unknown' && found.kind !== 'notSent')
    await forgetWatchedCharge(database, charge);
}
