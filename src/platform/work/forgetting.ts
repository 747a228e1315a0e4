import type { Work } from './due-work.ts';
import { createWakeSignal } from './wake-signal.ts';

/** Rows of one statement. */
const BATCH = 1_000;
/** Between two statements, for vacuum and payments: ten thousand rows a second. */
const BREATH_MILLISECONDS = 100;
/** Steps of a run without changes: a merchant with nothing to forget costs one. */
const STEPS_OF_RUN = 100;
/** Once nothing is left. */
const PAUSE_MILLISECONDS = 30_000;

/** Removes up to `limit` expired rows; gives how many. Fewer than `limit`: nothing is left. */
export type ForgetBatch = (limit: number) => Promise<number>;

/** Removes expired rows in batches, then again every half minute. A stop waits for one batch at most. */
export function forgetInBatches(name: string, ...batches: readonly ForgetBatch[]): Work {
  return forgetInSteps(
    name,
    async (limit) => {
      let removed = 0;
      let isAnyLeft = false;
      for (const remove of batches) {
        const count = await remove(limit);
        removed += count;
        isAnyLeft ||= count >= limit;
      }
      return isAnyLeft ? removed : null;
    },
    PAUSE_MILLISECONDS,
  );
}

/** For walks: a step changes up to `limit` rows and gives how many, or null at the end. */
export function forgetInSteps(
  name: string,
  step: (limit: number) => Promise<number | null>,
  pauseMilliseconds: number,
): Work {
  let nextAt = 0;
  return {
    name,
    wakeSignal: createWakeSignal(),
    async runDue(signal) {
      if (performance.now() < nextAt) return 0;
      let changed: number | null = 0;
      for (let steps = 0; changed === 0 && steps < STEPS_OF_RUN && !signal.aborted; steps += 1)
        changed = await step(BATCH);
      nextAt = performance.now() + (changed === null ? pauseMilliseconds : BREATH_MILLISECONDS);
      return 0;
    },
    millisecondsUntilDue: () => Math.max(0, nextAt - performance.now()),
  };
}
