import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { claimJumps, type HeldJump } from './jumps.sql.ts';
import { JUMP_LEASE_MILLISECONDS, type MoveTools, moveClock } from './move-clock.ts';
import type { TestClock } from './open-test-clock.ts';

const FOLLOW_MILLISECONDS = 250;

/**
 * Moves the clocks that are in a jump and that no process holds: new ones, and those of a process
 * that died.
 */
export function clockWork(
  tools: MoveTools & { readonly wakeSignal: WakeSignal; readonly ended: WakeSignal },
): Work {
  return new Dispatcher<HeldJump, void>({
    name: 'moveClocks',
    limits: DISPATCH.jumps,
    wakeSignal: tools.wakeSignal,
    async claim(limit) {
      const tasks = await claimJumps(tools.database, limit, JUMP_LEASE_MILLISECONDS);
      return { tasks, isEnd: true };
    },
    send: (jump, stopping) => moveClock(tools, jump, stopping).finally(() => tools.ended.notify()),
    record: async () => {},
    millisecondsUntilDue: async () => null,
  });
}

export function followClocks(testClock: TestClock): Work {
  return alsoWhileHeld(everySoOften('followClocks', FOLLOW_MILLISECONDS, () => testClock.reload()));
}
