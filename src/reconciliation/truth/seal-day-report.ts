import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { addDays, type Day, saoPauloDay } from '../../values/instant.ts';
import { type DayTruth, dayTruth, reportBytes } from './day-truth.ts';
import { insertReport, readReport } from './truth-reports.sql.ts';
import { readRunsOfDay } from './truth-runs.sql.ts';

export type ReportTools = {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'auditSeal'>;
  readonly audit: Pick<Audit, 'transaction'>;
  readonly clock: Pick<BusinessClock, 'unmoved'>;
  readonly environment: string;
  /** In whose name it is audited. */
  readonly service: Actor;
  /** Called with a report that was made. */
  readonly observeReport: (report: DayTruth) => void;
};

/**
 * Makes the report of today once every merchant was verified on it, and that of yesterday, even if some were
 * missed, once it is over. A day on which nothing was verified has none.
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
