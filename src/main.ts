import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { openBusinessTime } from './app/clock-modules.ts';
import { type Configuration, readConfiguration } from './app/config.ts';
import {
  type Ground,
  makeDemo,
  openAuditedKeys,
  openChecked,
  openSurroundings,
  openWatchedGate,
  say,
} from './app/infrastructure.ts';
import { openRooms, type Rooms } from './app/open-app.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { type Drain, openDrain } from './platform/http/draining.ts';
import { listen, urlOf } from './platform/http/listen.ts';
import { buildServer } from './platform/http/server.ts';
import { openLog } from './platform/log.ts';
import { openMetrics, serveMetrics } from './platform/metrics.ts';
import { databaseWait } from './platform/postgres/database-wait.ts';
import { PostgresKilled } from './platform/postgres/postgres-killed.ts';
import { type StopSignals, stopSignals } from './platform/stop-signals.ts';

const NODE_MAJOR = 26;
const STOP_MILLISECONDS = 25_000;

type House = {
  readonly gatewayUrl: string;
  readonly integrationUrl: string;
  readonly metricsUrl: string;
  /** Null outside of homologation and when the data folder is not ours alone. */
  readonly demoFile: string | null;
  /** Resolves with the reason when something that we cannot live without ends by itself. */
  readonly broken: Promise<string>;
};

/** How a start learns that it is to stop, and those who serve. */
type Stopping = { readonly signal: AbortSignal; readonly drain: Drain };

/** From the ground up: what the rooms stand on, the rooms, the doors. */
async function openHouse(
  configuration: Configuration,
  closings: Closing[],
  stopping: Stopping,
): Promise<House> {
  const log = openLog(configuration.logLevel, configuration.logFormat);
  closings.push({ name: 'log', close: async () => log.flush() });
  const killed = new AbortController();
  const persist = databaseWait({
    seconds: configuration.databaseWaitSeconds,
    say,
    isTerminal: process.stderr.isTTY,
    stopping: AbortSignal.any([stopping.signal, killed.signal]),
  });
  const metrics = openMetrics();
  const gate = openWatchedGate(configuration, log, metrics);
  const readiness = { isReady: false };
  const ground: Ground = { configuration, closings, log, metrics, gate, persist, readiness };
  const { folder, server, place, acquirerUrl } = await openSurroundings(ground);
  void server?.exited.then((reason) => killed.abort(reason));
  try {
    const urls = await openOnDatabase(ground, { folder, place, acquirerUrl }, stopping.drain);
    const broken = server?.exited.then((reason) => `PostgreSQL ended by itself: ${reason}`);
    return { ...urls, broken: broken ?? new Promise<string>(() => {}) };
  } catch (error) {
    if (!killed.signal.aborted) throw error;
    throw new PostgresKilled(`PostgreSQL ended by itself: ${killed.signal.reason}`, { cause: error });
  }
}

async function openOnDatabase(
  ground: Ground,
  { folder, place, acquirerUrl }: Omit<Awaited<ReturnType<typeof openSurroundings>>, 'server'>,
  drain: Drain,
): Promise<Omit<House, 'broken'>> {
  const { database, migrations } = await openChecked(ground, place);
  const audited = await openAuditedKeys(ground, database, migrations);
  const time = await openBusinessTime(ground, database);
  const rooms = await openRooms(ground, { database, ...audited, ...time }, acquirerUrl, drain);
  const urls = await openDoors(ground, rooms);
  // Before the doors close, which waits for everybody who was let in.
  ground.closings.push({ name: 'waiting callers', close: time.letGo });
  const demoFile = await makeDemo(ground, folder, { database, ...audited }, urls);
  ground.readiness.isReady = true;
  return { ...urls, demoFile };
}

/** Starts again when somebody kills the PostgreSQL that is ours while the start is under way. */
async function openPersistently(
  configuration: Configuration,
  closings: Closing[],
  stopping: Stopping,
): Promise<House> {
  const endsAt = performance.now() + configuration.databaseWaitSeconds * 1_000;
  for (;;) {
    try {
      return await openHouse(configuration, closings, stopping);
    } catch (error) {
      const isWorthIt =
        error instanceof PostgresKilled && performance.now() < endsAt && !stopping.signal.aborted;
      if (!isWorthIt) throw error;
      say(`${error.message}; starting it again`);
      await closeAll(closings, say);
    }
  }
}

