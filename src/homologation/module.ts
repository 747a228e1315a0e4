import { serve } from '../platform/http/endpoint.ts';
import type { Module, ModuleContext, Published } from '../platform/module.ts';
import { CLOCKED_KINDS, type ClockedWork } from '../platform/work/clocked-work.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { CLOCK_FAULTS } from './clock/contract.ts';
import { CLOCK_ENDPOINTS } from './clock/endpoints.ts';
import type { TestClock } from './clock/open-test-clock.ts';
import { CLOCK_REFUSALS } from './clock/refusals.ts';
import { clockWork, followClocks } from './clock/work.ts';
import { LEDGER_ENDPOINTS } from './endpoints.ts';
import type { EventTools } from './events/ask-for-event.ts';
import { EVENT_FAULTS } from './events/contract.ts';
import { EVENT_ENDPOINTS } from './events/endpoints.ts';
import { pullClockedChanges } from './events/pull-clocked-changes.ts';
import { EVENT_REFUSALS } from './events/refusals.ts';
import TEXTS from './texts.json' with { type: 'json' };
import { TRIALS } from './trials.ts';

export const HOMOLOGATION: Published = {
  tables: TRIALS,
  texts: TEXTS,
  endpoints: [...LEDGER_ENDPOINTS, ...CLOCK_ENDPOINTS, ...EVENT_ENDPOINTS],
  refusals: [
    {
      title: 'Goal of a jump',
      text: 'Homologation only: what the fields of a jump of the test clock must be to each other.',
      refusals: CLOCK_FAULTS,
    },
    {
      title: 'Test clock',
      text: 'Homologation only: why the test clock is not moved.',
      refusals: CLOCK_REFUSALS,
    },
    {
      title: 'Fields of an event',
      text: 'What the fields of an event of homologation must be to each other.',
      refusals: EVENT_FAULTS,
    },
    {
      title: 'Events by hand',
      text: 'Why an event of homologation does not happen.',
      refusals: EVENT_REFUSALS,
    },
  ],
};

/**
 * Due work that cannot be run keeps the clock for longer than any lease on it, so that the lease of
 * a dead process ends first.
 */
const PATIENCE_MILLISECONDS = 45_000;

type HomologationContext = Pick<ModuleContext, 'database' | 'log'> & {
  readonly configuration: { readonly clockAnswerMilliseconds: number };
  readonly testClock: TestClock;
};

/** `stopWaiting`: the callers that wait for the end of a jump are answered. */
export type Homologation = Module & { readonly stopWaiting: () => Promise<void> };

/**
 * The simulator's ledger, forced events, and the test clock, which runs all work that falls due by
 * business time.
 */
export function openHomologation(
  { configuration, database, log, testClock }: HomologationContext,
  { simulatorUrl, changes }: EventTools,
  clockedWork: readonly ClockedWork[],
): Homologation {
  const stopping = new AbortController();
  const [wakeSignal, ended] = [createWakeSignal(), createWakeSignal()];
  const works = [pullClockedChanges({ simulatorUrl, changes }), ...clockedWork].toSorted(
    (one, other) => CLOCKED_KINDS.indexOf(one.name) - CLOCKED_KINDS.indexOf(other.name),
  );
  return {
    stopWaiting: async () => stopping.abort(),
    endpoints: [
      ...serve(LEDGER_ENDPOINTS, { simulatorUrl }),
      ...serve(EVENT_ENDPOINTS, { simulatorUrl, changes }),
      ...serve(CLOCK_ENDPOINTS, {
        database,
        testClock,
        wakeSignal,
        ended,
        answerMilliseconds: configuration.clockAnswerMilliseconds,
        stopping: stopping.signal,
      }),
    ],
    works: [
      followClocks(testClock),
      clockWork({
        database,
        testClock,
        wakeSignal,
        ended,
        works,
        patienceMilliseconds: PATIENCE_MILLISECONDS,
        warn: (merchantId, kind, dueAt) =>
          log.warn({ merchantId, kind, dueAt }, 'the test clock went past something that could not be run'),
        warnOfManySteps: (merchantId) =>
          log.warn(
            { merchantId },
            'the test clock passed the rest of a jump at once: too much fell due in it',
          ),
      }),
    ],
    clockedWork: [],
  };
}
