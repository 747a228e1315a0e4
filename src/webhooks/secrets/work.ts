import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import { forgetPreviousSecrets } from './secrets.sql.ts';

const TIDY_MILLISECONDS = 60_000;
const BATCH = 500;

/** Forgets secrets that sign no more, within a minute or so. */
export function forgettingWork(database: Database): Work {
  return everySoOften('forgetPreviousSecrets', TIDY_MILLISECONDS, () =>
    forgetPreviousSecrets(database, BATCH),
  );
}
