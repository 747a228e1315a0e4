import type { Work } from '../platform/work/due-work.ts';
import { everySoOften } from '../platform/work/every-so-often.ts';
import { type KeyPurpose, listDataKeys } from './data-keys.sql.ts';
import { deleteRetiredKeys } from './delete-retired-keys.ts';
import { rewrapDataKeys } from './key-encryption/rewrap-data-keys.ts';
import type { SealedTable } from './resealing/sealed-rows.sql.ts';
import { finishResealing } from './resealing/work.ts';
import type { RotationTools } from './rotate-data-key.ts';

const FOLLOW_MILLISECONDS = 1_000;
const TIDY_MILLISECONDS = 60_000;

export type KeyWorkTools = RotationTools & {
  /** Everything that is sealed, of all rooms. */
  readonly sealedTables: readonly SealedTable[];
  /** Hears how old the key in use is, in seconds. */
  readonly observeAge: (purpose: KeyPurpose, seconds: number) => void;
};

/** What keys ask of a running service, each with its own rhythm. */
export function keyWork(tools: KeyWorkTools): Work[] {
  return [
    everySoOften('followDataKeys', FOLLOW_MILLISECONDS, () => tools.keyring.reload()),
    finishResealing(tools, tools.sealedTables),
    everySoOften('finishKeyRotations', TIDY_MILLISECONDS, async () => {
      await finishWrapping(tools);
      await deleteRetiredKeys(tools);
      for (const { purpose, isRetired, createdAt } of await listDataKeys(tools.database)) {
        if (!isRetired) tools.observeAge(purpose, (Date.now() - createdAt) / 1_000);
      }
    }),
  ];
}

/**
 * A rotation of the key-encryption key that was killed leaves data keys under two of them. Those under one only are left
 * alone: then there is nothing to finish, and the store need not be asked.
 */
async function finishWrapping(tools: RotationTools): Promise<void> {
  const rows = await listDataKeys(tools.database);
  if (new Set(rows.map((key) => key.keyEncryptionKeyId)).size > 1) await rewrapDataKeys(tools);
}
