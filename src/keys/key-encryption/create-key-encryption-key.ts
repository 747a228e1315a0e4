import type { Database } from '../../platform/postgres/database.ts';
import { listDataKeys } from '../data-keys.sql.ts';
import type { CommitKeyChange } from '../key-change.ts';
import type { KeyFileTools } from '../stores/change-key-file.ts';
import { createKeyFile, newKey } from '../stores/create-key-file.ts';
import { findKey, type KeyFile } from '../stores/key-file.ts';
import { readKeyFile } from '../stores/read-key-file.ts';
import { createNextKey, forgetFileKey } from '../stores/rotate-file-key.ts';

export type CreatedKey =
  /** The first of a new key file, or one that is only prepared beside those that wrap already. */
  | {
      readonly kind: 'created' | 'prepared' | 'preparedBefore';
      readonly keyId: string;
      readonly path: string;
    }
  /** The file is missing and the database has keys: a new one would open nothing. */
  | { readonly kind: 'sealedElsewhere'; readonly keyIds: readonly string[]; readonly path: string }
  | { readonly kind: 'tooManyKeys'; readonly path: string };

/** For showing, and kept nowhere: in base64. */
export function printedKey(): { readonly keyId: string; readonly key: string } {
  const { keyId, key } = newKey();
  return { keyId, key: key.toString('base64') };
}

/**
 * Makes a key-encryption key in the key file. A prepared key is
 * audited before it is in the file; the caller audits a `created` one, for before it there is
 * nothing to seal an entry with. Throws `KeysUnusable`.
 */
export async function createKeyEncryptionKey(
  tools: KeyFileTools & { readonly database: Database },
  path: string,
): Promise<CreatedKey> {
  const { database, environment } = tools;
  if ((await readKeyFile(path, environment, true)) === null) {
    const keyIds = [...new Set((await listDataKeys(database)).map((key) => key.keyEncryptionKeyId))];
    if (keyIds.length > 0) return { kind: 'sealedElsewhere', keyIds, path };
    if (await createKeyFile(path, environment)) {
      const { currentKeyId } = (await readKeyFile(path, environment)) as KeyFile;
      return { kind: 'created', keyId: currentKeyId, path };
    }
  }
  const next = await createNextKey(path, tools);
  if (next === 'tooManyKeys') return { kind: 'tooManyKeys', path };
  return { kind: next.isNew ? 'prepared' : 'preparedBefore', keyId: next.keyId, path };
}

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
