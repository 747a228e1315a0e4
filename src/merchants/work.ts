import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { deleteExpiredTokens } from './tokens/access-tokens.sql.ts';
import { deleteExpiredFailures } from './tokens/login-failures.sql.ts';

const BATCH = 500;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets expired tokens and login failures, in bounded batches, at most every half minute when there is nothing to forget. */
export function forgetExpiredAccess(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetExpiredAccess',
    wakeSignal: createWakeSignal(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const tokens = await deleteExpiredTokens(database, BATCH);
      const failures = await deleteExpiredFailures(database, BATCH);
      if (tokens + failures === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return tokens + failures;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
