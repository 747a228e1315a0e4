import { readFile, stat } from 'node:fs/promises';
import { KeysUnusable } from '../key-store.ts';
import { type KeyFile, parseKeyFile } from './key-file.ts';

const LARGEST_FILE_BYTES = 64 * 1024;

/**
 * The keys of a file. Throws `KeysUnusable` when others can read it, when it is missing or damaged,
 * and when it belongs to the other environment. Null when it is missing and `mayBeMissing`.
 */
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
