import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type FinishTools, finishRestored } from './finish-restored.ts';
import { countWaiting, EARLIEST_UNFINISHED, type WaitingCounts } from './restored-charges.sql.ts';

const COUNT_MILLISECONDS = 15_000;

/** What a restore has left to be done is gone on with, and counted. */
export function restoredWorks(
  tools: FinishTools & Pick<ModuleContext, 'metrics'>,
  observe: (counted: WaitingCounts) => void,
): Work[] {
  const { database } = tools;
  return [
    {
      name: 'finishRestored',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => finishRestored(tools, signal),
      look: { piece: EARLIEST_UNFINISHED },
    },
    countingWhenRead('countRestored', COUNT_MILLISECONDS, tools.metrics, async () =>
      observe(await countWaiting(database)),
    ),
  ];
}
