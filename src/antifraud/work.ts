import type { Database } from '../platform/postgres/database.ts';
import { hangBell } from '../platform/work/bell.ts';
import type { Work } from '../platform/work/due-work.ts';
import { deleteOldAttempts } from './attempts.sql.ts';
import { deleteExpiredCodes } from './codes.sql.ts';

const BATCH = 1_000;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets codes that are over and attempts that nobody counts any more, in bounded batches, as the cards' work does. */
export function forgetAntiFraud(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetAntiFraud',
    bell: hangBell(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const codes = await deleteExpiredCodes(database, BATCH);
      const attempts = await deleteOldAttempts(database, BATCH);
      if (codes + attempts === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return codes + attempts;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
