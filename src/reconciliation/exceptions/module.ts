import type { Actor, Audit } from '../../audit/audit-event.ts';
import { serve } from '../../platform/http/endpoint.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { Webhooks } from '../../webhooks/module.ts';
import { watchedFolderWork } from '../imports/work.ts';
import type { MatchTools } from '../matching/match-due-file.ts';
import { countingExceptions, matchingWorks } from '../matching/work.ts';
import { EXCEPTION_MESSAGES } from '../notifier/contract.ts';
import { EXCEPTION_NOTIFIER_ENDPOINTS } from '../notifier/endpoints.ts';
import { notifierChangesWrite } from '../notifier/exception-notifiers.sql.ts';
import { EXCEPTION_NOTIFIER_REFUSALS } from '../notifier/refusals.ts';
import { EXCEPTION_PERIOD_FAULTS } from './contract.ts';
import { EXCEPTION_ENDPOINTS } from './endpoints.ts';
import type { CountedExceptions } from './exception-counts.sql.ts';

export const EXCEPTIONS: Published = {
  messages: EXCEPTION_MESSAGES,
  endpoints: [...EXCEPTION_ENDPOINTS, ...EXCEPTION_NOTIFIER_ENDPOINTS],
  refusals: [
    {
      title: 'Periods of exceptions',
      text: 'Why the period of a list of exceptions is no period.',
      refusals: EXCEPTION_PERIOD_FAULTS,
    },
    {
      title: 'Notifiers of exceptions',
      text: 'Why an address is not notified of exceptions.',
      refusals: EXCEPTION_NOTIFIER_REFUSALS,
    },
  ],
};

export type ExceptionsContext = ModuleContext & {
  readonly configuration: { readonly settlementFolder: string | null };
  readonly audit: Audit;
};

export type BelowExceptions = {
  readonly webhooks: Pick<
    Webhooks,
    'deliverer' | 'urlRules' | 'registrationLimit' | 'rememberCallbackEndpoint'
  >;
  /** In whose name files of the watched folder are taken. */
  readonly service: Actor;
};

/** The acquirer's files, and where they and what it owes differ. */
export function openExceptions(context: ExceptionsContext, below: BelowExceptions): Module {
  const { configuration, database, search, lookUp, batched, clock, log, metrics, audit } = context;
  const { webhooks, service } = below;
  const wakeSignal = createWakeSignal();
  const lines = metrics.counter('parcela_settlement_lines_total', 'Lines of files, by what became of them.', [
    'outcome',
  ]);
  const tools: MatchTools = {
    database,
    notifyDeliverer: () => webhooks.deliverer.notify(),
    observe(matched, unmatched) {
      lines.inc({ outcome: 'matched' }, matched);
      lines.inc({ outcome: 'unmatched' }, unmatched);
    },
  };
  const { settlementFolder } = configuration;
  return {
    endpoints: [
      ...serve(EXCEPTION_ENDPOINTS, { search, clock }),
      ...serve(EXCEPTION_NOTIFIER_ENDPOINTS, {
        lookUp,
        clock,
        urlRules: webhooks.urlRules,
        registrationLimit: webhooks.registrationLimit,
        rememberCallbackEndpoint: webhooks.rememberCallbackEndpoint,
        writeNotifierChange: batched(notifierChangesWrite(audit)),
      }),
    ],
    works: [
      ...matchingWorks(tools, wakeSignal),
      countingExceptions(tools, observeExceptions(metrics)),
      ...(settlementFolder === null
        ? []
        : [
            watchedFolderWork({ database, audit, notify: wakeSignal.notify, log, service }, settlementFolder),
          ]),
    ],
    clockedWork: [],
  };
}

/** Of all processes on this database; counted every few seconds. */
function observeExceptions(metrics: Metrics): (counted: CountedExceptions) => void {
  const gauge = (name: string, help: string) => metrics.gauge(name, help, ['class']);
  const open = gauge('parcela_reconciliation_exceptions', 'Open exceptions, by class.');
  const cents = gauge('parcela_reconciliation_exceptions_cents', 'Money of the open exceptions, in cents.');
  const oldest = gauge(
    'parcela_reconciliation_exceptions_oldest_age_seconds',
    'Age of the oldest open exception; 0: none.',
  );
  const unmatched = metrics.gauge(
    'parcela_settlement_lines_unmatched',
    'Lines of files of which no sale is known, and that are looked at again.',
  );
  const files = metrics.gauge('parcela_settlement_files', 'Files of the acquirer that were taken.', [
    'format',
  ]);
  return (counted) => {
    for (const each of counted.open) {
      open.set({ class: each.class }, each.count);
      cents.set({ class: each.class }, each.cents);
      oldest.set({ class: each.class }, each.oldestAge);
    }
    unmatched.set(counted.unmatchedLines);
    for (const { format, count } of counted.files) files.set({ format }, count);
  };
}
