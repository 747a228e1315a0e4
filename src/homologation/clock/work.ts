import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { openSlots } from '../../platform/work/slots.ts';
import { forwardSignal, type WakeSignal } from '../../platform/work/wake-signal.ts';
import { claimJumps } from './jumps.sql.ts';
import { JUMP_LEASE_MILLISECONDS, type MoveTools, moveClock } from './move-clock.ts';
import type { TestClock } from './open-test-clock.ts';

/** Jumps of different merchants under way in one process; one merchant has one at a time. */
const SLOTS = 4;
const FOLLOW_MILLISECONDS = 250;

/** Takes along the clocks that are in a jump and that no process holds: new ones, and those of a process that died. */
export function clockWork(
  tools: MoveTools & { readonly wakeSignal: WakeSignal; readonly ended: WakeSignal },
): Work {
  const wakeSignal = forwardSignal(tools.wakeSignal);
  const slots = openSlots(() => {
    tools.ended.notify();
    wakeSignal.notify();
  });
  return {
    name: 'moveClocks',
    wakeSignal,
    async runDue(signal) {
      slots.throwFailure();
      const free = SLOTS - slots.taken();
      if (free <= 0) return 0;
      const jumps = await claimJumps(tools.database, free, JUMP_LEASE_MILLISECONDS);
      for (const jump of jumps) slots.start(() => moveClock(tools, jump, signal));
      return jumps.length;
    },
    millisecondsUntilDue: async () => null,
    async finish() {
      await slots.allEnded();
      slots.throwFailure();
    },
  };
}

/** Keeps up with the clocks that other processes move. */
export function followClocks(testClock: TestClock): Work {
  return alsoWhileHeld(everySoOften('followClocks', FOLLOW_MILLISECONDS, () => testClock.reload()));
}
