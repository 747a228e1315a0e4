import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { deleteExpiredCodes } from './codes.sql.ts';
import { deleteOldVelocityEvents } from './velocity-events.sql.ts';

/** Forgets codes that are over and velocity events that no window reaches any more. */
export function forgetAntiFraud(database: Database): Work {
  return forgetInBatches(
    'forgetAntiFraud',
    (limit) => deleteExpiredCodes(database, limit),
    (limit) => deleteOldVelocityEvents(database, limit),
  );
}
