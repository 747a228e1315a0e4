import type { Acquirer } from '../../acquirers/acquirer.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { EXCEPTION_CLASSES } from '../exceptions/exception.ts';
import type { Follower } from '../receivables/open-follower.ts';
import { TRUTH_CLASSES } from './truth.ts';
import { isAtOne, type TruthRun } from './truth-run.ts';
import type { NewestRun } from './truth-runs.sql.ts';
import type { NightTools } from './verify-due-run.ts';
import { verifyingWorks } from './work.ts';

export type TruthContext = ModuleContext & {
  readonly configuration: { readonly acquirerTimeoutMilliseconds: number };
  readonly acquirer: Pick<Acquirer, 'find' | 'capabilities'>;
};

export type BelowTruth = {
  readonly isUpToDate: Follower['isUpToDate'];
  readonly notifyDeliverer: () => void;
};

/** Whether books, the acquirer's feed, its files and its ledger agree, once a night. */
export function openTruth(
  { configuration, database, acquirer, clock, log, metrics }: TruthContext,
  { isUpToDate, notifyDeliverer }: BelowTruth,
): Work[] {
  const tools: NightTools = {
    database,
    acquirer,
    clock,
    isUpToDate,
    notifyDeliverer,
    acquirerTimeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
    observeEnd: (run) => logRun(log, run),
  };
  return verifyingWorks(tools, observeRuns(metrics));
}

function logRun(log: Log, { merchantId, day, tally }: TruthRun): void {
  const { differences, ...sums } = tally;
  if (isAtOne(tally)) log.info({ merchantId, day, ...sums }, 'nothing differs');
  else
    log.warn(
      { merchantId, day, ...sums, differences },
      'books, feed, files or ledger differ: see parcela reconcile report',
    );
}

/** Of all processes on this database; counted now and then. */
function observeRuns(metrics: Metrics): (runs: readonly NewestRun[]) => void {
  const age = metrics.gauge(
    'parcela_truth_oldest_run_age_seconds',
    'Since the last verification of the merchant that waits the longest for one; 0: none was verified yet.',
  );
  const compared = metrics.gauge(
    'parcela_truth_receivables',
    'Receivables that the newest verification of each merchant compared.',
  );
  const count = metrics.gauge(
    'parcela_truth_differences',
    'Differences of the newest verification of each merchant, by class.',
    ['class'],
  );
  const cents = metrics.gauge('parcela_truth_differences_cents', 'The same in cents, without their sign.', [
    'class',
  ]);
  const asked = metrics.gauge(
    'parcela_truth_sales_asked',
    'Sales that the acquirer was asked for in the newest verification of each merchant.',
  );
  const notAsked = metrics.gauge(
    'parcela_truth_not_asked',
    'What it was not asked for: receivables of sales that it finds no more, and sales that differ and were left out.',
    ['reason'],
  );
  const cutShort = metrics.gauge(
    'parcela_truth_cut_short',
    'Newest verifications of merchants in which the acquirer stopped answering.',
  );
  return (runs) => {
    const sum = (of: (run: NewestRun) => number) => runs.reduce((all, run) => all + of(run), 0);
    asked.set(
      {},
      sum((run) => run.asked),
    );
    notAsked.set(
      { reason: 'beyondLookUp' },
      sum((run) => run.beyondLookUp),
    );
    notAsked.set(
      { reason: 'leftOut' },
      sum((run) => run.leftOut),
    );
    cutShort.set(
      {},
      sum((run) => (run.isCutShort ? 1 : 0)),
    );
    age.set({}, Math.max(0, ...runs.map(({ ageSeconds }) => ageSeconds)));
    compared.set(
      {},
      sum((run) => run.receivables),
    );
    for (const name of [...EXCEPTION_CLASSES, ...TRUTH_CLASSES]) {
      const found = runs.flatMap(({ differences }) => differences[name] ?? []);
      count.set(
        { class: name },
        found.reduce((all, each) => all + each.count, 0),
      );
      cents.set(
        { class: name },
        found.reduce((all, each) => all + each.cents, 0),
      );
    }
  };
}
