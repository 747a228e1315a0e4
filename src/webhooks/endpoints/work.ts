import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { giveUpRemoved } from './give-up-removed.ts';

const FOLLOW_MILLISECONDS = 1_000;
const PAUSE_MILLISECONDS = 30_000;

/**
 * Gives up the deliveries of removed endpoints: at a wake signal, and from time to time those that
 * came after.
 */
export function removedEndpointsWork(database: Database, wakeSignal: WakeSignal): Work {
  let nextAt = 0;
  let wakesSeen = wakeSignal.count();
  return {
    name: 'giveUpRemovedEndpoints',
    wakeSignal,
    async runDue(signal) {
      if (performance.now() < nextAt && wakeSignal.count() === wakesSeen) return 0;
      wakesSeen = wakeSignal.count();
      const { givenUp, isAnyLeft } = await giveUpRemoved(database, signal);
      nextAt = performance.now() + (isAnyLeft ? FOLLOW_MILLISECONDS : PAUSE_MILLISECONDS);
      if (givenUp > 0) nextAt = 0;
      return givenUp;
    },
    millisecondsUntilDue: () => Math.max(0, nextAt - performance.now()),
  };
}
