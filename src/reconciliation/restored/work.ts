import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type FinishTools, finishRestored } from './finish-restored.ts';
import { countWaiting, millisecondsUntilUnfinished, type WaitingCounts } from './restored-charges.sql.ts';

const COUNT_MILLISECONDS = 15_000;

/** What a restore has left to be done is gone on with, and counted. */
export function restoredWorks(tools: FinishTools, observe: (counted: WaitingCounts) => void): Work[] {
  const { database } = tools;
  return [
    {
      name: 'finishRestored',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => finishRestored(tools, signal),
      millisecondsUntilDue: () => millisecondsUntilUnfinished(database),
    },
    alsoWhileHeld(
      everySoOften('countRestored', COUNT_MILLISECONDS, async () => observe(await countWaiting(database))),
    ),
  ];
}
