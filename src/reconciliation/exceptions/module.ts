import type { Audit } from '../../audit/audit-event.ts';
import { serve } from '../../platform/http/endpoint.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import type { Webhooks } from '../../webhooks/module.ts';
import { EXCEPTION_MESSAGES } from '../notifier/contract.ts';
import { EXCEPTION_NOTIFIER_ENDPOINTS } from '../notifier/endpoints.ts';
import { notifierChangesWrite } from '../notifier/exception-notifiers.sql.ts';
import { EXCEPTION_NOTIFIER_REFUSALS } from '../notifier/refusals.ts';
import { EXCEPTION_PERIOD_FAULTS } from './contract.ts';
import { EXCEPTION_ENDPOINTS } from './endpoints.ts';
import type { CountedExceptions } from './exception-counts.sql.ts';
import { countingExceptions } from './work.ts';

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

export type ExceptionsContext = ModuleContext & { readonly audit: Audit };

export type BelowExceptions = {
  readonly webhooks: Pick<Webhooks, 'urlRules' | 'registrationLimit' | 'rememberCallbackEndpoint'>;
};

/** Where the acquirer's files and what it owes differ, and who is notified of it. */
export function openExceptions(context: ExceptionsContext, below: BelowExceptions): Module {
  const { database, search, lookUp, batched, clock, metrics, audit } = context;
  const { webhooks } = below;
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
    works: [countingExceptions({ database }, observeExceptions(metrics))],
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
