import type { Database } from '../../platform/postgres/database.ts';
import { listDataKeys } from '../data-keys.sql.ts';
import type { CommitKeyChange } from '../key-change.ts';
import { createKeyFile, newKey } from '../stores/create-key-file.ts';
import { findKey, type KeyFile } from '../stores/key-file.ts';
import { readKeyFile } from '../stores/read-key-file.ts';
import { createNextKey, forgetFileKey, type KeyFileTools } from '../stores/rotate-file-key.ts';

export type CreatedKey =
  /**
   * `created`: the first key of a new file. `prepared`: a key beside those in use. `preparedBefore`: an
   * earlier command has prepared it.
   */
  | {
      readonly kind: 'created' | 'prepared' | 'preparedBefore';
      readonly keyId: string;
      readonly path: string;
    }
  /** The file is missing, and a new key would not open the keys of the database. */
  | { readonly kind: 'sealedElsewhere'; readonly keyIds: readonly string[]; readonly path: string }
  | { readonly kind: 'tooManyKeys'; readonly path: string };

/** A new key in base64, for display; stored nowhere. */
export function printedKey(): { readonly keyId: string; readonly key: string } {
  const { keyId, key } = newKey();
  return { keyId, key: key.toString('base64') };
}

/**
 * Makes a key in the key file. A prepared key is audited before it is in the file. The caller audits a
 * `created` one: without it no entry can be sealed. Throws `KeysUnusable`.
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

/** Removes an unused key for good: backups of its time can never be opened again. Throws `KeysUnusable`. */
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
