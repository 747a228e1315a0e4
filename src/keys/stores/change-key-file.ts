import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { KeysUnusable } from '../key-store.ts';
import { flushFolder, writeDraft } from './create-key-file.ts';
import type { KeyFile } from './key-file.ts';
import { readKeyFile } from './read-key-file.ts';

/** A change takes milliseconds. */
const MOST_TRIES = 100;
const PAUSE_MILLISECONDS = 100;

/**
 * Changes a key file as a whole: whoever reads it sees the file of before or of after, on the disk. One process at a time,
 * for of two changes at once one would lose its key, and what was wrapped by it meanwhile. Throws `KeysUnusable`.
 */
export async function changeKeyFile(
  path: string,
  environment: string,
  change: (file: KeyFile) => KeyFile,
): Promise<KeyFile> {
  const lock = `${path}.lock`;
  await takeLock(lock);
  try {
    const changed = change((await readKeyFile(path, environment)) as KeyFile);
    await rename(await writeDraft(path, changed), path);
    await flushFolder(path);
    return changed;
  } finally {
    await rm(lock, { force: true });
  }
}

/** A file with the name of the machine and the number of the process: a killed one leaves it, and does not bar the way. */
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

/**
 * Moved aside before it is removed: another command that saw the same dead holder may have taken its place since, and a
 * lock that lives is put back.
 */
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

async function createLock(lock: string): Promise<boolean> {
  try {
    const file = await open(lock, 'wx', 0o600);
    await file.writeFile(`${hostname()} ${process.pid}`).finally(() => file.close());
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
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
