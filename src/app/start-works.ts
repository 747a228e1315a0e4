import { errorFields, errorKind } from '../platform/log.ts';
import { counter } from '../platform/metrics.ts';
import { openReminder } from '../platform/reminder.ts';
import { inScope } from '../platform/tracing/scope.ts';
import { startWork, type Work } from '../platform/work/due-work.ts';
import { askLooks } from '../platform/work/looks.sql.ts';
import type { AppContext } from './context.ts';

const WORK_ERRORS = counter(
  'parcela_work_errors_total',
  'Errors of background work that follow from no outage.',
  ['work'],
);

const WORK_IDLE_TURNS = counter(
  'parcela_work_idle_turns_total',
  'Times that background work was due at once and had nothing to do: its rows are locked, or left to others.',
  ['work'],
);

/** One log line a minute for a work that keeps failing. */
const WORK_LINE_MILLISECONDS = 60_000;

/** Failures go to log and metrics. */
export function startWorks(
  { closings, log, metrics, outages, gate, tracer, database }: AppContext,
  works: readonly Work[],
): void {
  const errors = metrics.counter(WORK_ERRORS);
  for (const { name } of works) errors.inc({ work: name }, 0);
  const failures = openReminder<object>(
    (reason, times, fields) => log.error({ ...(fields ?? { reason }), times }, 'background work failed'),
    { pauseMilliseconds: WORK_LINE_MILLISECONDS },
  );
  const onError = (name: string, error: unknown) => {
    if (outages.explains(error, name)) return;
    errors.inc({ work: name });
    failures.report(`${name} ${errorKind(error)}`, { work: name, ...errorFields(error) });
  };
  const idleTurns = metrics.counter(WORK_IDLE_TURNS);
  for (const { name } of works) idleTurns.inc({ work: name }, 0);
  const onIdleTurn = (name: string) => idleTurns.inc({ work: name });
  const options = { gate, ask: askLooks(database.look), onIdleTurn };
  const scope = tracer === null ? undefined : { tracer, span: null, request: null };
  const work = inScope(scope, () => startWork(works, onError, options));
  closings.push({ name: 'work', close: () => work.stop() });
}
