import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import { deleteOldRequests } from './requests.sql.ts';

/** As long as a person may look for it on its page; the audit log has it for good. */
const KEPT_DAYS = 90;

/** Forgets what waited for a second person once. */
export function forgetOldRequests(database: Database): Work {
  return forgetInBatches('forgetOldRequests', (limit) => deleteOldRequests(database, limit, KEPT_DAYS));
}
