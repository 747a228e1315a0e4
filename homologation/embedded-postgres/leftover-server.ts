import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd } from './server-account.ts';
import { clusterOf, socketIn, titleOf, usualSocketFolder } from './server-place.ts';

/** Fast shutdown ends sessions and writes a checkpoint; immediate leaves that to the next start. */
const FAST_SHUTDOWN_MILLISECONDS = 10_000;
/** The server kills its remaining children after 5 s. */
const IMMEDIATE_SHUTDOWN_MILLISECONDS = 7_000;
/** Children of a killed server notice at their next wait, mostly at once. */
const CHILDREN_LEAVE_MILLISECONDS = 3_000;
const LOOK_AGAIN_MILLISECONDS = 20;

/**
 * Removes what a killed Parcela or PostgreSQL left in the cluster: a running server, orphaned children, and a
 * stale lock file. The caller holds the data folder, so nothing found is in use.
 */
export async function stopLeftoverServer(place: string, say: (line: string) => void): Promise<void> {
  const cluster = await realpath(clusterOf(place)).catch(() => null);
  if (cluster === null) return;
  const lock = await lockFileOf(cluster);

  if (lock !== null && (await isServerOf(lock.processId, cluster))) {
    await stopServer(lock.processId, cluster);
    say(
      `Stopped the PostgreSQL (process ${lock.processId}) that an earlier Parcela had left running on ${cluster}`,
    );
  }

  const left = await lockFileOf(cluster);
  if (left === null) {
    await awaitChildren(cluster, say);
    // Also one without a number, left by a power failure.
    await rm(join(cluster, 'postmaster.pid'), { force: true });
    return;
  }
  const sockets = [left.socketFolder, usualSocketFolder(place)]
    .filter((folder) => folder !== null)
    .map(socketIn);
  if ((await Promise.all(sockets.map(answers))).includes(true)) {
    throw new Error(
      `A PostgreSQL that cannot be seen from here (in another container?) serves ${cluster}. Stop it, then start again.`,
    );
  }
  await awaitChildren(cluster, say);
  // PostgreSQL would take any living process of that number for its server and refuse to start.
  if (isAlive(left.processId)) await rm(join(cluster, 'postmaster.pid'), { force: true });
}

type ServerLockFile = {
  readonly processId: number;
  readonly socketFolder: string | null;
};

/** Null without `postmaster.pid`. Its lines: process, cluster, start, port, socket folder, … */
export async function lockFileOf(cluster: string): Promise<ServerLockFile | null> {
  let lines: string[];
  try {
    lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const processId = Number(lines[0]);
  if (!Number.isSafeInteger(processId) || processId < 1) return null;
  return { processId, socketFolder: lines[4]?.trim() || null };
}

async function stopServer(processId: number, cluster: string): Promise<void> {
  const steps = [
    ['SIGINT', FAST_SHUTDOWN_MILLISECONDS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MILLISECONDS],
    ['SIGKILL', CHILDREN_LEAVE_MILLISECONDS],
  ] as const;
  for (const [signal, milliseconds] of steps) {
    sendSignal(processId, signal);
    if (await comesTrue(async () => !(await isServerOf(processId, cluster)), milliseconds)) return;
  }
  throw new Error(
    `The PostgreSQL that an earlier Parcela left on ${cluster} (process ${processId}) does not end.`,
  );
}

/** A new server refuses to start while a child of a killed one holds the shared memory. */
async function awaitChildren(cluster: string, say: (line: string) => void): Promise<void> {
  if ((await processesOf(cluster)).length === 0) return;
  const areGone = async () => (await processesOf(cluster)).length === 0;
  if (await comesTrue(areGone, CHILDREN_LEAVE_MILLISECONDS)) return;
  say(`Ending what is left of a killed PostgreSQL on ${cluster}`);
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const processId of await processesOf(cluster)) sendSignal(processId, signal);
    if (await comesTrue(areGone, CHILDREN_LEAVE_MILLISECONDS)) return;
  }
  throw new Error(
    `Children of a killed PostgreSQL do not leave ${cluster}: ${(await processesOf(cluster)).join(', ')}`,
  );
}

/** Process numbers are reused: a number alone proves nothing. */
export async function isServerOf(processId: number, cluster: string): Promise<boolean> {
  return isAlive(processId) && (await processesOf(cluster)).includes(processId);
}

/**
 * PostgreSQL processes of the cluster, by the server's arguments and its children's titles. On Linux also by
 * working folder, which follows a moved data folder but is not visible to every account.
 */
async function processesOf(cluster: string): Promise<number[]> {
  const title = `postgres: ${titleOf(cluster)}:`;
  const isOfCluster = (command: string) =>
    command.startsWith(title) || command.includes(`postgres -D ${cluster} `);
  if (process.platform !== 'linux') {
    const { output } = await runToEnd(null, 'ps', ['-axww', '-o', 'pid=,command=']);
    const processes = output.split('\n').map((line) => line.trim().match(/^(\d+)\s+(.*)$/));
    return processes.flatMap((found) =>
      found !== null && isOfCluster(found[2] ?? '') ? [Number(found[1])] : [],
    );
  }
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const matches = await Promise.all(
    numbers.map(async (number) => {
      const command = await readFile(`/proc/${number}/cmdline`, 'utf8').catch(() => '');
      if (isOfCluster(command.replaceAll('\0', ' '))) return true;
      const name = command.split('\0')[0] ?? '';
      if (!name.startsWith('postgres:') && !name.endsWith('/postgres')) return false;
      return (await readlink(`/proc/${number}/cwd`).catch(() => null)) === cluster;
    }),
  );
  return numbers.filter((_, index) => matches[index]).map(Number);
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function sendSignal(processId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(processId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function comesTrue(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    if (await condition()) return true;
    await sleep(LOOK_AGAIN_MILLISECONDS);
  }
  return condition();
}

/** Whether somebody listens at this socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
