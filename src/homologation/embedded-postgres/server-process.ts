import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningAs, type ServerAccount } from './server-account.ts';
import type { ServerLog } from './server-log.ts';
import { SOCKET_PORT, titleOf } from './server-place.ts';

const FAST_SHUTDOWN_MILLISECONDS = 10_000;
/** The server itself kills what is left of its children after 5 s. */
const IMMEDIATE_SHUTDOWN_MILLISECONDS = 7_000;

/**
 * Given on the command line: they hold for every data folder, however old its own postgresql.conf.
 */
const SETTINGS = {
  listen_addresses: '',
  port: String(SOCKET_PORT),
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  // Huge pages and POSIX shared memory fail in small containers; the latter is also removed when
  // its user logs out.
  huge_pages: 'off',
  dynamic_shared_memory_type: 'mmap',
  fsync: 'on',
  synchronous_commit: 'on',
  wal_compression: 'on',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Deliveries leave thousands of dead rows a second behind, and what was planned on an empty table
  // is planned anew once it is analyzed.
  autovacuum_naptime: '15s',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  password_encryption: 'scram-sha-256',
  logging_collector: 'off',
  log_checkpoints: 'off',
  // Statements and the values of a violated key could hold a card holder's data.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
} as const;

/** The server as our child. `ended` resolves with the reason. */
export type ServerProcess = {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
  isEnded: boolean;
  /** Ended by a signal: it was killed, and the next one may live. */
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
    // A list of folders, in which a comma would part two.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    cluster_name: titleOf(cluster),
  });
  const args = ['-D', cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  // In a session of its own: Ctrl-C reaches Parcela, which first finishes its requests and then
  // stops the server.
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
