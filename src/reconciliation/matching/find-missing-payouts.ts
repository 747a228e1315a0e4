import { judge } from '../judging/judge.sql.ts';
import {
  awaitFollower,
  type CoverageToLook,
  findCoveragesToLook,
  findNotFiled,
  type ReceivablePlace,
  recordLook,
} from './coverages.sql.ts';
import type { MatchTools } from './match-due-file.ts';

const INSTALLMENTS_OF_COMMIT = 400;

/**
 * Judges what was to be paid on days that files cover, and stands in none. Days are looked through again
 * when a file or an installment of them is written later. Repeating it is harmless,
 * in any number of processes: an exception is found once. Gives how many coverages it looked through.
 */
export async function findMissingPayouts(tools: MatchTools, signal: AbortSignal): Promise<number> {
  const coverages = await findCoveragesToLook(tools.database);
  for (const coverage of coverages) {
    if (signal.aborted) break;
    await lookThrough(tools, coverage, signal);
  }
  return coverages.length;
}

async function lookThrough(
  { database, notifyDeliverer }: MatchTools,
  coverage: CoverageToLook,
  signal: AbortSignal,
): Promise<void> {
  await awaitFollower(database, coverage.merchantId);
  let after: ReceivablePlace = [coverage.lookedTo, '00000000-0000-0000-0000-000000000000', 0];
  while (!signal.aborted) {
    const missing = await findNotFiled(database, coverage, after, INSTALLMENTS_OF_COMMIT);
    const last = missing.at(-1);
    const isLast = missing.length < INSTALLMENTS_OF_COMMIT;
    const isWaiting = await database.transaction(async (tx) => {
      const isWaiting = await judge(tx, missing);
      if (isLast) await recordLook(tx, coverage);
      return isWaiting;
    });
    if (isWaiting) notifyDeliverer();
    if (isLast || last === undefined) return;
    after = [last.expectedOn, last.transactionId, last.installmentNumber];
  }
}
