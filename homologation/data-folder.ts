import { createHash } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { answers } from './embedded-postgres/leftover-server.ts';

/** Keys, embedded database and demo merchant of one Parcela. Held by one process at a time. */
export type DataFolder = {
  /** Absolute, without symbolic links. */
  readonly path: string;
  /** The end of the process, even by kill -9, releases it too. */
  release(): Promise<void>;
};

/** Another living process holds the folder. */
export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse';
}

/** The message says what to change. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable';
}

const OWNER_ONLY = 0o700;
/** Root runs PostgreSQL under another account, which may pass through the folder but not list it. */
const OWNER_AND_PASSERS = 0o711;
const WRITABLE_BY_ALL = 0o002;
/** The holder answers with its process id at once, unless stopped or very busy. */
const ASK_HOLDER_TIMEOUT_MILLISECONDS = 500;

/** Creates and locks the folder. Throws `DataFolderInUse`, or `DataFolderUnusable` if it is unsafe. */
export async function openDataFolder(
  path: string,
  say: (line: string) => void,
  platform: NodeJS.Platform = process.platform,
): Promise<DataFolder> {
  const folder = await preparedFolder(resolve(path), say);
  const lock = await takeLock(folder, platform);
  return { path: folder, release: () => closeLock(lock) };
}

async function preparedFolder(path: string, say: (line: string) => void): Promise<string> {
  const mode = process.getuid?.() === 0 ? OWNER_AND_PASSERS : OWNER_ONLY;
  try {
    const isNew = (await mkdir(path, { recursive: true, mode })) !== undefined;
    const folder = await realpath(path);
    // An empty folder counts as new. A full one keeps its mode, because others may use it.
    if (isNew || ((await readdir(folder)).length === 0 && (await stat(folder)).uid === process.getuid?.())) {
      await chmod(folder, mode);
    }
    if (isNew) say(`Created the data folder ${folder}`);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (((await stat(folder)).mode & WRITABLE_BY_ALL) !== 0) {
      throw new DataFolderUnusable(
        `The data folder ${folder} can be written by every user of this machine. Choose a folder of its own, or run: chmod 700 ${folder}`,
      );
    }
    return folder;
  } catch (error) {
    if (error instanceof DataFolderUnusable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderUnusable(
      `The data folder ${path} cannot be used by this user (${reason}). Start as the user it belongs to, or choose another folder.`,
      { cause: error },
    );
  }
}

/**
 * The lock is a listening Unix socket, which the kernel closes however the process ends. On Linux its name is
 * abstract; elsewhere it is a file, stale when nobody answers.
 */
async function takeLock(folder: string, platform: NodeJS.Platform): Promise<net.Server> {
  const name = `parcela-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}`;
  const address = platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.lock`);
  const lock = await listen(address);
  if (lock !== null) return lock;

  if (platform !== 'linux' && (await removeStaleSocket(address))) {
    const second = await listen(address);
    if (second !== null) return second;
  }
  const holder = await holderOf(address);
  throw new DataFolderInUse(
    `Another Parcela${holder === null ? '' : ` (process ${holder})`} is using the data folder ${folder}. ` +
      'Stop it first, or give this one a data folder and a port of its own.',
  );
}

/** Null when another process listens there. */
function listen(address: string): Promise<net.Server | null> {
  return new Promise((done, fail) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.end(`${process.pid}\n`);
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(null) : fail(error),
    );
    server.listen(address, () => {
      // Does not keep the process alive.
      server.unref();
      done(server);
    });
  });
}

async function removeStaleSocket(path: string): Promise<boolean> {
  const before = await lstat(path).catch(() => null);
  if (before === null) return true;
  if (await answers(path)) return false;
  // Another process may have replaced the stale socket: a live one is never removed.
  const now = await lstat(path).catch(() => null);
  if (now !== null && now.ino !== before.ino) return false;
  await rm(path, { force: true });
  return true;
}

function holderOf(address: string): Promise<string | null> {
  return new Promise((done) => {
    let answer = '';
    const socket = net.connect(address);
    socket.setTimeout(ASK_HOLDER_TIMEOUT_MILLISECONDS, () => socket.destroy());
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.once('error', () => done(null));
    socket.once('close', () => done(/^\d+$/.test(answer.trim()) ? answer.trim() : null));
  });
}

function closeLock(lock: net.Server): Promise<void> {
  return new Promise((done) => {
    lock.close(() => done());
  });
}
