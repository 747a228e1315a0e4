import { existsSync } from 'node:fs';
import { openBusinessTime } from './clock-rooms.ts';
import { type Configuration, readConfiguration } from './config.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { listen, urlOf } from './platform/http/listen.ts';
import { buildServer } from './platform/http/server.ts';
import { openLog } from './platform/log.ts';
import { openMetrics, serveMetrics } from './platform/metrics.ts';
import { openRooms, type Rooms } from './rooms.ts';
import {
  type Ground,
  makeDemo,
  openAuditedKeys,
  openChecked,
  openSurroundings,
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
async function openHouse(configuration: Configuration, closings: Closing[]): Promise<House> {
  const log = openLog(configuration.logLevel);
  closings.push({ name: 'log', close: async () => log.flush() });
  const ground: Ground = { configuration, closings, log, metrics: openMetrics() };
  const { folder, server, place, acquirerUrl } = await openSurroundings(ground);
  const { database, migrations } = await openChecked(ground, place);
  const audited = await openAuditedKeys(ground, database, migrations);
  const time = await openBusinessTime(ground, database);
  const rooms = await openRooms(ground, { database, ...audited, ...time }, acquirerUrl);
  const urls = await openDoors(ground, rooms);
  // Before the doors close, which waits for everybody who was let in.
  closings.push({ name: 'waiting callers', close: time.letGo });
  const demoFile = await makeDemo(configuration, folder, { database, ...audited }, urls);
  const broken = server?.exited.then((reason) => `PostgreSQL ended by itself: ${reason}`);
  return { ...urls, demoFile, broken: broken ?? new Promise<string>(() => {}) };
}

async function openDoors({ configuration, closings, log, metrics }: Ground, rooms: Rooms) {
  const urls = await listen(configuration.gateway, configuration.integration, (mounts) => {
    const app = buildServer({
      ...rooms,
      mounts,
      log,
      metrics,
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
  try {
    const configuration = readConfiguration(process.env);
    const opening = openHouse(configuration, closings);
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
