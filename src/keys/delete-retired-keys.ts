import { hasSqlState, SQL_STATE } from '../platform/postgres/sql-states.ts';
import { deleteDataKey, listOverdueKeys } from './data-keys.sql.ts';
import type { RotationTools } from './rotate-data-key.ts';

const BATCH = 20;

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
      const isDeleted = await commitChange(async (tx) => {
        const isGone = await deleteDataKey(tx, dataKeyId);
        const resource = `keys/${purpose}/${dataKeyId}`;
        if (isGone) tx.record({ action: 'key.delete', resource, detail: {} });
        return isGone;
      });
      if (isDeleted) deleted += 1;
    } catch (error) {
      // A row still names the key.
      if (!hasSqlState(error, SQL_STATE.foreignKeyViolation)) throw error;
    }
  }
  return deleted;
}
