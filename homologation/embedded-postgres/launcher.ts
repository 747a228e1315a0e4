import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresKilled } from '../../src/platform/postgres/database-errors.ts';
import { reasonToWait } from '../../src/platform/postgres/database-wait.ts';
import { isServerOf, lockFileOf, stopLeftoverServer } from './leftover-server.ts';
import { type ServerBinaries, serverBinaries } from './server-binaries.ts';
import { connectionThrough, type EmbeddedConnection, makeDatabase, readiness } from './server-connection.ts';
import {
  clusterOf,
  knownPassword,
  placeOf,
  prepareSocketFolder,
  type ServerPlace,
  serverPassword,
  serverPlace,
  socketIn,
  titleOf,
} from './server-place.ts';
import {
  checkClusterVersion,
  endProcess,
  makeCluster,
  openServerLog,
  type ServerProcess,
  spawnServer,
} from './server-process.ts';

export type EmbeddedPostgres = {
  readonly connection: EmbeddedConnection;
  readonly processId: number;
  readonly place: string;
  /** Ends sessions and server; commits stay. Repeatable, also after the server's own end. */
  stop(): Promise<void>;
  /** Resolves with the reason when the server ends without a stop. */
  readonly exited: Promise<string>;
};

/** For root, when the account of PostgreSQL cannot reach the data folder. */
const STATE_FOLDER = '/var/lib/parcela';

const START_TIMEOUT_MILLISECONDS = 60_000;
/** A killed server replays up to `max_wal_size` of log, during which it says that it is starting. */
const RECOVERY_TIMEOUT_MILLISECONDS = 600_000;
const LOOK_AGAIN_MILLISECONDS = 10;
/** How long children of a killed server may hold its shared memory. */
const SHARED_MEMORY_TIMEOUT_MILLISECONDS = 15_000;

/**
 * Starts the bundled PostgreSQL on the data folder, which the caller holds; makes the database the first time
 * and removes what a killed process left. If it does not start, throws with its last lines.
 */
export async function startEmbeddedPostgres(options: {
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly stateFolder?: string;
}): Promise<EmbeddedPostgres> {
  const { say, stateFolder = STATE_FOLDER } = options;
  const folder = await realpath(options.folder);
  const place = await serverPlace(folder, stateFolder, say);
  const binaries = await serverBinaries({
    account: place.account,
    copiesFolder: place.account === null ? place.path : stateFolder,
    copyName: titleOf(folder),
    say,
  });
  await stopLeftoverServer(place.path, say);
  const isFirstStart = (await stat(clusterOf(place.path)).catch(() => null)) === null;
  const password = await serverPassword(folder, isFirstStart);
  if (isFirstStart) {
    say(`Preparing a PostgreSQL database in ${place.path}`);
    await makeCluster(place, binaries, password);
  }
  await checkClusterVersion(place, binaries);

  const host = await prepareSocketFolder(place);
  const connection = connectionThrough(host, password);
  const server = await runServer(place, binaries, connection, say);
  return { connection, place: place.path, ...server };
}

/** It is there, and must not be taken for one that is to be started. */
export class PostgresSilent extends Error {
  override readonly name = 'PostgresSilent';
}

/** Null when none runs. Throws `PostgresSilent` for one that runs and does not answer. */
export async function findRunningPostgres(folder: string): Promise<EmbeddedConnection | null> {
  const path = await realpath(folder);
  const cluster = clusterOf(await placeOf(path));
  const [lock, password] = await Promise.all([lockFileOf(cluster), knownPassword(path)]);
  if (lock === null || lock.socketFolder === null || password === null) return null;
  const connection = connectionThrough(lock.socketFolder, password);
  if ((await readiness(connection)) === 'ready') return connection;
  if (!(await isServerOf(lock.processId, cluster))) return null;
  throw new PostgresSilent(
    `the embedded database in ${path} runs (process ${lock.processId}) and does not answer: it is frozen, starting or overloaded; ` +
      'see its server.log',
  );
}

type RunningServer = Pick<EmbeddedPostgres, 'processId' | 'stop' | 'exited'>;

async function runServer(
  place: ServerPlace,
  binaries: ServerBinaries,
  connection: EmbeddedConnection,
  say: (line: string) => void,
): Promise<RunningServer> {
  const log = await openServerLog(join(place.path, 'server.log'), place.account);
  const sharedMemoryDeadline = performance.now() + SHARED_MEMORY_TIMEOUT_MILLISECONDS;
  for (;;) {
    const server = spawnServer(place.account, binaries.postgres, clusterOf(place.path), connection.host, log);
    try {
      await awaitReady(server, connection, say);
      void server.ended.then(() => log.close());
      return handleOf(server);
    } catch (error) {
      const wasKilled = server.wasKilled;
      await endProcess(server);
      const lastWords = await log.tail();
      if (/pre-existing shared memory block/.test(lastWords) && performance.now() < sharedMemoryDeadline) {
        await sleep(200);
        continue;
      }
      await log.close();
      const reason = error instanceof Error ? error.message : String(error);
      const Kind = wasKilled ? PostgresKilled : Error;
      throw new Kind(`PostgreSQL did not start in ${place.path}: ${reason}\n${lastWords}`, { cause: error });
    }
  }
}

function handleOf(server: ServerProcess): RunningServer {
  let stopping: Promise<void> | undefined;
  return {
    processId: server.child.pid ?? 0,
    stop() {
      stopping ??= endProcess(server);
      return stopping;
    },
    exited: new Promise((done) => {
      void server.ended.then((reason) => {
        if (stopping === undefined) done(reason);
      });
    }),
  };
}

function throwUnlessPassing(error: unknown): void {
  if (reasonToWait(error) === null) throw error;
}

/** Makes a missing database. Throws when the server ends or the time is over. */
async function awaitReady(
  server: ServerProcess,
  connection: EmbeddedConnection,
  say: (line: string) => void,
): Promise<void> {
  const start = performance.now();
  let isRecoverySaid = false;
  for (;;) {
    if (server.isEnded) throw new Error(await server.ended);
    const state = await readiness(connection);
    if (state === 'ready') return;
    // If the server stops meanwhile, the next look finds out.
    if (state === 'no database') await makeDatabase(connection).catch(throwUnlessPassing);
    const milliseconds = performance.now() - start;
    if (milliseconds > (state === 'starting' ? RECOVERY_TIMEOUT_MILLISECONDS : START_TIMEOUT_MILLISECONDS)) {
      throw new Error(
        `it did not answer on ${socketIn(connection.host)} within ${Math.round(milliseconds / 1000)} s`,
      );
    }
    if (state === 'starting' && milliseconds > 2_000 && !isRecoverySaid) {
      isRecoverySaid = true;
      say('PostgreSQL is recovering what was committed before it was killed');
    }
    await Promise.race([sleep(LOOK_AGAIN_MILLISECONDS), server.ended]);
  }
}
