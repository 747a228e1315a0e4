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

/** A charge whose outcome was recorded as nothing must not be live, whatever the acquirer booked later. */
export async function checkWatchedCharge(
  { database, acquirers, acquirerTimeoutMilliseconds: timeout, alarm }: CheckWatchedTools,
  charge: WatchedCharge,
): Promise<void> {
  const { merchantId, transactionId, state, isOver } = charge;
  const acquirer = acquirers.of(charge.acquirer);
  const found = await acquirer.find(merchantId, transactionId, timeout);
  const isExpected = state !== 'voided' && state !== 'declined';
  const isLive = found.kind === 'approved' || found.kind === 'preauthorized';
  if (isLive && !isExpected) {
    const voided = await acquirer.voidCharge(merchantId, transactionId, timeout);
    alarm(charge, voided.kind);
    return;
  }
  const isClear = found.kind !== 'unknown' && found.kind !== 'notSent';
  if (isExpected || (isOver && isClear)) await forgetWatchedCharge(database, charge);
}
