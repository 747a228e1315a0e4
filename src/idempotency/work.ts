import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { deleteOldKeys } from './idempotency-keys.sql.ts';

const BATCH = 1_000;
const PAUSE_MILLISECONDS = 30_000;
/** A key works for so long at least; afterwards it is a new one. */
const DAYS_KEPT = 30;

/** Forgets keys of more than thirty days, in bounded batches. */
export function forgetOldKeys(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetOldKeys',
    wakeSignal: createWakeSignal(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const forgotten = await deleteOldKeys(database, BATCH, DAYS_KEPT);
      if (forgotten === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return forgotten;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
