import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import { forgetPreviousSecrets } from './secrets.sql.ts';

/** Forgets secrets that sign no more, within half a minute or so. */
export function forgettingWork(database: Database): Work {
  return forgetInBatches('forgetPreviousSecrets', (limit) => forgetPreviousSecrets(database, limit));
}
