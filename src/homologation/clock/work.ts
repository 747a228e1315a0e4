import { READ_TIME } from '../../platform/database-time.sql.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, following, noting } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { claimJumps, EARLIEST_JUMP, type HeldJump } from './jumps.sql.ts';
import { JUMP_LEASE_MILLISECONDS, type MoveTools, moveClock } from './move-clock.ts';
import type { TestClock } from './open-test-clock.ts';

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
    piece: EARLIEST_JUMP,
  });
}

/** What other processes move, and the database's time. */
export function followClocks(testClock: TestClock): Work[] {
  return [
    alsoWhileHeld(following('followClocks', testClock.version, testClock.reload)),
    alsoWhileHeld(noting('followDatabaseTime', READ_TIME, testClock.noteTime)),
  ];
}
