import { hasSqlState, SQL_STATE } from '../platform/postgres/sql-states.ts';
import { deletion, listOverdueKeys } from './data-keys.sql.ts';
import type { RotationTools } from './rotate-data-key.ts';

const BATCH = 20;
/** A row still names the key. */

/**
 * Deletes the overdue data keys that no row names, each with its record; returns how many. What a
 * deleted key sealed, in backups too, opens nowhere any more.
 */
export async function deleteRetiredKeys({
  database,
  commitChange,
}: Pick<RotationTools, 'database' | 'commitChange'>): Promise<number> {
  let deleted = 0;
  for (const { dataKeyId, purpose } of await listOverdueKeys(database, BATCH)) {
    try {
      const [rows] = await commitChange([deletion(dataKeyId)], ([gone = []]) =>
        gone.map(() => ({ action: 'key.delete', resource: `keys/${purpose}/${dataKeyId}`, detail: {} })),
      );
      deleted += rows?.length ?? 0;
    } catch (error) {
      if (!hasSqlState(error, SQL_STATE.foreignKeyViolation)) throw error;
    }
  }
  return deleted;
}
