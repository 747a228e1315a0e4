import type { Database } from '../platform/postgres/database.ts';
import { hangBell } from '../platform/work/bell.ts';
import type { Work } from '../platform/work/due-work.ts';
import { deleteExpiredCarriers } from './tokens/card-tokens.sql.ts';

const BATCH = 500;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets dead card tokens and claims, in bounded batches, at most every half minute when there is nothing to forget. */
export function forgetExpiredCarriers(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetExpiredCarriers',
    bell: hangBell(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const forgotten = await deleteExpiredCarriers(database, BATCH);
      if (forgotten === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return forgotten;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}
