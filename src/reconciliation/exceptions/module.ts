import type { Audit } from '../../audit/audit-event.ts';
import { serve } from '../../platform/http/endpoint.ts';
import { databaseGauge, type Metrics } from '../../platform/metrics.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { EXCEPTION_ENDPOINTS, EXCEPTION_PERIOD_FAULTS, RESOLVE_REFUSALS } from './endpoints.ts';
import { type CountedExceptions, countExceptions } from './exception-writes.sql.ts';

import { resolutionsWrite } from './exceptions.sql.ts';

const OPEN_EXCEPTIONS = databaseGauge('parcela_reconciliation_exceptions', 'Open exceptions, by class.', [
  'class',
]);
const OPEN_EXCEPTIONS_CENTS = databaseGauge(
  'parcela_reconciliation_exceptions_cents',
  'Money of the open exceptions, in cents.',
  ['class'],
);
const OLDEST_EXCEPTION_AGE_SECONDS = databaseGauge(
  'parcela_reconciliation_exceptions_oldest_age_seconds',
  'Age of the oldest open exception; 0: none.',
  ['class'],
);
const SETTLEMENT_LINES_UNMATCHED = databaseGauge(
  'parcela_settlement_lines_unmatched',
  'Lines of files of which no sale is known, and that are looked at again.',
);
const SETTLEMENT_FILES = databaseGauge('parcela_settlement_files', 'Files of the acquirer that were taken.', [
  'format',
]);

export const EXCEPTIONS: Published = {
  endpoints: EXCEPTION_ENDPOINTS,
  refusals: [
    {
      title: 'Periods of exceptions',
      text: 'Why the period of a list of exceptions is no period.',
      refusals: EXCEPTION_PERIOD_FAULTS,
    },
    {
      title: 'Exceptions',
      text: 'Why an exception is not resolved by its merchant.',
      refusals: RESOLVE_REFUSALS,
    },
  ],
};

const COUNT_MILLISECONDS = 10_000;

export function openExceptions(context: ModuleContext & { readonly audit: Audit }): Module {
  const { database, lookUp, search, batched, clock, metrics, audit } = context;
  const writeResolution = batched(resolutionsWrite(audit));
  const observe = observeExceptions(metrics);
  const count = async () => observe(await countExceptions(database));
  return {
    endpoints: serve(EXCEPTION_ENDPOINTS, { lookUp, search, clock, writeResolution }),
    works: [countingWhenRead('countExceptions', COUNT_MILLISECONDS, metrics, count)],
    clockedWork: [],
  };
}

function observeExceptions(metrics: Metrics): (counted: CountedExceptions) => void {
  const open = metrics.gauge(OPEN_EXCEPTIONS);
  const cents = metrics.gauge(OPEN_EXCEPTIONS_CENTS);
  const oldest = metrics.gauge(OLDEST_EXCEPTION_AGE_SECONDS);
  const unmatched = metrics.gauge(SETTLEMENT_LINES_UNMATCHED);
  const files = metrics.gauge(SETTLEMENT_FILES);
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
