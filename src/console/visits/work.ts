import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import { SESSION_SECONDS } from '../users/session.ts';
import { deleteOldActions } from './console-actions.sql.ts';

/** A form is believed in the session of its page alone: twice as long as one lasts is enough. */
const KEPT_SECONDS = 2 * SESSION_SECONDS;

/** Forgets keys of forms that no session can send any more. */
export function forgetOldActions(database: Database): Work {
  return forgetInBatches('forgetOldActions', (limit) => deleteOldActions(database, limit, KEPT_SECONDS));
}
