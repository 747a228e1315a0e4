import type { InstallmentKey } from '../judging/matched-part.ts';
import { findEntry } from './candidates.sql.ts';
import { claimDueExceptions, type DueException } from './due-exceptions.sql.ts';
import { decideEntries, type MatchTools, withBatches } from './match-due-file.ts';
import { judgeInstallments, recordFoundLine } from './matches.sql.ts';

const EXCEPTIONS_OF_RUN = 100;

/**
 * Looks again at exceptions whose time has come: the sale of a line may be known by now, and the books
 * may have caught up with a file. Gives how many it looked at; throws the first error after all were
 * tried.
 */
export async function judgeDueExceptions(tools: MatchTools, signal: AbortSignal): Promise<number> {
  const due = await claimDueExceptions(tools.database, EXCEPTIONS_OF_RUN);
  const keys = due.flatMap(({ installment }) => (installment === null ? [] : [installment]));
  const errors: unknown[] = [];
  if (keys.length > 0)
    await judge(tools, keys).catch(async () => {
      // One that fails keeps none of the others.
      for (const key of keys)
        if (!signal.aborted) await judge(tools, [key]).catch((error) => errors.push(error));
    });
  for (const exception of due) {
    if (signal.aborted) break;
    if (exception.installment !== null) continue;
    await matchLineAgain(tools, exception).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
  return due.length;
}

async function judge(
  { database, notifyDeliverer }: MatchTools,
  keys: readonly InstallmentKey[],
): Promise<void> {
  if (await judgeInstallments(database, keys)) notifyDeliverer();
}

async function matchLineAgain(
  { database, notifyDeliverer }: MatchTools,
  { exceptionId, fileNumber, lineNumber, sha256 }: DueException,
): Promise<void> {
  if (fileNumber === null || lineNumber === null || sha256 === null) return;
  const entry = await findEntry(database, fileNumber, lineNumber);
  if (entry === null) return;
  const { batches } = await withBatches(database, [entry]);
  const decided = await decideEntries(database, [entry], batches, sha256);
  if (decided.matches.length === 0) return;
  if (await recordFoundLine(database, { exceptionId, fileNumber }, decided)) notifyDeliverer();
}
