import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bridgeAcquirer } from './acquirers/adapters/bridge/bridge.ts';
import { checkAcquirer } from './acquirers/adapters/bridge/check-acquirer.ts';
import { ENDPOINTS, REFERENCE } from './api.ts';
import { cardTokensRead, cardTokensWrite } from './cards/card-tokens.sql.ts';
import { openCardKeys } from './cards/open-card-keys.ts';
import { cardRoutes } from './cards/routes.ts';
import { forgetExpiredCarriers } from './cards/work.ts';
import { type Configuration, ConfigurationFault, readConfiguration } from './config.ts';
import { openKeyFile } from './keys/open-key-file.ts';
import { openKeyring } from './keys/open-keyring.ts';
import { merchantRoutes } from './merchants/routes.ts';
import { identifyCaller } from './merchants/tokens/identify-caller.ts';
import { forgetExpiredAccess } from './merchants/work.ts';
import { paymentRoutes } from './payments/routes.ts';
import { realBusinessClock } from './platform/business-clock.ts';
import { type Closing, closeAll } from './platform/closings.ts';
import { type DataFolder, openDataFolder } from './platform/data-folder.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/launcher.ts';
import type { Route } from './platform/http/endpoint.ts';
import { healthRoutes } from './platform/http/health.ts';
import { listen, serverUrls, urlOf } from './platform/http/listen.ts';
import { buildServer, type Identify } from './platform/http/server.ts';
import { errorFields, type Log, openLog } from './platform/log.ts';
import { type Metrics, openMetrics, serveMetrics } from './platform/metrics.ts';
import {
  type Database,
  type DatabaseAddress,
  openDatabase,
  unfitForMoney,
} from './platform/postgres/database.ts';
import { gatherReads } from './platform/postgres/gathered-reads.ts';
import { type GatheredWriteOptions, gatherWrites } from './platform/postgres/gathered-writes.ts';
import { migrate } from './platform/postgres/migrations.ts';
import { documentRoutes } from './platform/reference/documents.ts';
import { hangBell } from './platform/work/bell.ts';
import { startWork } from './platform/work/due-work.ts';
import type { UnansweredCharge } from './transactions/settlements.sql.ts';
import { intentsWrite, outcomesWrite } from './transactions/transactions.sql.ts';
import { settlingWork } from './transactions/work.ts';

const NODE_MAJOR = 26;
const STOP_MILLISECONDS = 25_000;
const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));

