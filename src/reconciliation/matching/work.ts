import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { EARLIEST_FILE } from './candidates.sql.ts';
import { COVERAGES_DUE, coveragesDueValues } from './coverages.sql.ts';
import { EARLIEST_EXCEPTION } from './due-exceptions.sql.ts';
import { findMissingPayouts } from './find-missing-payouts.ts';
import { judgeDueExceptions } from './judge-due-exceptions.ts';
import { type MatchTools, matchDueFile } from './match-due-file.ts';

const LOOK_FOR_MISSING_MILLISECONDS = 5_000;

/** Matching of what was taken, and what follows from it by and by. */
export function matchingWorks(tools: MatchTools, wakeSignal: WakeSignal): Work[] {
  return [
    {
      name: 'matchFiles',
      wakeSignal,
      runDue: (signal) => matchDueFile(tools, signal),
      look: { piece: EARLIEST_FILE },
    },
    {
      name: 'judgeExceptions',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => judgeDueExceptions(tools, signal),
      look: { piece: EARLIEST_EXCEPTION },
    },
    everySoOften(
      'findMissingPayouts',
      LOOK_FOR_MISSING_MILLISECONDS,
      async (signal) => void (await findMissingPayouts(tools, signal)),
      { piece: COVERAGES_DUE, values: coveragesDueValues },
    ),
  ];
}
