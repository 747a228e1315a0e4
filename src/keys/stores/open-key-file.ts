import { freshReads } from '../../platform/fresh-reads.ts';
import { type KeyStore, KeyUnknown } from '../key-store.ts';
import { openBytes } from '../sealing.ts';
import { findKey, isFormerKey, type KeyFile } from './key-file.ts';
import { readKeyFile } from './read-key-file.ts';
import { wrapWithKey } from './wrap-with-key.ts';

/**
 * The key store of a single file: JSON of mode 600 with the key-encryption keys and the environment
 * they belong to. It changes rarely and is read again for each wrapping, and for an unknown key.
 * Throws `KeysUnusable`.
 */
export async function openKeyFile(path: string, environment: string): Promise<KeyStore> {
  let file = (await readKeyFile(path, environment)) as KeyFile;
  const readAgain = freshReads(async () => {
    file = (await readKeyFile(path, environment)) as KeyFile;
  });
  return {
    name: `the key file ${path} (setting PARCELA_KEY_FILE)`,
    async currentKeyId() {
      await readAgain();
      return file.currentKeyId;
    },
    async isFormer(keyId) {
      await readAgain();
      return isFormerKey(file, keyId);
    },
    async wrap(dataKey, context) {
      await readAgain();
      const current = findKey(file, file.currentKeyId);
      if (current === undefined) throw new KeyUnknown(file.currentKeyId);
      return wrapWithKey(current, dataKey, context);
    },
    async unwrap(keyId, wrapped, context) {
      if (findKey(file, keyId) === undefined) await readAgain();
      const known = findKey(file, keyId);
      if (known === undefined) throw new KeyUnknown(keyId);
      return openBytes(known.key, context, wrapped);
    },
  };
}
