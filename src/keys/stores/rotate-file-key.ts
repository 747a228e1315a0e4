import { changeKeyFile } from './change-key-file.ts';
import { newKey } from './create-key-file.ts';
import { type KeyFile, MOST_KEYS_OF_FILE, preparedKey } from './key-file.ts';

/**
 * Puts a new key into the file without letting it wrap, unless one is prepared already: so that every machine can have it
 * before anything is under it. Throws `KeysUnusable`.
 */
export async function createNextKey(
  path: string,
  environment: string,
): Promise<{ readonly keyId: string; readonly isNew: boolean } | 'tooManyKeys'> {
  const made = newKey();
  let isFull = false;
  const file = await changeKeyFile(path, environment, (before) => {
    isFull = before.keys.length >= MOST_KEYS_OF_FILE;
    return isFull || preparedKey(before) !== undefined ? before : { ...before, keys: [...before.keys, made] };
  });
  const next = preparedKey(file);
  if (next === undefined) return 'tooManyKeys';
  return { keyId: next.keyId, isNew: next.keyId === made.keyId };
}

/** Lets the prepared key wrap from now on; the one before it stays in the file, for backups. Throws `KeysUnusable`. */
export async function rotateFileKey(path: string, environment: string): Promise<string> {
  const start = (before: KeyFile) => ({
    ...before,
    currentKeyId: preparedKey(before)?.keyId ?? before.currentKeyId,
  });
  return (await changeKeyFile(path, environment, start)).currentKeyId;
}

/** Takes a key out of the file for good. The current one stays whatever is asked. Throws `KeysUnusable`. */
export async function forgetFileKey(path: string, environment: string, keyId: string): Promise<void> {
  await changeKeyFile(path, environment, (before) => ({
    ...before,
    keys: before.keys.filter((key) => key.keyId !== keyId || keyId === before.currentKeyId),
  }));
}
