import type { Database } from '../../platform/postgres/database.ts';
import { listDataKeys } from '../data-keys.sql.ts';
import type { CommitKeyChange } from '../key-change.ts';
import { findKey } from '../stores/key-file.ts';
import { readKeyFile } from '../stores/read-key-file.ts';
import { forgetFileKey } from '../stores/rotate-file-key.ts';

export type ForgetRefusal = 'keyUnknown' | 'keyCurrent' | 'keyWraps';

/**
 * Takes a key-encryption key that wraps nothing out of the key file, for good: backups of the
 * database from its time open nowhere any more. Throws `KeysUnusable`.
 */
export async function forgetKeyEncryptionKey(
  tools: {
    readonly database: Database;
    readonly environment: string;
    readonly commitChange: CommitKeyChange;
  },
  path: string,
  keyId: string,
): Promise<'forgotten' | ForgetRefusal> {
  const file = await readKeyFile(path, tools.environment);
  if (file === null || findKey(file, keyId) === undefined) return 'keyUnknown';
  if (file.currentKeyId === keyId) return 'keyCurrent';
  const isWrapping = (await listDataKeys(tools.database)).some((key) => key.keyEncryptionKeyId === keyId);
  if (isWrapping) return 'keyWraps';
  await forgetFileKey(path, tools, keyId);
  return 'forgotten';
}
