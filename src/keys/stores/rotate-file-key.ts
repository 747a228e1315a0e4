import { link, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { CommitKeyChange, KeyChange } from '../key-change.ts';
import { KeysUnusable } from '../key-store.ts';
import { flushFolder, newKey, writeDraft } from './create-key-file.ts';
import { type KeyFile, MOST_KEYS_OF_FILE, preparedKey } from './key-file.ts';
import { readKeyFile } from './read-key-file.ts';

/** Tries to take the lock, which another command holds for milliseconds. */
const MOST_TRIES = 100;
const PAUSE_MILLISECONDS = 100;

export type KeyFileChange = { readonly file: KeyFile; readonly changes: readonly KeyChange[] };

export type KeyFileTools = {
  readonly environment: string;
  readonly commitChange: CommitKeyChange;
};

/**
 * Replaces a key file atomically and durably, with its owner. One process at a time: two at once would lose a
 * key and all that it wrapped. The change is audited before it becomes visible; what cannot be audited is not
 * done. If `change` returns null the file stays. Returns the resulting file. Throws `KeysUnusable`.
 */
async function changeKeyFile(
  path: string,
  tools: KeyFileTools,
  change: (file: KeyFile) => KeyFileChange | null,
): Promise<KeyFile> {
  // A link stays: its target is changed. The lock is beside the target, so that all writers meet.
  const target = await realpath(path).catch(() => path);
  const lock = `${target}.lock`;
  await takeLock(lock);
  try {
    const before = (await readKeyFile(target, tools.environment)) as KeyFile;
    const changed = change(before);
    if (changed === null) return before;
    await replaceFile(target, changed, tools.commitChange);
    return changed.file;
  } finally {
    await rm(lock, { force: true });
  }
}

/**
 * Writes a draft first, which shows a full disk or a missing right. Then the change is audited, and made
 * visible last.
 */
async function replaceFile(
  target: string,
  { file, changes }: KeyFileChange,
  commitChange: CommitKeyChange,
): Promise<void> {
  const draft = await writeDraft(target, file, await stat(target));
  try {
    await commitChange(async (tx) => changes.forEach(tx.record));
    try {
      await rename(draft, target);
    } catch (error) {
      const failed = changes.map((change) => ({ ...change, outcome: 'failure' as const }));
      // The operator learns the reason even if the log cannot be written.
      await commitChange(async (tx) => failed.forEach(tx.record)).catch(() => {});
      throw error;
    }
  } finally {
    await rm(draft, { force: true });
  }
  await flushFolder(target);
}

/**
 * The lock holds machine name and process number, so that the lock of a killed process does not block others.
 */
async function takeLock(lock: string): Promise<void> {
  let holder = '';
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    if (await createLock(lock)) return;
    holder = await readFile(lock, 'utf8').catch(() => '');
    if (isDead(holder)) await removeDeadLock(lock, holder);
    else await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
  }
  throw new KeysUnusable(
    `another command is changing the key file (${holder || 'unknown'}); if it is gone, remove ${lock}`,
  );
}

/** Moves the lock aside before it is removed: if another command has taken it meanwhile, it is put back. */
async function removeDeadLock(lock: string, dead: string): Promise<void> {
  const aside = `${lock}.${process.pid}`;
  try {
    await rename(lock, aside);
    if ((await readFile(aside, 'utf8')) !== dead) await link(aside, lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** The lock appears with its holder's name in it: an empty lock of a killed command would block for good. */
async function createLock(lock: string): Promise<boolean> {
  const draft = `${lock}.${process.pid}.new`;
  try {
    // Readable by all, so that another account sees that its holder is gone. It holds no secret.
    await writeFile(draft, `${hostname()} ${process.pid}`, { mode: 0o644 });
    await link(draft, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function isDead(holder: string): boolean {
  const [machine, processId] = holder.split(' ');
  if (machine !== hostname() || !/^\d+$/.test(processId ?? '')) return false;
  try {
    process.kill(Number(processId), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/**
 * Prepares a key unless one is prepared, so that every machine can have it before it wraps. Throws
 * `KeysUnusable`.
 */
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

/** The prepared key then wraps; the one before stays for backups. Throws `KeysUnusable`. */
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
