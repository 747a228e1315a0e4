import type { MatchTools } from './match-due-file.ts';
import { judgeInstallments } from './matches.sql.ts';
import { listOlderMatches, markJudged } from './older-matches.sql.ts';

const INSTALLMENTS_OF_COMMIT = 400;

/**
 * Judges again what a process of the version before has matched beside this one: it did not write on which
 * days lines move something of an installment apart, and the days of its merchant would not show it. Marked
 * behind that, in a commit of its own: a process that takes matches back locks them before the installments.
 */
export async function judgeOlderMatches(
  { database, notifyDeliverer }: Pick<MatchTools, 'database' | 'notifyDeliverer'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const matches = await listOlderMatches(database, INSTALLMENTS_OF_COMMIT);
    if (matches.length === 0) return;
    if (await judgeInstallments(database, matches)) notifyDeliverer();
    await markJudged(database, matches);
  }
}
