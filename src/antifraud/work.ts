import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { deleteExpiredCodes } from './codes.sql.ts';
import { deleteOldVelocityEvents } from './velocity-events.sql.ts';

const BATCH = 1_000;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets codes that are over and attempts that nobody counts any more, in bounded batches, as the cards' work does. */
export function forgetAntiFraud(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetAntiFraud',
    wakeSignal: createWakeSignal(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const codes = await deleteExpiredCodes(database, BATCH);
      const attempts = await deleteOldVelocityEvents(database, BATCH);
      if (codes + attempts === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return codes + attempts;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
