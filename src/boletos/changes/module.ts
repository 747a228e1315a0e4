import type { Bank, BankChangesAnswer } from '../../banks/bank.ts';
import type { BankSettings } from '../../banks/bank-settings.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { openReminder } from '../../platform/reminder.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { ApplyBankTools } from './apply-bank-changes.ts';
import type { PullBankTools } from './pull-bank-changes.ts';
import { applyingWork, pullingWork } from './work.ts';

/** Homologation asks less often for a merchant without changes. */
const LONGEST_QUIET_FACTOR = 10;

type BankChangesContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly bank: Pick<BankSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
  };
};

/** `changes`: for events that homologation forces; null without a bank. */
export type BankChanges = { readonly works: readonly Work[]; readonly changes: PullBankTools | null };

/**
 * What the bank reports of boletos: payments, cancels and ends of its own. Without one its files are
 * applied.
 */
export function openBankChanges(
  context: BankChangesContext,
  { bank, deliverer }: { readonly bank: Bank | null; readonly deliverer: Deliverer },
): BankChanges {
  const { database, log, metrics } = context;
  const outcomes = metrics.counter(
    'parcela_bank_changes_total',
    'Tries to apply changes of the bank, by what came of them; paidAgain and paidAfter…: payments that nobody expected.',
    ['outcome'],
  );
  const applying: ApplyBankTools = {
    database,
    deliverer,
    wakeSignal: createWakeSignal(),
    observeChange: (outcome) => outcomes.inc({ outcome }),
    warnOfChange: ({ merchantId, changeId, ourNumber, event }, reason) =>
      log.warn({ merchantId, changeId, ourNumber, event, reason }, 'a change of the bank is not as expected'),
  };
  if (bank === null) return { changes: null, works: [applyingWork(applying)] };
  const observeUnreadable = () => outcomes.inc({ outcome: 'unreadable' });
  const changes = pulling(context, bank, applying, observeUnreadable);
  return { changes, works: [pullingWork(changes), applyingWork(applying)] };
}

function pulling(
  { configuration, clock, log, metrics }: BankChangesContext,
  bank: Bank,
  applying: ApplyBankTools,
  countUnreadable: () => void,
): PullBankTools {
  const isProduction = configuration.environment === 'production';
  const unreadable = openReminder((reason, times) =>
    log.warn({ reason, times }, 'what the bank reported was no change: see parcela resolve changes'),
  );
  return {
    ...applying,
    clock,
    bank,
    bankTimeoutMilliseconds: configuration.bank.timeoutMilliseconds,
    isForAllMerchants: isProduction,
    pace: {
      pauseSeconds: configuration.bank.changesSeconds,
      longestQuietFactor: isProduction ? 1 : LONGEST_QUIET_FACTOR,
    },
    observePull: observePulls(log, metrics),
    observeUnreadable: ({ reason }) => {
      countUnreadable();
      unreadable.report(reason);
    },
  };
}

function observePulls(log: Log, metrics: Metrics): PullBankTools['observePull'] {
  const observePage = observePages(metrics);
  const silence = openReminder((reason, times) =>
    log.warn({ reason, times }, 'the bank does not report its changes'),
  );
  let isSilent = false;
  return (outcome, reason) => {
    observePage(outcome);
    if (reason !== null) silence.report(reason);
    else if (isSilent) {
      silence.forget();
      log.info({}, 'the bank reports its changes again');
    }
    isSilent = reason !== null;
  };
}

/** The age of the newest page that this process read; before the first, how long it runs. */
function observePages(metrics: Metrics): (outcome: BankChangesAnswer['kind']) => void {
  let readAt = performance.now();
  const pages = metrics.counter(
    'parcela_bank_change_pages_total',
    'Questions for changes of the bank, by how they were answered.',
    ['outcome'],
  );
  metrics.gauge(
    'parcela_bank_changes_age_seconds',
    'How long ago this process received changes of the bank, or the answer that there are none.',
    [],
    (gauge) => gauge.set((performance.now() - readAt) / 1_000),
  );
  return (outcome) => {
    pages.inc({ outcome });
    if (outcome !== 'unknown') readAt = performance.now();
  };
}
