import { setTimeout as pause } from 'node:timers/promises';
import type { Day } from '../../values/instant.ts';
import type { BudgetOfRun } from './ask-ledger.ts';
import { firstDayOf, type TruthRun } from './truth-run.ts';
import { openAskedRun } from './truth-runs.sql.ts';
import { leaseOf, type VerifyTools, verifyBatch } from './verify-batch.ts';

const MOST_WAITS = 20;
const PAUSE_MILLISECONDS = 500;

/**
 * Verifies a merchant now, in this process. Null: its receivables did not reach what was recorded, or
 * another process went on with the run.
 */
export async function verifyMerchant(
  tools: VerifyTools,
  { merchantId, day }: { readonly merchantId: string; readonly day: Day },
  budget: BudgetOfRun,
  report: (receivables: number) => void,
): Promise<TruthRun | null> {
  const lease = leaseOf(tools);
  let run = await openAskedRun(tools.database, { merchantId, day, fromOn: firstDayOf(day) }, lease);
  for (let waits = 0; waits < MOST_WAITS; ) {
    const result = await verifyBatch(tools, run, budget, lease, new AbortController().signal);
    if (result.kind === 'gone') return null;
    if (result.kind === 'behind') {
      waits += 1;
      await pause(PAUSE_MILLISECONDS);
      continue;
    }
    run = result.run;
    if (result.kind === 'ended') return run;
    report(run.tally.receivables);
  }
  return null;
}
