import { serve } from '../../platform/http/endpoint.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import { EXCEPTION_PERIOD_FAULTS } from './contract.ts';
import { EXCEPTION_ENDPOINTS } from './endpoints.ts';
import type { CountedExceptions } from './exception-counts.sql.ts';
import { countingExceptions } from './work.ts';

export const EXCEPTIONS: Published = {
  endpoints: EXCEPTION_ENDPOINTS,
  refusals: [
    {
      title: 'Periods of exceptions',
      text: 'Why the period of a list of exceptions is no period.',
      refusals: EXCEPTION_PERIOD_FAULTS,
    },
  ],
};

/** Where the acquirer's files and what it owes differ. */
export function openExceptions({ database, search, clock, metrics }: ModuleContext): Module {
  return {
    endpoints: serve(EXCEPTION_ENDPOINTS, { search, clock }),
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
