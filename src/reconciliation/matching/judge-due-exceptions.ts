import { judge } from '../judging/judge.sql.ts';
import type { InstallmentKey } from '../judging/judged-installment.ts';
import { findEntry } from './candidates.sql.ts';
import {
  awaitFollower,
  type CoverageToLook,
  findCoveragesToLook,
  findNotFiled,
  type ReceivablePlace,
  recordLook,
} from './coverages.sql.ts';
import { decideEntries, type MatchTools, withBatches } from './match-due-file.ts';
import { claimDueExceptions, type DueException } from './matched-files.sql.ts';
import { judgeInstallments, recordFoundLine } from './matches.sql.ts';

const EXCEPTIONS_OF_RUN = 100;

/**
 * The sale of a line may be known now, or the books may have caught up. Returns the number checked. Tries
 * all, then throws the first error.
 */
export async function judgeDueExceptions(tools: MatchTools, signal: AbortSignal): Promise<number> {
  const due = await claimDueExceptions(tools.database, EXCEPTIONS_OF_RUN);
  const keys = due.flatMap(({ installment }) => (installment === null ? [] : [installment]));
  const errors: unknown[] = [];
  if (keys.length > 0)
    await judgeException(tools, keys).catch(async () => {
      for (const key of keys)
        if (!signal.aborted) await judgeException(tools, [key]).catch((error) => errors.push(error));
    });
  for (const exception of due) {
    if (signal.aborted) break;
    if (exception.installment !== null) continue;
    await matchLineAgain(tools, exception).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
  return due.length;
}

async function judgeException(
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

const INSTALLMENTS_OF_COMMIT = 400;

/**
 * A later file or installment has its days checked again. Repeatable in any number of processes. Returns the
 * number of coverages checked.
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
