import { createHash, randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canEnter, giveTo, giveWholeFolderTo, type ServerAccount, serverAccount } from './server-account.ts';

/** Where the server of a data folder has its files, and its account (null: ours). */
export type ServerPlace = { readonly path: string; readonly account: ServerAccount | null };

const PLACE_IN_FOLDER = 'postgres';
/** In the data folder: where the server's files are, if elsewhere. */
const POINTER = 'postgres-place';
/** In a place outside: the data folder that it serves. */
const BACK_POINTER = 'data-folder';
const PASSWORD_FILE = 'postgres-password';
const PASSWORD_BYTES = 24;
/** The kernel takes 103 bytes on macOS, 107 on Linux. The server also makes the path plus `.lock`. */
const LONGEST_SOCKET_PATH_BYTES = 90;
export const SOCKET_PORT = 5432;

export function clusterOf(place: string): string {
  return join(place, 'data');
}

/** In process titles, by which children are found after the server's end. */
export function titleOf(cluster: string): string {
  return `parcela-${shortHash(cluster)}`;
}

/** Prepares nothing; for finding a running server. */
export async function placeOf(folder: string): Promise<string> {
  return (await textOf(join(folder, POINTER))) ?? join(folder, PLACE_IN_FOLDER);
}

/**
 * Chooses and prepares the place: `<folder>/postgres`, or `<stateFolder>/<hash of folder>` under root when
 * the account cannot reach the folder (under a home of mode 700). The folder remembers it.
 */
export async function serverPlace(
  folder: string,
  stateFolder: string,
  say: (line: string) => void,
): Promise<ServerPlace> {
  const path = await placeOf(folder);
  const isElsewhere = path !== join(folder, PLACE_IN_FOLDER);
  const owner = await stat(clusterOf(path)).catch(() => null);
  const account = await serverAccount(owner === null ? null : { userId: owner.uid, groupId: owner.gid });

  if (isElsewhere) {
    if (account === null) {
      throw new Error(
        `The database of ${folder} was made by root and lies in ${path}. Start Parcela as root.`,
      );
    }
    await checkBackPointer(path, folder);
  } else if (account !== null && !(await canEnter(account, folder))) {
    if (owner === null) return placeElsewhere(folder, stateFolder, account, say);
    throw new Error(
      `PostgreSQL runs as ${account.name} and cannot reach its database in ${folder}. ` +
        'Start Parcela as that user, or open the folders above it for passing through (chmod o+x).',
    );
  }
  await preparePlace(path, account);
  if (account !== null && owner?.uid === 0) await giveWholeFolderTo(account, clusterOf(path));
  return { path, account };
}

async function placeElsewhere(
  folder: string,
  stateFolder: string,
  account: ServerAccount,
  say: (line: string) => void,
): Promise<ServerPlace> {
  const path = join(stateFolder, shortHash(folder));
  await mkdir(stateFolder, { recursive: true, mode: 0o755 });
  if ((await stat(clusterOf(path)).catch(() => null)) !== null) {
    // The data folder was removed and made again: starts empty, and keeps the old data aside.
    const aside = `${path}.left-${randomBytes(4).toString('hex')}`;
    await rename(path, aside);
    say(`Put aside the database of an earlier data folder at this path: ${aside}`);
  }
  await preparePlace(path, account);
  await writeDurably(join(path, BACK_POINTER), folder);
  await writeDurably(join(folder, POINTER), path);
  say(`The database is in ${path}, because ${account.name}, as whom PostgreSQL runs, cannot reach ${folder}`);
  return { path, account };
}

/** A copied data folder still points at the original's place, which two services must not share. */
async function checkBackPointer(place: string, folder: string): Promise<void> {
  const served = await textOf(join(place, BACK_POINTER));
  if (served === folder) return;
  if (served !== null && (await textOf(join(served, POINTER))) === place) {
    throw new Error(
      `${folder} is a copy of ${served}, whose database lies in ${place} and serves that folder. ` +
        `Remove ${join(folder, POINTER)} to start with an empty database.`,
    );
  }
  // The folder was moved.
  if ((await stat(place).catch(() => null)) === null)
    throw new Error(`The database of ${folder} is missing: ${place}`);
  await writeDurably(join(place, BACK_POINTER), folder);
}

/** The place is ours, and the account only passes through: it cannot swap log or cluster under root. */
async function preparePlace(path: string, account: ServerAccount | null): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account !== null && (await stat(path)).uid === 0) await chmod(path, 0o711);
}

export function usualSocketFolder(place: string): string {
  return join(place, 'run');
}

export function socketIn(folder: string): string {
  return join(folder, `.s.PGSQL.${SOCKET_PORT}`);
}

/** Empty and private to the account: in the place, or under the temporary folder if that path is too long. */
export async function prepareSocketFolder(place: ServerPlace): Promise<string> {
  const inPlace = usualSocketFolder(place.path);
  const isShort = Buffer.byteLength(socketIn(inPlace)) < LONGEST_SOCKET_PATH_BYTES;
  const path = isShort ? inPlace : join(await realpath(tmpdir()), `parcela-${shortHash(place.path)}`);
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
  if (isNew) {
    await giveTo(place.account, path);
    await chmod(path, 0o700);
  }
  // Any account may make folders there: a foreign one could pose as the database.
  const found = await lstat(path);
  const wanted = place.account?.userId ?? process.getuid?.();
  if (!found.isDirectory() || found.uid !== wanted || (found.mode & 0o077) !== 0) {
    throw new Error(
      `${path} must be a folder of mode 700 of the user PostgreSQL runs as. Remove it and start again.`,
    );
  }
  for (const suffix of ['', '.lock'])
    await rm(join(path, `.s.PGSQL.${SOCKET_PORT}${suffix}`), { force: true });
  return path;
}

/** Made once and stored in the data folder (mode 600). */
export async function serverPassword(folder: string, isFirstStart: boolean): Promise<string> {
  const file = join(folder, PASSWORD_FILE);
  const known = await textOf(file);
  if (known !== null) return known;
  if (!isFirstStart)
    throw new Error(`${file} is missing: without it the database cannot be opened. Bring it back.`);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  await writeDurably(file, password);
  return password;
}

export function knownPassword(folder: string): Promise<string | null> {
  return textOf(join(folder, PASSWORD_FILE));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Trimmed; null when the file does not exist. */
async function textOf(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Atomic, also across power failures; mode 600. */
async function writeDurably(file: string, text: string): Promise<void> {
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
  await syncFolder(dirname(file));
}

/** Makes a rename in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
