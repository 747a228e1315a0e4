import type { Work } from './due-work.ts';
import { createWakeSignal } from './wake-signal.ts';

/** The same for work that only reads and sends nothing: also while all other work is held. */
export function alsoWhileHeld(work: Work): Work {
  return { ...work, runsWhileHeld: true };
}

/** Work without rows of its own: due again some time after it ended, also when it failed. */
export function everySoOften(
  name: string,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<void>,
): Work {
  let nextAt = 0;
  return {
    name,
    wakeSignal: createWakeSignal(),
    async runDue(signal) {
      if (performance.now() < nextAt) return 0;
      nextAt = performance.now() + milliseconds;
      await run(signal);
      return 0;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
