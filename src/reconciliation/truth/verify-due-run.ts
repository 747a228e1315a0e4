import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import type { BudgetOfRun } from './ask-ledger.ts';
import { type DayTruth, dayTruth, reportBytes } from './day-truth.ts';
import { insertReport, readReport } from './truth-differences.sql.ts';
import { firstDayOf, type TruthRun } from './truth-run.ts';
import {
  claimTruthRun,
  forgetRuns,
  listVerifiedMerchants,
  openAskedRun,
  openNight,
  postponeRun,
  readRunsOfDay,
} from './truth-runs.sql.ts';
import { leaseOf, type VerifyTools, verifyBatch } from './verify-batch.ts';

const MERCHANTS_OF_READ = 500;
const BEHIND_MILLISECONDS = 15_000;
const DAYS_KEPT = 400;

export type NightTools = VerifyTools & {
  readonly clock: BusinessClock;
  readonly observeEnd: (run: TruthRun) => void;
};

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

/** Takes one batch of the run that has waited longest. */
export async function verifyDueRun(tools: NightTools, signal: AbortSignal): Promise<number> {
  const { database, observeEnd } = tools;
  const run = await claimTruthRun(database, leaseOf(tools));
  if (run === null) return 0;
  // Merchants with a moved clock use the budget of the real day.
  const budget = { key: saoPauloDay(tools.clock.unmoved()), merchants: null };
  const result = await verifyBatch(tools, run, budget, 0, signal);
  if (result.kind === 'behind') await postponeRun(database, run, BEHIND_MILLISECONDS);
  if (result.kind === 'ended') {
    observeEnd(result.run);
    await forgetRuns(database, run.merchantId, addDays(run.day, 0 - DAYS_KEPT) as Day);
  }
  return 1;
}

const MOST_WAITS = 20;
const PAUSE_MILLISECONDS = 500;

/**
 * Verifies a merchant because somebody asked for it; null: its receivables did not get up to date, or another
 * process took the run.
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

export type ReportTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'auditSeal'>;
  readonly audit: Pick<Audit, 'transaction'>;
  readonly clock: Pick<BusinessClock, 'unmoved'>;
  readonly environment: string;
  readonly service: Actor;
  readonly observeReport: (report: DayTruth) => void;
};

/**
 * Makes today's report once every merchant was verified, and yesterday's even if some were not. A day without
 * any run gets none.
 */
export async function sealDayReport(tools: ReportTools): Promise<void> {
  const today = saoPauloDay(tools.clock.unmoved());
  await makeReport(tools, addDays(today, -1), true);
  await makeReport(tools, today, false);
}

async function makeReport(tools: ReportTools, day: Day, isOver: boolean): Promise<void> {
  const { database, keyring, audit, environment, service, observeReport } = tools;
  if ((await readReport(database, day)) !== null) return;
  const { merchants, runs } = await readRunsOfDay(database, day);
  if (runs.length === 0 || (!isOver && runs.length < merchants)) return;
  const truth = dayTruth({ day, environment, merchants }, runs);
  const report = JSON.stringify(truth);
  const { dataKeyId, seal } = keyring.auditSeal(reportBytes(report));
  const { charges, differing, unverified } = truth;
  const sealed = { report, dataKeyId, seal: seal.toString('hex') };
  const isMade = await audit.transaction(async (tx) => {
    if (!(await insertReport(tx, truth, sealed))) return false;
    tx.record({
      ...service,
      action: 'reconciliation.report',
      outcome: differing === 0 ? 'success' : 'failure',
      resource: `reconciliation/truth/${day}`,
      detail: { charges, differing, unverified, seal: sealed.seal },
    });
    return true;
  });
  if (isMade) observeReport(truth);
}
