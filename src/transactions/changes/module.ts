import type { Acquirer, ChangesAnswer } from '../../acquirers/acquirer.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext } from '../../platform/module.ts';
import { openReminder } from '../../platform/reminder.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { RecordTools } from './change-outcomes.sql.ts';
import type { PullTools } from './pull-changes.ts';
import { applyingWork, pullingWork } from './work.ts';

/** Homologation asks less often for a merchant without changes. */
const LONGEST_QUIET_FACTOR = 10;

type ChangesContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly changesSeconds: number;
    readonly acquirerTimeoutMilliseconds: number;
  };
  readonly acquirer: Acquirer;
};

/** `changes`: for events that homologation forces. */
export type Changes = Module & { readonly changes: PullTools };

/**
 * The acquirer's changes of charges. Homologation asks for each merchant by itself; production asks
 * once for all.
 */
export function openChanges(
  { configuration, database, clock, acquirer, log, metrics }: ChangesContext,
  { deliverer, chargebacks }: Required<Pick<RecordTools, 'deliverer' | 'chargebacks'>>,
): Changes {
  const isProduction = configuration.environment === 'production';
  const outcomes = metrics.counter(
    'parcela_acquirer_changes_total',
    'Tries to apply changes of the acquirer, by what came of them.',
    ['outcome'],
  );
  const unreadable = openReminder((reason, times) =>
    log.warn({ reason, times }, 'what the acquirer reported was no change: see parcela resolve changes'),
  );
  const changes: PullTools = {
    database,
    clock,
    acquirer,
    acquirerTimeoutMilliseconds: configuration.acquirerTimeoutMilliseconds,
    deliverer,
    chargebacks,
    // Its own signal: what wakes the resolving of payments has no changes to apply.
    wakeSignal: createWakeSignal(),
    isForAllMerchants: isProduction,
    pace: {
      pauseSeconds: configuration.changesSeconds,
      longestQuietFactor: isProduction ? 1 : LONGEST_QUIET_FACTOR,
    },
    observeChange: (outcome) => outcomes.inc({ outcome }),
    warnOfChange: ({ merchantId, changeId, reference, installmentNumber }, reason) =>
      log.warn({ merchantId, changeId, reference, installmentNumber, reason }, 'a change was not applied'),
    observePull: observePulls(log, metrics),
    observeUnreadable: ({ reason }) => {
      outcomes.inc({ outcome: 'unreadable' });
      unreadable.report(reason);
    },
  };
  return {
    changes,
    endpoints: [],
    works: [pullingWork(changes), applyingWork(changes)],
    clockedWork: [],
  };
}

function observePulls(log: Log, metrics: Metrics): PullTools['observePull'] {
  const observePage = observePages(metrics);
  const silence = openReminder((reason, times) =>
    log.warn({ reason, times }, 'the acquirer does not report its changes'),
  );
  let isSilent = false;
  return (outcome, reason) => {
    observePage(outcome);
    if (reason !== null) silence.report(reason);
    else if (isSilent) {
      silence.forget();
      log.info({}, 'the acquirer reports its changes again');
    }
    isSilent = reason !== null;
  };
}

/** The age of the newest page that this process read; before the first, how long it runs. */
function observePages(metrics: Metrics): (outcome: ChangesAnswer['kind']) => void {
  let readAt = performance.now();
  const pages = metrics.counter(
    'parcela_acquirer_change_pages_total',
    'Questions for changes of the acquirer, by how they were answered.',
    ['outcome'],
  );
  metrics.gauge(
    'parcela_acquirer_changes_age_seconds',
    'How long ago this process received changes, or the answer that there are none.',
    [],
    (gauge) => gauge.set((performance.now() - readAt) / 1_000),
  );
  return (outcome) => {
    pages.inc({ outcome });
    if (outcome !== 'unknown') readAt = performance.now();
  };
}
