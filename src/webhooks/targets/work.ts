import type { Database } from '../../platform/postgres/database.ts';
import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { giveUpRemoved } from './give-up-removed.ts';

const FOLLOW_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 30_000;

/** Gives up what waits for removed targets: when the bell rings, and now and then what came after. */
export function removedTargetsWork(database: Database, bell: Bell): Work {
  let nextAt = 0;
  let ringsHeard = bell.count();
  return {
    name: 'giveUpRemovedTargets',
    bell,
    async runDue(signal) {
      if (performance.now() < nextAt && bell.count() === ringsHeard) return 0;
      ringsHeard = bell.count();
      const { givenUp, isAnyLeft } = await giveUpRemoved(database, signal);
      nextAt = performance.now() + (isAnyLeft ? FOLLOW_MILLISECONDS : PAUSE_MILLISECONDS);
      if (givenUp > 0) nextAt = 0;
      return givenUp;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
