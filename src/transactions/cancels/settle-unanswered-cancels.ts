import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { GatheredWrite } from '../../platform/postgres/gathered-writes.ts';
import { secondsUntilNextSettleTry } from '../transaction.ts';
import type { CancelState } from './cancel.ts';
import type { CancelOutcomeRow } from './cancel-outcomes.sql.ts';
import { claimUnansweredCancels, postponeCancel, type UnansweredCancel } from './cancels.sql.ts';

export type SettleCancelsTools = {
  readonly database: Database;
  readonly acquirer: Acquirer;
  readonly clock: BusinessClock;
  readonly acquirerTimeoutMilliseconds: number;
  readonly writeCancelOutcome: GatheredWrite<CancelOutcomeRow, CancelState>;
  readonly warnOfCancel: (cancel: UnansweredCancel, reason: string) => void;
};

const BATCH = 50;
const RECORD_MILLISECONDS = 8_000;
/** The commit of the answer, with room to spare. */
const LEASE_MARGIN_MILLISECONDS = 15_000;
/** From so many tries on a person should look. */
const TRIES_BEFORE_WARNING = 8;

/**
 * Sends cancels without an answer again, under the same id, until the acquirer says yes or no: it books one id once. Gives
 * how many were taken.
 */
export async function settleUnansweredCancels(
  tools: SettleCancelsTools,
  signal: AbortSignal,
): Promise<number> {
  if (signal.aborted) return 0;
  const lease = tools.acquirerTimeoutMilliseconds + LEASE_MARGIN_MILLISECONDS;
  const cancels = await claimUnansweredCancels(tools.database, BATCH, lease);
  const settled = await Promise.allSettled(cancels.map((cancel) => settleOne(tools, cancel)));
  // One that failed comes again when its lease ends; the loop hears of the first error.
  const failed = settled.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return cancels.length;
}

async function settleOne(tools: SettleCancelsTools, cancel: UnansweredCancel): Promise<void> {
  const { merchantId, cancelId, transactionId, amount, tries } = cancel;
  const request = { merchantId, reference: transactionId, cancellationReference: cancelId, amount };
  const answer = await tools.acquirer.cancel(request, tools.acquirerTimeoutMilliseconds);
  if (answer.kind === 'unknown') {
    if (tries >= TRIES_BEFORE_WARNING) tools.warnOfCancel(cancel, answer.reason);
    await postponeCancel(tools.database, cancel, secondsUntilNextSettleTry(tries), answer.reason);
    return;
  }
  // Nobody waits for this one: a person must learn that the merchant's wish was not done.
  if (answer.kind === 'refused') tools.warnOfCancel(cancel, answer.reason);
  const moment = tools.clock.now(merchantId);
  const refusalReason = answer.kind === 'refused' ? answer.reason : null;
  const row = { merchantId, cancelId, transactionId, amount, refusalReason, moment };
  await tools.writeCancelOutcome(row, performance.now() + RECORD_MILLISECONDS);
}
