import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { millisecondsUntilDueRun, type NewestRun, readNewestRuns } from './truth-runs.sql.ts';
import { type NightTools, openNights, verifyDueRun } from './verify-due-run.ts';

const LOOK_FOR_NIGHTS_MILLISECONDS = 10_000;
const COUNT_MILLISECONDS = 15_000;

/** Nights are opened, worked on, and counted. */
export function verifyingWorks(tools: NightTools, observe: (runs: readonly NewestRun[]) => void): Work[] {
  const { database } = tools;
  return [
    everySoOften('openNights', LOOK_FOR_NIGHTS_MILLISECONDS, (signal) => openNights(tools, signal)),
    {
      name: 'verifyNights',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => verifyDueRun(tools, signal),
      millisecondsUntilDue: () => millisecondsUntilDueRun(database),
    },
    alsoWhileHeld(
      everySoOften('countRuns', COUNT_MILLISECONDS, async () =>
        observe(await readNewestRuns(database, null)),
      ),
    ),
  ];
}
