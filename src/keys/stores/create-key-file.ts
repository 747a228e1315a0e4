import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KEY_BYTES, keyCheckValue } from '../sealing.ts';
import { type KeyFile, type KeyOfFile, printKeyFile } from './key-file.ts';

/** A new key-encryption key: 256 random bits. */
export function newKey(): KeyOfFile {
  const key = randomBytes(KEY_BYTES);
  return { keyId: keyCheckValue(key), key, createdAt: new Date().toISOString() };
}

/** Makes a key file with one key, of mode 600. False when there is a file of this name already; it stays as it is. */
export async function createKeyFile(path: string, environment: string): Promise<boolean> {
  const key = newKey();
  const draft = await writeDraft(path, { environment, currentKeyId: key.keyId, keys: [key] });
  try {
    // A link, unlike a rename, never replaces the key of another process.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await flushFolder(path);
  return true;
}

/**
 * Writes the file whole and to the disk under another name, which is given: losing a key loses every card, and half a file
 * would stop every later start.
 */
export async function writeDraft(path: string, file: KeyFile): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, printKeyFile(file), { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

/** A new name is on the disk once its folder is. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
