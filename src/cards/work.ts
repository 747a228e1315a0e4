import type { CommitKeyChange } from '../keys/key-change.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { everySoOften, following } from '../platform/work/every-so-often.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { deleteExpiredLocks } from './card-source-locks.sql.ts';
import { deleteRetiredPairs } from './pairs/delete-retired-pairs.ts';
import { VERSION_OF_PAIRS } from './pairs/key-pairs.sql.ts';
import type { CardKeys } from './pairs/open-card-keys.ts';
import { deleteExpiredTokens } from './tokens/card-tokens.sql.ts';

/** Forgets dead card tokens and locks of card sources. */
export function forgetExpiredLocks(database: Database): Work {
  return forgetInBatches(
    'forgetExpiredLocks',
    (limit) => deleteExpiredTokens(database, limit),
    (limit) => deleteExpiredLocks(database, limit),
  );
}

const TIDY_MILLISECONDS = 60_000;

/**
 * The key pairs of a running service: new pairs are served within a second, and retired ones
 * deleted.
 */
export function cardKeyWork(tools: {
  readonly database: Database;
  readonly cardKeys: CardKeys;
  readonly commitChange: CommitKeyChange;
}): Work[] {
  return [
    following('followKeyPairs', VERSION_OF_PAIRS, () => tools.cardKeys.reload()),
    everySoOften('deleteRetiredPairs', TIDY_MILLISECONDS, () => deleteRetiredPairs(tools)),
  ];
}
