import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften } from '../platform/work/every-so-often.ts';
import { createWakeSignal } from '../platform/work/wake-signal.ts';
import { deleteRetiredPairs } from './pairs/delete-retired-pairs.ts';
import type { CardKeys } from './pairs/open-card-keys.ts';
import { deleteExpiredLocks } from './tokens/card-tokens.sql.ts';

const BATCH = 500;
const PAUSE_MILLISECONDS = 30_000;

/** Forgets dead card tokens and claims, in bounded batches, at most every half minute when there is nothing to forget. */
export function forgetExpiredLocks(database: Database): Work {
  let nextAt = 0;
  return {
    name: 'forgetExpiredLocks',
    wakeSignal: createWakeSignal(),
    async runDue() {
      if (performance.now() < nextAt) return 0;
      const forgotten = await deleteExpiredLocks(database, BATCH);
      if (forgotten === 0) nextAt = performance.now() + PAUSE_MILLISECONDS;
      return forgotten;
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}

const FOLLOW_MILLISECONDS = 1_000;
const TIDY_MILLISECONDS = 60_000;

/** What the keys of cards ask of a running service: new pairs are served within a second, and retired ones deleted. */
export function cardKeyWork(tools: {
  readonly database: Database;
  readonly cardKeys: CardKeys;
  readonly commitChange: CommitKeyChange;
}): Work[] {
  return [
    everySoOften('followKeyPairs', FOLLOW_MILLISECONDS, () => tools.cardKeys.reload()),
    everySoOften('deleteRetiredPairs', TIDY_MILLISECONDS, () => deleteRetiredPairs(tools)),
  ];
}
