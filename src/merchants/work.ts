import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { deleteExpiredTokens } from './tokens/access-tokens.sql.ts';
import { deleteExpiredFailures } from './tokens/login-failures.sql.ts';

/** Forgets expired tokens and login failures. */
export function forgetExpiredAccess(database: Database): Work {
  return forgetInBatches(
    'forgetExpiredAccess',
    (limit) => deleteExpiredTokens(database, limit),
    (limit) => deleteExpiredFailures(database, limit),
  );
}
