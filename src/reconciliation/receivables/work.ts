import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import type { Follower } from './open-follower.ts';

export function followingWork({
  advanceAll,
  look,
  mayBeBehind,
}: Pick<Follower, 'advanceAll' | 'look' | 'mayBeBehind'>): Work {
  return {
    name: 'followMovements',
    wakeSignal: createWakeSignal(),
    runDue: advanceAll,
    look,
    millisecondsUntilDue: (found) => (found !== undefined && mayBeBehind() ? 0 : null),
  };
}
