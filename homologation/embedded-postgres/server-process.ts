import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveTo, runningAs, runToEnd, type ServerAccount } from './server-account.ts';
import type { ServerBinaries } from './server-binaries.ts';
import { OWNER_ROLE } from './server-connection.ts';
import { clusterOf, type ServerPlace, SOCKET_PORT, syncFolder, titleOf } from './server-place.ts';

const FAST_SHUTDOWN_MILLISECONDS = 10_000;
/** The server kills its remaining children after 5 s. */
const IMMEDIATE_SHUTDOWN_MILLISECONDS = 7_000;

/** On the command line, so that they apply to data folders with an old postgresql.conf. */
const SETTINGS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  // Huge pages and POSIX shared memory fail in small containers; logging out removes the latter.
  huge_pages: 'off',
  dynamic_shared_memory_type: 'mmap',
  fsync: 'on',
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Deliveries leave thousands of dead rows a second; plans made on empty tables are remade after analyze.
  autovacuum_naptime: '15s',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  logging_collector: 'off',
  log_checkpoints: 'off',
  // Statements and values of violated keys could hold cardholder data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
} as const;

/** `ended` resolves with the reason. */
export type ServerProcess = {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
  isEnded: boolean;
  /** By a signal: a next start may succeed. */
  wasKilled: boolean;
};

export function spawnServer(
  account: ServerAccount | null,
  file: string,
  cluster: string,
  socketFolder: string,
  log: ServerLog,
): ServerProcess {
  const settings = Object.entries({
    ...SETTINGS,
    // A list, in which an unquoted comma would separate folders.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    cluster_name: titleOf(cluster),
  });
  const args = ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // In its own session: Ctrl-C reaches Parcela, which finishes its requests and then stops the server.
  const child = spawn(file, args, {
    ...runningAs(account),
    detached: true,
    stdio: ['ignore', log.fileDescriptor, log.fileDescriptor],
  });
  const ended = new Promise<string>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) =>
      done(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    );
  });
  const server = { child, ended, isEnded: false, wasKilled: false };
  void ended.then(() => {
    server.isEnded = true;
    server.wasKilled = child.signalCode !== null;
  });
  return server;
}

/** Fast shutdown, then immediate, then none at all. */
export async function endProcess(server: ServerProcess): Promise<void> {
  for (const [signal, milliseconds] of [
    ['SIGINT', FAST_SHUTDOWN_MILLISECONDS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MILLISECONDS],
    ['SIGKILL', IMMEDIATE_SHUTDOWN_MILLISECONDS],
  ] as const) {
    if (server.isEnded) return;
    server.child.kill(signal);
    const enough = new AbortController();
    const deadline = sleep(milliseconds, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([server.ended, deadline]);
    enough.abort();
  }
}

/** Under a temporary name first, so that an existing cluster is complete even if initdb was interrupted. */
export async function makeCluster(
  place: ServerPlace,
  binaries: ServerBinaries,
  password: string,
): Promise<void> {
  const prefix = 'data.unfinished-';
  for (const name of await readdir(place.path)) {
    // An initdb that outlived its Parcela may still write there; the next start removes the rest.
    if (name.startsWith(prefix))
      await rm(join(place.path, name), { recursive: true, force: true }).catch(() => {});
  }
  const unfinished = join(place.path, `${prefix}${randomBytes(4).toString('hex')}`);
  const passwordFile = join(unfinished, 'password');
  const cluster = join(unfinished, 'data');
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  await giveTo(place.account, passwordFile);
  await giveTo(place.account, unfinished);

  const { exitCode, output } = await runToEnd(place.account, binaries.initdb, [
    ...['--pgdata', cluster, '--username', OWNER_ROLE, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    // Bytewise order and Unicode letters, the same on every machine and after system upgrades.
    ...['--encoding', 'UTF8', '--no-locale', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
    '--no-instructions',
  ]);
  if (exitCode !== 0) throw new Error(`The database could not be made in ${place.path}:\n${output}`);
  await rename(cluster, clusterOf(place.path));
  await syncFolder(place.path);
  await rm(unfinished, { recursive: true, force: true });
}

export async function checkClusterVersion(place: ServerPlace, binaries: ServerBinaries): Promise<void> {
  const made = (await readFile(join(clusterOf(place.path), 'PG_VERSION'), 'utf8')).trim();
  const major = binaries.version.split('.')[0];
  if (made === major) return;
  throw new Error(
    `The database in ${place.path} was made by PostgreSQL ${made} and this Parcela brings PostgreSQL ${major}. ` +
      `Run the Parcela that made it, or serve its data with a PostgreSQL ${made} of yours.`,
  );
}

/** With the former file, the log takes at most twice this. */
const LONGEST_LOG_BYTES = 5 * 1024 * 1024;
const LOOK_AT_SIZE_MILLISECONDS = 60_000;
const TAIL_BYTES = 4_096;
const TAIL_LINES = 12;

/** The server keeps writing to it when Parcela is gone. */
type ServerLog = {
  readonly fileDescriptor: number;
  /** The last lines since opening, to report why the server did not start. */
  tail(): Promise<string>;
  close(): Promise<void>;
};

export async function openServerLog(file: string, account: ServerAccount | null): Promise<ServerLog> {
  // Append mode allows truncating the file while the server writes.
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  if (account !== null) await handle.chown(account.userId, account.groupId);
  await cutWhenLong(handle, file);
  const { size: start } = await handle.stat();
  const timer = setInterval(() => {
    // A full disk must not end the service: the next look tries again.
    cutWhenLong(handle, file).catch(() => {});
  }, LOOK_AT_SIZE_MILLISECONDS);
  timer.unref();
  return {
    fileDescriptor: handle.fd,
    async tail() {
      const { size } = await handle.stat();
      const from = Math.max(size < start ? 0 : start, size - TAIL_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
      return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
    },
    async close() {
      clearInterval(timer);
      await handle.close();
    },
  };
}

async function cutWhenLong(handle: FileHandle, file: string): Promise<void> {
  if ((await handle.stat()).size <= LONGEST_LOG_BYTES) return;
  await copyFile(file, `${file}.1`);
  await handle.truncate(0);
}
