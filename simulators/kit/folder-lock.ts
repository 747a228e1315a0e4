import { createHash } from 'node:crypto';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MILLISECONDS = 50;

export type FolderLock = { release(): void };

/**
 * Makes this the only program at work in the folder, until it ends in whatever way: the lock is a
 * listening socket, which the kernel closes with the process, `kill -9` included.
 *
 * On Linux the socket's name is abstract, no file, and free at once; it is seen by programs of the
 * same network namespace only. Elsewhere it is a file in the folder, and one that nobody answers is
 * taken away.
 *
 * @returns Null: the lock was not had before the time was over.
 */
export async function lockFolder(
  folder: string,
  waitMilliseconds: number,
  platform: NodeJS.Platform = process.platform,
): Promise<FolderLock | null> {
  const path = platform === 'linux' ? abstractName(folder) : join(folder, 'lock.sock');
  const deadline = performance.now() + waitMilliseconds;
  for (;;) {
    const socket = await bound(path);
    if (socket !== null) return { release: () => void socket.close() };
    if (platform !== 'linux' && (await isStale(path))) rmSync(path, { force: true });
    else if (performance.now() >= deadline) return null;
    else await pause(PAUSE_MILLISECONDS);
  }
}

/** The same for every way to write the folder's path, and short enough for a socket. */
function abstractName(folder: string): string {
  return `\0parcela-simulator-${createHash('sha256').update(realpathSync(folder)).digest('hex')}`;
}

function bound(path: string): Promise<Server | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Server | null>();
  const socket = createServer((connection) => connection.destroy());
  socket.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') resolve(null);
    else reject(error);
  });
  socket.listen({ path }, () => {
    socket.unref();
    resolve(socket);
  });
  return promise;
}

/** Whether the socket's file is there and nobody listens behind it. */
function isStale(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect({ path });
  connection.once('connect', () => {
    connection.destroy();
    resolve(false);
  });
  connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  return promise;
}
