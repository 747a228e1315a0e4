import type { Database } from '../platform/postgres/database.ts';
import type { Work } from '../platform/work/due-work.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { deleteOldKeys } from './idempotency-keys.sql.ts';

/** A key works for so long at least; afterwards it is a new one. */
export const DAYS_KEPT = 30;

/** Forgets keys of more than thirty days. */
export function forgetOldKeys(database: Database): Work {
  return forgetInBatches('forgetOldKeys', (limit) => deleteOldKeys(database, limit, DAYS_KEPT));
}
