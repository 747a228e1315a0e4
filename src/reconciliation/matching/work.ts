import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { millisecondsUntilDueFile } from './candidates.sql.ts';
import { millisecondsUntilDueException } from './due-exceptions.sql.ts';
import { findMissingPayouts } from './find-missing-payouts.ts';
import { judgeDueExceptions } from './judge-due-exceptions.ts';
import { judgeOlderMatches } from './judge-older-matches.ts';
import { type MatchTools, matchDueFile } from './match-due-file.ts';

const LOOK_FOR_MISSING_MILLISECONDS = 5_000;
const LOOK_FOR_OLDER_MILLISECONDS = 5_000;

/** Matching of what was taken, and what follows from it by and by. */
export function matchingWorks(tools: MatchTools, wakeSignal: WakeSignal): Work[] {
  return [
    {
      name: 'matchFiles',
      wakeSignal,
      runDue: (signal) => matchDueFile(tools, signal),
      millisecondsUntilDue: () => millisecondsUntilDueFile(tools.database),
    },
    {
      name: 'judgeExceptions',
      wakeSignal: createWakeSignal(),
      runDue: (signal) => judgeDueExceptions(tools, signal),
      millisecondsUntilDue: () => millisecondsUntilDueException(tools.database),
    },
    everySoOften('findMissingPayouts', LOOK_FOR_MISSING_MILLISECONDS, async (signal) => {
      await findMissingPayouts(tools, signal);
    }),
    everySoOften('judgeOlderMatches', LOOK_FOR_OLDER_MILLISECONDS, (signal) =>
      judgeOlderMatches(tools, signal),
    ),
  ];
}
