import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { Follower } from './open-follower.ts';

/** Looks once a second while nothing is behind. */
export function followingWork({ advanceAll }: Pick<Follower, 'advanceAll'>): Work {
  return {
    name: 'followMovements',
    wakeSignal: createWakeSignal(),
    runDue: advanceAll,
    millisecondsUntilDue: async () => null,
  };
}
