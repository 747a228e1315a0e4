import type { BusinessClock } from '../../platform/business-clock.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import { firstDayOf, type TruthRun } from './truth-run.ts';
import {
  claimTruthRun,
  forgetRuns,
  listVerifiedMerchants,
  openNight,
  postponeRun,
} from './truth-runs.sql.ts';
import { leaseOf, type VerifyTools, verifyBatch } from './verify-batch.ts';

const MERCHANTS_OF_READ = 500;
const BEHIND_MILLISECONDS = 15_000;
const DAYS_KEPT = 400;

export type NightTools = VerifyTools & {
  readonly clock: BusinessClock;
  /** Called with a run that has ended. */
  readonly observeEnd: (run: TruthRun) => void;
};

/** Opens the night of every merchant whose business day has begun since its last one. */
export async function openNights(
  { database, clock }: Pick<NightTools, 'database' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  for (let behind = ''; !signal.aborted; ) {
    const merchants = await listVerifiedMerchants(database, behind, MERCHANTS_OF_READ);
    for (const { merchantId, lastNight } of merchants) {
      const day = saoPauloDay(clock.now(merchantId));
      if (lastNight === null || lastNight < day) await openNight(database, merchantId, day, firstDayOf(day));
    }
    const last = merchants.at(-1);
    if (last === undefined || merchants.length < MERCHANTS_OF_READ) return;
    behind = last.merchantId;
  }
}

/** Works on the run that has waited the longest, a batch of it. Gives how many it had. */
export async function verifyDueRun(tools: NightTools, signal: AbortSignal): Promise<number> {
  const { database, observeEnd } = tools;
  const run = await claimTruthRun(database, leaseOf(tools));
  if (run === null) return 0;
  // Nights of merchants whose clocks were moved share the budget of the day on which they are worked on.
  const budget = { key: saoPauloDay(tools.clock.unmoved()), merchants: null };
  const result = await verifyBatch(tools, run, budget, 0, signal);
  if (result.kind === 'behind') await postponeRun(database, run, BEHIND_MILLISECONDS);
  if (result.kind === 'ended') {
    observeEnd(result.run);
    await forgetRuns(database, run.merchantId, addDays(run.day, 0 - DAYS_KEPT) as Day);
  }
  return 1;
}
