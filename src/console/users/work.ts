import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import { deleteExpiredLinks } from './links.sql.ts';
import { deleteExpiredSessions } from './sessions.sql.ts';

/** Forgets sessions and links whose time is over. */
export function forgetExpiredSessions(database: Database): Work {
  return forgetInBatches(
    'forgetExpiredSessions',
    (limit) => deleteExpiredSessions(database, limit),
    (limit) => deleteExpiredLinks(database, limit),
  );
}
