import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead, everySoOften } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type ReportTools, sealDayReport } from './seal-day-report.ts';
import { ageOfOldestDifference } from './truth-differences.sql.ts';
import { type KeptReport, readNewestReport } from './truth-reports.sql.ts';
import { EARLIEST_RUN, type NewestRun, readNewestRuns } from './truth-runs.sql.ts';
import { type NightTools, openNights, verifyDueRun } from './verify-due-run.ts';

const LOOK_FOR_NIGHTS_MILLISECONDS = 10_000;
const COUNT_MILLISECONDS = 15_000;
const REPORT_MILLISECONDS = 15_000;

export type CountedTruth = {
  readonly runs: readonly NewestRun[];
  readonly oldestDifference: number;
  /** Null: none was made yet. */
  readonly report: KeptReport | null;
};

async function countTruth(database: Database): Promise<CountedTruth> {
  return {
    runs: await readNewestRuns(database, null),
    oldestDifference: await ageOfOldestDifference(database),
    report: await readNewestReport(database),
  };
}

/** Nights are opened, worked on, and counted. */
export function verifyingWorks(
  tools: NightTools & Pick<ModuleContext, 'metrics'>,
  reporting: ReportTools,
  observe: (counted: CountedTruth) => void,
): Work[] {
  const { database } = tools;
  return [
    everySoOften('openNights', LOOK_FOR_NIGHTS_MILLISECONDS, (signal) => openNights(tools, signal)),
    everySoOften('reportTruth', REPORT_MILLISECONDS, () => sealDayReport(reporting)),
    {
      name: 'verifyNights',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => verifyDueRun(tools, signal),
      look: { piece: EARLIEST_RUN },
    },
    countingWhenRead('countRuns', COUNT_MILLISECONDS, tools.metrics, async () =>
      observe(await countTruth(database)),
    ),
  ];
}
