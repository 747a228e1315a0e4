import { type Bank, type BankSettings, MOST_BANK_CHANGES } from '../../banks/bank.ts';
import { type Applying, applyingWork } from '../../platform/feeds/apply-changes.ts';
import { type Feed, observeFeed, openFeed } from '../../platform/feeds/open-feed.ts';
import { counter, gauge } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { declarePeer } from '../../platform/process-reports/peer-metrics.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import type { BankChangeResult, WaitingBankChange } from './bank-change.ts';
import { BANK_CURSORS, recordBankChange, WAITING_BANK_CHANGES } from './bank-changes.sql.ts';

const BANK_CHANGES = counter(
  'parcela_bank_changes_total',
  'Tries to apply changes of the bank, by what came of them; paidAgain and paidAfter…: payments that nobody expected.',
  ['outcome'],
);
const BANK_CHANGE_PAGES = counter(
  'parcela_bank_change_pages_total',
  'Questions for changes of the bank, by how they were answered.',
  ['outcome'],
);
const BANK_CHANGES_AGE_SECONDS = gauge(
  'parcela_bank_changes_age_seconds',
  'How long ago this process received changes of the bank, or the answer that there are none.',
);
declarePeer('bank', { feedAge: BANK_CHANGES_AGE_SECONDS });

/** Requests at the same time: issuing needs the other connections to the bank. */
const PULLS_AT_ONCE = 4;
/** What a person should look at. */
const WARNINGS: readonly BankChangeResult[] = [
  'unknownBoleto',
  'forbiddenMove',
  'paidAgain',
  'paidAfterCancel',
  'paidAfterExpiry',
  'paidAfterRefusal',
  'filedAgain',
];

type BankChangesContext = Pick<ModuleContext, 'database' | 'clock' | 'log' | 'metrics'> & {
  readonly configuration: ModuleContext['configuration'] & {
    readonly cell: string | null;
    readonly bank: Pick<BankSettings, 'timeoutMilliseconds' | 'changesSeconds'>;
  };
};

/** `feed`: for events that homologation forces; null without a bank. */
export type BankChanges = { readonly works: readonly Work[]; readonly feed: Feed | null };

/**
 * What the bank reports of boletos: payments, cancels and ends of its own. Without one its files are
 * applied.
 */
export function openBankChanges(
  context: BankChangesContext,
  { bank, deliverer }: { readonly bank: Bank | null; readonly deliverer: Deliverer },
): BankChanges {
  const { database, log, metrics } = context;
  const outcomes = metrics.counter(BANK_CHANGES);
  for (const outcome of [...WARNINGS, 'unreadable']) outcomes.inc({ outcome }, 0);
  const applying: Applying<WaitingBankChange> = {
    name: 'applyBankChanges',
    database,
    wakeSignal: createWakeSignal(),
    waiting: WAITING_BANK_CHANGES,
    subjectOf: ({ ourNumber }) => ourNumber,
    record: (change) => recordBankChange(database, deliverer, change),
    warnings: WARNINGS,
    observeChange: (outcome) => outcomes.inc({ outcome }),
    warnOfChange: ({ merchantId, changeId, ourNumber, event }, reason) =>
      log.warn({ merchantId, changeId, ourNumber, event, reason }, 'a change of the bank is not as expected'),
  };
  if (bank === null) return { feed: null, works: [applyingWork(applying)] };
  const feed = feedOf(context, bank, applying, outcomes);
  return { feed, works: feed.works };
}

function feedOf(
  { configuration, clock, log, metrics }: BankChangesContext,
  bank: Bank,
  applying: Applying<WaitingBankChange>,
  outcomes: Parameters<typeof observeFeed>[0]['outcomes'],
): Feed {
  return openFeed({
    name: 'pullBankChanges',
    clock,
    cursors: BANK_CURSORS,
    ask: bank.changesSince,
    timeoutMilliseconds: configuration.bank.timeoutMilliseconds,
    mostChanges: MOST_BANK_CHANGES,
    pullsAtOnce: PULLS_AT_ONCE,
    pauseSeconds: configuration.bank.changesSeconds,
    isForAllMerchants: configuration.environment === 'production' && configuration.cell === null,
    ...observeFeed({
      log,
      outcomes,
      pages: metrics.counter(BANK_CHANGE_PAGES),
      showAge: (seconds) => metrics.gauge(BANK_CHANGES_AGE_SECONDS, (gauge) => gauge.set(seconds())),
      sentences: {
        silent: 'the bank does not report its changes',
        back: 'the bank reports its changes again',
        unreadable: 'what the bank reported was no change: see parcela resolve changes',
      },
    }),
    applying,
  });
}
