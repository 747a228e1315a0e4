import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAcquirer } from './acquirers/adapters/bridge/check-acquirer.ts';
import { type Configuration, ConfigurationFault } from './config.ts';
import type { Closing } from './platform/closings.ts';
import { type DataFolder, openDataFolder } from './platform/data-folder.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/launcher.ts';
import { errorFields, type Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import {
  type Database,
  type DatabaseAddress,
  openDatabase,
  unfitForMoney,
} from './platform/postgres/database.ts';
import { migrate } from './platform/postgres/migrations.ts';

const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));
/** For the person who starts it; the log's JSON lines go to the standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What every part of the house is given. */
export type Ground = {
  readonly configuration: Configuration;
  readonly closings: Closing[];
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Data folder, PostgreSQL and acquirer: ours where the operator named none. */
export async function openSurroundings({ configuration, closings }: Ground) {
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

export async function openChecked({ log, closings }: Ground, address: DatabaseAddress): Promise<Database> {
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

export async function makeDemo(
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
