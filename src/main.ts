import { existsSync } from 'node:fs';
import { openBusinessTime } from './clock-rooms.ts';
import { type Configuration, readConfiguration } from './config.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { PostgresKilled } from './platform/embedded-postgres/launcher.ts';
import { listen, urlOf } from './platform/http/listen.ts';
import { buildServer } from './platform/http/server.ts';
import { openLog } from './platform/log.ts';
import { openMetrics, serveMetrics } from './platform/metrics.ts';
import { databaseWait } from './platform/postgres/database-wait.ts';
import { openRooms, type Rooms } from './rooms.ts';
import {
  type Ground,
  makeDemo,
  openAuditedKeys,
  openChecked,
  openSurroundings,
  openWatchedGate,
  say,
} from './surroundings.ts';

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

/** From the ground up: what the rooms stand on, the rooms, the doors. */
async function openHouse(
  configuration: Configuration,
  closings: Closing[],
  stopping: AbortSignal,
): Promise<House> {
  const log = openLog(configuration.logLevel);
  closings.push({ name: 'log', close: async () => log.flush() });
  const killed = new AbortController();
  const persist = databaseWait({
    seconds: configuration.databaseWaitSeconds,
    say,
    isTerminal: process.stderr.isTTY,
    stopping: AbortSignal.any([stopping, killed.signal]),
  });
  const metrics = openMetrics();
  const gate = openWatchedGate(configuration, log, metrics);
  const ground: Ground = { configuration, closings, log, metrics, gate, persist };
  const { folder, server, place, acquirerUrl } = await openSurroundings(ground);
  void server?.exited.then((reason) => killed.abort(reason));
  try {
    const urls = await openOnDatabase(ground, { folder, place, acquirerUrl });
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
): Promise<Omit<House, 'broken'>> {
  const { database, migrations } = await openChecked(ground, place);
  const audited = await openAuditedKeys(ground, database, migrations);
  const time = await openBusinessTime(ground, database);
  const rooms = await openRooms(ground, { database, ...audited, ...time }, acquirerUrl);
  const urls = await openDoors(ground, rooms);
  // Before the doors close, which waits for everybody who was let in.
  ground.closings.push({ name: 'waiting callers', close: time.letGo });
  const demoFile = await makeDemo(ground, folder, { database, ...audited }, urls);
  return { ...urls, demoFile };
}

/** Starts again when somebody kills the PostgreSQL that is ours while the start is under way. */
async function openPersistently(
  configuration: Configuration,
  closings: Closing[],
  stopping: AbortSignal,
): Promise<House> {
  const endsAt = performance.now() + configuration.databaseWaitSeconds * 1_000;
  for (;;) {
    try {
      return await openHouse(configuration, closings, stopping);
    } catch (error) {
      const isWorthIt = error instanceof PostgresKilled && performance.now() < endsAt && !stopping.aborted;
      if (!isWorthIt) throw error;
      say(`${error.message}; starting it again`);
      await closeAll(closings, say);
    }
  }
}

async function openDoors({ configuration, closings, log, metrics, gate }: Ground, rooms: Rooms) {
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
    closings.push({ name: 'server', close: () => app.close() });
    return app;
  });
  const { host, port } = configuration.metrics;
  const server = await serveMetrics(metrics, host, port);
  closings.push({ name: 'metrics', close: async () => server.close() });
  return { ...urls, metricsUrl: urlOf(host, server.address(), '/metrics') };
}

function awaitSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => resolve(signal));
    }
  });
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
  const signal = awaitSignal();
  const closings: Closing[] = [];
  const stopping = new AbortController();
  void signal.then(() => stopping.abort());
  try {
    const configuration = readConfiguration(process.env);
    const opening = openPersistently(configuration, closings, stopping.signal);
    const house = await Promise.race([opening, signal]);
    if (typeof house === 'string') {
      // Half open is closed too, once it is known what was opened.
      await opening.catch(() => {});
      await closeAll(closings, say);
      return 0;
    }
    greet(configuration, house);
    const reason = await Promise.race([signal, house.broken]);
    say(
      reason.startsWith('SIG')
        ? 'Stopping: requests under way are finished first.'
        : `Parcela stops. ${reason}`,
    );
    setTimeout(() => {
      say('Stopping took too long; what was under way will be settled at the next start.');
      process.exit(1);
    }, STOP_MILLISECONDS).unref();
    await closeAll(closings, say);
    return reason.startsWith('SIG') ? 0 : 1;
  } catch (error) {
    tellFault(error);
    await closeAll(closings, say);
    return 1;
  }
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
