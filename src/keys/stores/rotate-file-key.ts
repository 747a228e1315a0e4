import { changeKeyFile, type KeyFileTools } from './change-key-file.ts';
import { newKey } from './create-key-file.ts';
import { MOST_KEYS_OF_FILE, preparedKey } from './key-file.ts';

/** Prepares a key, if none is: every machine can have it before it wraps. Throws `KeysUnusable`. */
export async function createNextKey(
  path: string,
  tools: KeyFileTools,
): Promise<{ readonly keyId: string; readonly isNew: boolean } | 'tooManyKeys'> {
  const made = newKey();
  const file = await changeKeyFile(path, tools, (before) => {
    if (before.keys.length >= MOST_KEYS_OF_FILE || preparedKey(before) !== undefined) return null;
    const change = { action: 'key.create', resource: resourceOf(made.keyId), detail: {} } as const;
    return { file: { ...before, keys: [...before.keys, made] }, changes: [change] };
  });
  const next = preparedKey(file);
  if (next === undefined) return 'tooManyKeys';
  return { keyId: next.keyId, isNew: next.keyId === made.keyId };
}

/** Lets the prepared key wrap; the one before stays for backups. Throws `KeysUnusable`. */
export async function rotateFileKey(path: string, tools: KeyFileTools): Promise<string> {
  const file = await changeKeyFile(path, tools, (before) => {
    const next = preparedKey(before);
    // Another operator has made it current, and that was audited.
    if (next === undefined) return null;
    const detail = { retired: before.currentKeyId };
    const change = { action: 'key.rotate', resource: resourceOf(next.keyId), detail } as const;
    return { file: { ...before, currentKeyId: next.keyId }, changes: [change] };
  });
  return file.currentKeyId;
}

/** Removes a key for good; the current one always stays. Throws `KeysUnusable`. */
export async function forgetFileKey(path: string, tools: KeyFileTools, keyId: string): Promise<void> {
  await changeKeyFile(path, tools, (before) => {
    const keys = before.keys.filter((key) => key.keyId !== keyId || keyId === before.currentKeyId);
    if (keys.length === before.keys.length) return null;
    const change = { action: 'key.delete', resource: resourceOf(keyId), detail: {} } as const;
    return { file: { ...before, keys }, changes: [change] };
  });
}

function resourceOf(keyId: string): string {
  return `keys/key-encryption/${keyId}`;
}
