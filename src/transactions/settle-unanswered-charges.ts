import type { Acquirer } from '../acquirers/acquirer.ts';
import type { Database } from '../platform/postgres/database.ts';
import {
  claimUnansweredCharges,
  postponeSettlement,
  recordSettlement,
  type Settlement,
  type UnansweredCharge,
} from './settlements.sql.ts';
import { secondsUntilNextSettleTry } from './transaction.ts';

export type SettleTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly acquirerTimeoutMilliseconds: number;
  readonly observe: (outcome: 'undone' | 'declined' | 'postponed' | 'takenOver') => void;
  readonly warn: (charge: UnansweredCharge, reason: string) => void;
};

const BATCH = 50;
/** Two calls to the acquirer and a commit, with room to spare. */
const LEASE_MARGIN_MILLISECONDS = 10_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;

/**
 * Finds the truth of charges without a known outcome and makes it final. Nobody was told that such a payment succeeded,
 * so it is undone; the tombstone is laid also when the acquirer knows nothing, because the authorization may still be on
 * its way. Tried until it is acknowledged. Gives how many charges were taken.
 */
export async function settleUnansweredCharges(tools: SettleTools, signal: AbortSignal): Promise<number> {
  const lease = 2 * tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  if (signal.aborted) return 0;
  const charges = await claimUnansweredCharges(tools.database, BATCH, lease);
  const settled = await Promise.allSettled(charges.map((charge) => settleOne(tools, charge)));
  // One that failed comes again when its lease ends; the loop hears of the first error.
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return charges.length;
}

async function settleOne(tools: SettleTools, charge: UnansweredCharge): Promise<void> {
  const settlement = await findTruth(tools, charge);
  if (typeof settlement === 'string') {
    tools.observe('postponed');
    if (charge.tries >= TRIES_BEFORE_WARNING) tools.warn(charge, settlement);
    await postponeSettlement(tools.database, charge, secondsUntilNextSettleTry(charge.tries), settlement);
    return;
  }
  const isRecorded = await recordSettlement(tools.database, charge, settlement);
  tools.observe(isRecorded ? settlement.state : 'takenOver');
}

/** The settlement, or the reason why there is none yet. */
async function findTruth(tools: SettleTools, charge: UnansweredCharge): Promise<Settlement | string> {
  const { merchantId, transactionId } = charge;
  const timeout = tools.acquirerTimeoutMilliseconds;
  const found = await tools.acquirer.find(merchantId, transactionId, timeout);
  if (found.kind === 'declined') {
    return { state: 'declined', responseCode: found.responseCode, adviceCode: found.adviceCode };
  }
  if (found.kind === 'undone') return { state: 'undone' };
  // Approved, not found, or unclear: the tombstone is right for all three.
  const undo = await tools.acquirer.undo(merchantId, transactionId, timeout);
  if (undo.kind === 'undone') return { state: 'undone' };
  // It was declined in between: asking again gives its code.
  return undo.kind === 'declined' ? 'declined while it was being undone' : undo.reason;
}
