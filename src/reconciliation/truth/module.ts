import type { Actor, Audit } from '../../audit/audit-event.ts';
import type { Keyring } from '../../keys/open-keyring.ts';
import type { Log } from '../../platform/log.ts';
import { databaseGauge, type Metrics } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead, everySoOften } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { EXCEPTION_CLASSES } from '../exceptions/exception.ts';
import type { Follower } from '../receivables/open-follower.ts';
import type { AskTools } from './ask-ledger.ts';
import type { DayTruth } from './day-truth.ts';
import { TRUTH_CLASSES } from './truth.ts';
import { ageOfOldestDifference, type KeptReport, readNewestReport } from './truth-differences.sql.ts';
import { isAtOne, type TruthRun } from './truth-run.ts';
import { EARLIEST_RUN, type NewestRun, readNewestRuns } from './truth-runs.sql.ts';
import {
  type NightTools,
  openNights,
  type ReportTools,
  sealDayReport,
  verifyDueRun,
} from './verify-due-run.ts';
import type { LeftOutDays } from './verify-sums.ts';

const LOOK_FOR_NIGHTS_MILLISECONDS = 10_000;
const COUNT_MILLISECONDS = 15_000;
const REPORT_MILLISECONDS = 15_000;

export type CountedTruth = {
  readonly runs: readonly NewestRun[];
  readonly oldestDifference: number;
  readonly report: KeptReport | null;
};

async function countTruth(database: Database): Promise<CountedTruth> {
  return {
    runs: await readNewestRuns(database, null),
    oldestDifference: await ageOfOldestDifference(database),
    report: await readNewestReport(database),
  };
}