async function openDoors({ configuration, closings, log, metrics, gate }: Ground, rooms: Rooms) {
  const apps: FastifyInstance[] = [];
  // All doors close together: the second shall not let anybody in while the first waits for its last request.
  closings.push({ name: 'servers', close: () => Promise.all(apps.map((app) => app.close())) });
  const urls = await listen(configuration.gateway, configuration.integration, (mounts) => {
    const app = buildServer({
      ...rooms,
      mounts,
      log,
      metrics,
      isHeld: () => gate.reason() !== null,
      trustedProxies: configuration.trustedProxies,
      requestsPerSecond: configuration.requestsPerSecond,
      requestDeadlineMilliseconds: configuration.requestDeadlineMilliseconds,
    });
    apps.push(app);
    return app;
  });
  const { host, port } = configuration.metrics;
  const server = await serveMetrics(metrics, host, port);
  closings.push({ name: 'metrics', close: async () => server.close() });
  return { ...urls, metricsUrl: urlOf(host, server.address(), '/metrics') };
}

/** The faults that a person can mend from the message alone are told without a stack. */
const PLAIN_FAULTS = [
  'ConfigurationFault',
  'DataFolderInUse',
  'DataFolderUnusable',
  'KeysUnusable',
  'MigrationRefused',
  'AcquirerUnfit',
];

const LISTEN_FAULTS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'];

function tellFault(error: unknown): void {
  if (!(error instanceof Error)) throw error;
  const code = (error as NodeJS.ErrnoException).code;
  if (LISTEN_FAULTS.includes(code ?? '')) {
    say(`Parcela does not start: ${error.message}; see PARCELA_HOST, PARCELA_PORT and PARCELA_METRICS_PORT`);
  } else if (PLAIN_FAULTS.includes(error.name)) say(`Parcela does not start:\n${error.message}`);
  else say(`Parcela does not start: ${error.stack}`);
}

async function run(): Promise<number> {
  if (!process.versions.node.startsWith(`${NODE_MAJOR}.`)) {
    say(
      `Parcela runs on Node ${NODE_MAJOR}, this is ${process.version}; start it with npm start, which brings its own`,
    );
    return 1;
  }
  const signals = stopSignals();
  const signal = signals.next();
  const drain = openDrain();
  const closings: Closing[] = [];
  const stopping = new AbortController();
  void signal.then(() => stopping.abort());
  try {
    const configuration = readConfiguration(process.env);
    const opening = openPersistently(configuration, closings, { signal: stopping.signal, drain });
    const house = await Promise.race([opening, signal]);
    if (typeof house === 'string') {
      // Half open is closed too, once it is known what was opened.
      await opening.catch(() => {});
      await closeAll(closings, say);
      return 0;
    }
    greet(configuration, house);
    const reason = await Promise.race([signal, house.broken]);
    const isOrdered = reason.startsWith('SIG');
    if (isOrdered) await drainFirst(configuration.drainSeconds, drain, signals, house.broken);
    else say(`Parcela stops. ${reason}`);
    endAnyway(signals);
    await closeAll(closings, say);
    return isOrdered ? 0 : 1;
  } catch (error) {
    tellFault(error);
    await closeAll(closings, say);
    return 1;
  }
}

/** Stays open for a while, so that proxies have seen that we are not ready before the doors close; a second signal ends that. */
async function drainFirst(seconds: number, drain: Drain, signals: StopSignals, broken: Promise<string>) {
  const again = signals.next();
  drain.begin();
  if (seconds > 0) {
    say(`Stopping in ${seconds} s: no longer ready, still serving. Another signal closes at once.`);
    await Promise.race([sleep(seconds * 1_000, undefined, { ref: false }), again, broken]);
  }
  say('Stopping: requests under way are finished first.');
}

/** Closing ends by itself, unless something hangs or somebody does not want to wait. */
function endAnyway(signals: StopSignals): void {
  const end = (why: string) => {
    say(`${why}; what was under way will be settled at the next start.`);
    process.exit(1);
  };
  setTimeout(() => end('Stopping took too long'), STOP_MILLISECONDS).unref();
  void signals.next().then(() => end('Stopped at once'));
}

function greet(configuration: Configuration, house: House): void {
  say('');
  say(`Parcela is ready (${configuration.environment}).`);
  say(`  Gateway API  ${house.gatewayUrl}`);
  say(`  Other APIs   ${house.integrationUrl}`);
  say(
    `  Reference    ${house.gatewayUrl.slice(0, house.gatewayUrl.length - configuration.gateway.prefix.length)}/docs`,
  );
  say(`  Metrics      ${house.metricsUrl}`);
  if (house.demoFile !== null && existsSync(house.demoFile)) {
    say(`  Demo logins  ${house.demoFile}`);
    say('Next: a first payment in five steps, in README.md.');
  }
}

process.exitCode = await run();
process.exit();
