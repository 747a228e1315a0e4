import { readFile, stat } from 'node:fs/promises';
import { freshReads } from '../../platform/prepared-reads.ts';
import { type KeyStore, KeysUnusable, KeyUnknown } from '../key-store.ts';
import { openBytes } from '../sealing.ts';
import { findKey, isFormerKey, type KeyFile, parseKeyFile } from './key-file.ts';
import { wrapWithKey } from './open-environment-keys.ts';

const LARGEST_FILE_BYTES = 64 * 1024;

/** Throws `KeysUnusable` if damaged, readable by others, of the other environment or wrongly missing. */
export async function readKeyFile(
  path: string,
  environment: string,
  mayBeMissing = false,
): Promise<KeyFile | null> {
  let text: string;
  try {
    const { mode, size } = await stat(path);
    if ((mode & 0o077) !== 0) {
      throw new KeysUnusable(`the key file ${path} can be read by others: run chmod 600 ${path}`);
    }
    text = size > LARGEST_FILE_BYTES ? '' : await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof KeysUnusable) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && mayBeMissing) return null;
    throw new KeysUnusable(`the key file ${path} cannot be read (${message}): put it back`);
  }
  const file = parseKeyFile(text);
  if (file === null) throw new KeysUnusable(`the key file ${path} is damaged: put back a copy of it`);
  if (file.environment !== environment) {
    throw new KeysUnusable(`the key file ${path} belongs to ${file.environment}, this is ${environment}`);
  }
  return file;
}

/** A JSON file of mode 600, read again for each wrapping and for an unknown key. Throws `KeysUnusable`. */
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
