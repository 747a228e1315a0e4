import { deletion, listOverduePairs } from './key-pairs.sql.ts';
import type { PairRotationTools } from './rotate-key-pair.ts';

const BATCH = 20;

/**
 * Deletes the overdue pairs, each with its record: what was encrypted for them opens nowhere any
 * more.
 */
export async function deleteRetiredPairs({
  database,
  commitChange,
}: Pick<PairRotationTools, 'database' | 'commitChange'>): Promise<void> {
  for (const keyId of await listOverduePairs(database, BATCH)) {
    const { statement, values } = deletion(keyId);
    await commitChange(async (tx) => {
      const gone = await tx.query(statement, values);
      if (gone.length > 0) tx.record({ action: 'key.delete', resource: `keys/rsa/${keyId}`, detail: {} });
    });
  }
}
