import { randomBytes } from 'node:crypto';
import { chown, type FileHandle, link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { KeysUnusable } from '../key-store.ts';
import { KEY_BYTES, keyCheckValue } from '../sealing.ts';
import { type KeyFile, type KeyOfFile, printKeyFile } from './key-file.ts';

/** 256 random bits. */
export function newKey(): KeyOfFile {
  const key = randomBytes(KEY_BYTES);
  return { keyId: keyCheckValue(key), key, createdAt: new Date().toISOString() };
}

export type FileOwner = { readonly uid: number; readonly gid: number };

/**
 * Makes a key file with one key, of mode 600. False: the file exists, and stays. If root makes it in another
 * account's folder, it belongs to that account, as which the service runs.
 */
export async function createKeyFile(path: string, environment: string): Promise<boolean> {
  const key = newKey();
  const owner = await createFolder(path);
  const draft = await writeDraft(path, { environment, currentKeyId: key.keyId, keys: [key] }, owner);
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
 * Makes the folder of the file if it is missing. New folders get the owner of the file, who is returned;
 * null: the current account.
 */
async function createFolder(path: string): Promise<FileOwner | null> {
  const folder = resolve(dirname(path));
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.geteuid?.() !== 0) return null;
  const owner = await stat(firstMade === undefined ? folder : dirname(firstMade));
  if (owner.uid === 0) return null;
  for (const made of foldersBetween(firstMade, folder)) await chown(made, owner.uid, owner.gid);
  return owner;
}

/** All folders from the first to the last; none if `first` is undefined. */
function foldersBetween(first: string | undefined, last: string): string[] {
  if (first === undefined) return [];
  const names = relative(first, last).split(sep).filter(Boolean);
  return [first, ...names.map((_, index) => resolve(first, ...names.slice(0, index + 1)))];
}

/**
 * Writes the file whole and durably under a temporary name, which is returned: a lost key loses every card,
 * and half a file would stop every start. Throws `KeysUnusable`, and leaves nothing, if it cannot belong to
 * `owner`.
 */
export async function writeDraft(path: string, file: KeyFile, owner: FileOwner | null): Promise<string> {
  const draft = `${path}.${process.pid}.new`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    if (owner !== null) await giveTo(handle, owner, path);
    await handle.writeFile(printKeyFile(file));
    await handle.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  return draft;
}

/** Gives the file to its owner: with another one and mode 600 the service could not read it. */
async function giveTo(handle: FileHandle, { uid, gid }: FileOwner, path: string): Promise<void> {
  const made = await handle.stat();
  if (made.uid === uid && made.gid === gid) return;
  try {
    await handle.chown(uid, gid);
  } catch (error) {
    // Mode 600 gives the group nothing, so a different group does not matter.
    if (made.uid === uid) return;
    throw new KeysUnusable(
      `the key file ${path} belongs to the account ${uid}, which a new one could not be given to ` +
        `(${(error as Error).message}): run this as that account or as root; nothing was changed`,
    );
  }
}

/** A new name is durable only once its folder is flushed. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}