function verifyingWorks(
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

const TRUTH_OLDEST_RUN_AGE_SECONDS = databaseGauge(
  'parcela_truth_oldest_run_age_seconds',
  'Since the last verification of the merchant that waits the longest for one; 0: none was verified yet.',
);
const TRUTH_CHARGES = databaseGauge(
  'parcela_truth_charges',
  'Charges that the newest verification of each merchant compared.',
);
const TRUTH_REPORT_AGE = databaseGauge(
  'parcela_truth_report_age_seconds',
  'Since the last sealed report of a day was made; 0: none was.',
);
const TRUTH_REPORT_CHARGES = databaseGauge(
  'parcela_truth_report_charges',
  'Charges that it says were compared on its day.',
);
const TRUTH_REPORT_DIFFERENCES = databaseGauge(
  'parcela_truth_report_differences',
  'Differences that it names.',
);
const TRUTH_RECEIVABLES = databaseGauge(
  'parcela_truth_receivables',
  'Receivables that the newest verification of each merchant compared.',
);
const TRUTH_DAYS = databaseGauge(
  'parcela_truth_days',
  'Days whose kept sums the newest verification of each merchant compared with their rows.',
);
const TRUTH_DAYS_LEFT_OUT = databaseGauge(
  'parcela_truth_days_left_out',
  'Days whose kept sums it could not read, or not in their time: they were not compared.',
);
const TRUTH_DIFFERENCES = databaseGauge(
  'parcela_truth_differences',
  'Differences of the newest verification of each merchant, by class.',
  ['class'],
);
const TRUTH_DIFFERENCES_CENTS = databaseGauge(
  'parcela_truth_differences_cents',
  'The same in cents, without their sign.',
  ['class'],
);
const TRUTH_OLDEST_DIFFERENCE_AGE = databaseGauge(
  'parcela_truth_oldest_difference_age_seconds',
  'For how long the oldest difference has stood; 0: nothing differs.',
);
const TRUTH_SALES_ASKED = databaseGauge(
  'parcela_truth_sales_asked',
  'Sales that the acquirer was asked for in the newest verification of each merchant.',
);
const TRUTH_NOT_ASKED = databaseGauge(
  'parcela_truth_not_asked',
  'What it was not asked for: receivables of sales that it finds no more, and sales that differ and were left out.',
  ['reason'],
);
const TRUTH_CUT_SHORT = databaseGauge(
  'parcela_truth_cut_short',
  'Newest verifications of merchants in which the acquirer stopped answering.',
);

export type TruthContext = ModuleContext & {
  readonly configuration: { readonly acquirerTimeoutMilliseconds: number };
  readonly acquirers: AskTools['acquirers'];
  readonly keyring: Keyring;
  readonly audit: Audit;
};

export type BelowTruth = {
  readonly isUpToDate: Follower['isUpToDate'];
  readonly notifyDeliverer: () => void;
  readonly service: Actor;
};

/** Compares books, feed, files, kept sums and the acquirer's ledger of each merchant, once a night. */
export function openTruth(context: TruthContext, below: BelowTruth): Work[] {
  const { configuration, log, metrics } = context;
  const { environment, acquirerTimeoutMilliseconds } = configuration;
  const tools: Parameters<typeof verifyingWorks>[0] = {
    ...context,
    ...below,
    acquirerTimeoutMilliseconds,
    observeEnd: (run) => logRun(log, run),
    observeLeftOut: (leftOut) => logLeftOut(log, leftOut),
  };
  const observeReport = (report: DayTruth) => logReport(log, report);
  const reporting: ReportTools = { ...context, ...below, environment, observeReport };
  return verifyingWorks(tools, reporting, observeRuns(metrics));
}

function logReport(log: Log, { day, merchants, unverified, charges, differing }: DayTruth): void {
  const fields = { day, merchants, unverified, charges, differing };
  if (differing === 0) log.info(fields, 'the report of a day was made: nothing differs');
  else log.error(fields, 'the report of a day was made: see parcela reconcile truth-report');
}

function logLeftOut(log: Log, { merchantId, summed, days, error }: LeftOutDays): void {
  const [from, to] = [days.at(0), days.at(-1)];
  log.error({ merchantId, summed, from, to, error: String(error) }, 'kept sums of days were left out');
}

function logRun(log: Log, { merchantId, day, tally }: TruthRun): void {
  const { differences, ...sums } = tally;
  if (isAtOne(tally) && tally.daysLeftOut === 0) log.info({ merchantId, day, ...sums }, 'nothing differs');
  else if (isAtOne(tally))
    log.warn({ merchantId, day, ...sums }, 'nothing differs, but sums of days were not compared');
  else
    log.warn(
      { merchantId, day, ...sums, differences },
      'books, feed, files, ledger or kept sums differ: see parcela reconcile report',
    );
}

type Newest = CountedTruth['runs'][number];

function summed(of: (run: Newest) => number): (counted: CountedTruth) => number {
  return ({ runs }) => runs.reduce((all, run) => all + of(run), 0);
}

const SHOWN: readonly (readonly [ReturnType<typeof databaseGauge>, (counted: CountedTruth) => number])[] = [
  [TRUTH_OLDEST_RUN_AGE_SECONDS, ({ runs }) => Math.max(0, ...runs.map(({ ageSeconds }) => ageSeconds))],
  [TRUTH_CHARGES, summed((run) => run.charges)],
  [TRUTH_RECEIVABLES, summed((run) => run.receivables)],
  [TRUTH_DAYS, summed((run) => run.days)],
  [TRUTH_DAYS_LEFT_OUT, summed((run) => run.daysLeftOut)],
  [TRUTH_SALES_ASKED, summed((run) => run.asked)],
  [TRUTH_CUT_SHORT, summed((run) => (run.isCutShort ? 1 : 0))],
  [TRUTH_OLDEST_DIFFERENCE_AGE, ({ oldestDifference }) => oldestDifference],
  [TRUTH_REPORT_AGE, ({ report }) => report?.ageSeconds ?? 0],
  [TRUTH_REPORT_CHARGES, ({ report }) => report?.charges ?? 0],
  [TRUTH_REPORT_DIFFERENCES, ({ report }) => report?.differences ?? 0],
];

function observeRuns(metrics: Metrics): Parameters<typeof verifyingWorks>[2] {
  const shown = SHOWN.map(([gauge, of]) => [metrics.gauge(gauge), of] as const);
  const notAsked = metrics.gauge(TRUTH_NOT_ASKED);
  const count = metrics.gauge(TRUTH_DIFFERENCES);
  const cents = metrics.gauge(TRUTH_DIFFERENCES_CENTS);
  return (counted) => {
    for (const [gauge, of] of shown) gauge.set(of(counted));
    for (const reason of ['beyondLookUp', 'leftOut'] as const)
      notAsked.set({ reason }, summed((run) => run[reason])(counted));
    for (const name of [...EXCEPTION_CLASSES, ...TRUTH_CLASSES]) {
      const ofClass = (of: 'count' | 'cents') =>
        summed(({ differences }) => differences[name]?.[of] ?? 0)(counted);
      count.set({ class: name }, ofClass('count'));
      cents.set({ class: name }, ofClass('cents'));
    }
  };
}