/** For the person who starts it; the log's JSON lines go to the standard output. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

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
  const { folder, server, address, acquirerUrl } = await openSurroundings(ground);
  const database = await openChecked(ground, address);
  const rooms = await openRooms(ground, database, acquirerUrl);
  const urls = await openDoors(ground, rooms);
  const demoFile = await makeDemo(configuration, folder, database, urls);
  const broken = server?.exited.then((reason) => `PostgreSQL ended by itself: ${reason}`);
  return { ...urls, demoFile, broken: broken ?? new Promise<string>(() => {}) };
}

/** What every part of the house is given. */
type Ground = {
  readonly configuration: Configuration;
  readonly closings: Closing[];
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Data folder, PostgreSQL and acquirer: ours where the operator named none. */
async function openSurroundings({ configuration, closings }: Ground) {
  const { databaseUrl, dataFolder, environment } = configuration;
  let folder: DataFolder | null = null;
  if (databaseUrl === null || configuration.acquirerUrl === null) {
    const held = await openDataFolder(dataFolder, say);
    closings.push({ name: 'data folder', close: async () => held.release() });
    folder = held;
  }
  const starting = [
    startOwnPostgres(configuration, closings),
    startOwnSimulator(configuration, closings),
  ] as const;
  // When one fails, the other is closed too: so it must be known what became of both.
  await Promise.allSettled(starting);
  const [server, simulator] = await Promise.all(starting);
  const address: DatabaseAddress = databaseUrl ?? (server as NonNullable<typeof server>).connection;
  const acquirerUrl = configuration.acquirerUrl ?? (simulator as NonNullable<typeof simulator>).url;
  const warning = await checkAcquirer(acquirerUrl, environment);
  if (warning !== null) say(warning);
  return { folder, server, address, acquirerUrl };
}

async function openChecked({ log, closings }: Ground, address: DatabaseAddress): Promise<Database> {
  await migrate(address, MIGRATIONS, say).catch((error) => refuseDatabase(error, address));
  const database = openDatabase(address, (error) =>
    log.warn(errorFields(error), 'an idle database connection broke'),
  );
  closings.push({ name: 'database', close: () => database.close() });
  const unfit = await unfitForMoney(database);
  if (unfit !== null) throw new ConfigurationFault(`DATABASE_URL: ${unfit}`);
  return database;
}

/** Wrong host, user, password or database: the operator's to mend, by the one setting that names them. */
function refuseDatabase(error: Error, address: DatabaseAddress): never {
  if (error.name === 'MigrationRefused' || typeof address !== 'string') throw error;
  throw new ConfigurationFault(`DATABASE_URL: ${error.message || (error as NodeJS.ErrnoException).code}`);
}

type Rooms = { readonly routes: Route[]; readonly identify: Identify };

/** The rooms with what each needs; their work starts here. */
async function openRooms(ground: Ground, database: Database, acquirerUrl: string): Promise<Rooms> {
  const { configuration, closings, log, metrics } = ground;
  const { environment } = configuration;
  const merchants = {
    database,
    log,
    metrics,
    limits: configuration.loginFailures,
    enforceAddresses: environment === 'production',
  };
  const { cards, payments, settling } = await openMoneyRooms(ground, database, acquirerUrl);
  const routes: Route[] = [
    ...merchantRoutes(merchants),
    ...cardRoutes(cards),
    ...paymentRoutes(payments, configuration.minimumInstallment),
    ...healthRoutes(() => database.ping().then(() => true)),
    ...documentRoutes({
      ...REFERENCE,
      serverUrls: serverUrls(configuration.gateway, configuration.integration),
    }),
  ];
  if (environment === 'homologation') {
    const { homologationRoutes } = await import('./homologation/routes.ts');
    routes.push(...homologationRoutes(acquirerUrl));
  }
  checkAllDescribed(routes, environment);
  const works = [
    settlingWork(settling, payments.bell),
    forgetExpiredCarriers(database),
    forgetExpiredAccess(database),
  ];
  const work = startWork(works, (name, error) => {
    metrics.workErrors.inc({ work: name });
    log.error({ work: name, ...errorFields(error) }, 'background work failed');
  });
  closings.push({ name: 'work', close: () => work.stop() });
  return { routes, identify: identifyCaller(merchants) };
}

/** Keys, cards, acquirer, transactions and payments. */
async function openMoneyRooms(
  { configuration, closings, log, metrics }: Ground,
  database: Database,
  acquirerUrl: string,
) {
  const { store, wasCreated } = await openKeyFile(configuration.keyFile, configuration.environment, true);
  const keyring = await openKeyring(database, store, configuration.environment);
  if (wasCreated)
    say(
      `Made a new key-encryption key: ${configuration.keyFile}. Keep a copy: without it no stored card opens.`,
    );
  const cardKeys = await openCardKeys(database, keyring);
  const acquirer = bridgeAcquirer(acquirerUrl, (operation, result, seconds) =>
    metrics.acquirerCalls.observe({ operation, result }, seconds),
  );
  closings.push({ name: 'acquirer', close: () => acquirer.close() });
  const gathered = <Row, Result>(options: GatheredWriteOptions<Row, Result>) =>
    gatherWrites({
      ...options,
      onBatch: (rows) => metrics.gatheredRows.observe({ statement: options.name }, rows),
    });
  const { acquirerTimeoutMilliseconds } = configuration;
  const cards = {
    keyring,
    cardKeys,
    findCardToken: gatherReads(cardTokensRead(database)),
    writeCardToken: gathered(cardTokensWrite(database)),
  };
  const payments = {
    ...cards,
    database,
    acquirer,
    clock: realBusinessClock(),
    bell: hangBell(),
    acquirerTimeoutMilliseconds,
    writeIntent: gathered(intentsWrite(database)),
    writeOutcome: gathered(outcomesWrite(database)),
    observe: (outcome: string, brand: string) => metrics.authorizations.inc({ outcome, brand }),
    warnOfDoubtfulBrand: (merchantId: string, firstSix: string, brand: string) =>
      log.warn({ merchantId, firstSix, brand }, 'the brand given is not the one of our list'),
  };
  const settling = {
    database,
    acquirer,
    acquirerTimeoutMilliseconds,
    observe: (outcome: string) => metrics.settlements.inc({ outcome }),
    warn: ({ transactionId, tries }: UnansweredCharge, reason: string) =>
      log.warn({ transactionId, tries, reason }, 'a charge stays unknown'),
  };
  return { cards, payments, settling };
}

/** What is served and what is published must be the same; a slip here is ours and ends the start. */
function checkAllDescribed(routes: readonly Route[], environment: string): void {
  const served = new Set(routes.map((served) => served.endpoint.id));
  for (const { id, homologationOnly } of ENDPOINTS) {
    if (homologationOnly === true && environment !== 'homologation') continue;
    if (!served.delete(id)) throw new Error(`the endpoint ${id} is published but not served`);
  }
  if (served.size > 0) throw new Error(`the endpoints ${[...served]} are served but not published`);
}

async function openDoors({ configuration, closings, log, metrics }: Ground, { routes, identify }: Rooms) {
  const urls = await listen(configuration.gateway, configuration.integration, (mounts) => {
    const app = buildServer({
      routes,
      mounts,
      identify,
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

async function startOwnPostgres(configuration: Configuration, closings: Closing[]) {
  if (configuration.databaseUrl !== null) return null;
  const server = await startEmbeddedPostgres({ folder: configuration.dataFolder, say });
  closings.push({ name: 'PostgreSQL', close: () => server.stop() });
  return server;
}

async function startOwnSimulator(configuration: Configuration, closings: Closing[]) {
  if (configuration.acquirerUrl !== null) return null;
  const { startSimulator } = await import('./homologation/start-simulator.ts');
  const folder = join(configuration.dataFolder, 'simulator');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const simulator = await startSimulator({
    folder,
    lateMilliseconds: configuration.simulatorLateMilliseconds,
    say,
  });
  closings.push({ name: 'simulator', close: () => simulator.stop() });
  return simulator;
}

async function makeDemo(
  configuration: Configuration,
  folder: DataFolder | null,
  database: Database,
  urls: { gatewayUrl: string; integrationUrl: string },
): Promise<string | null> {
  if (configuration.environment !== 'homologation' || folder === null) return null;
  const { createDemoMerchant } = await import('./homologation/create-demo-merchant.ts');
  const file = join(folder.path, 'demo.json');
  await createDemoMerchant(database, file, urls);
  return file;
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
