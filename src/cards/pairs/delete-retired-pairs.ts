import { deleteKeyPair, listOverduePairs } from './key-pairs.sql.ts';
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
    await commitChange(async (tx) => {
      if (await deleteKeyPair(tx, keyId))
        tx.record({ action: 'key.delete', resource: `keys/rsa/${keyId}`, detail: {} });
    });
  }
}
