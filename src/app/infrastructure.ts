import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAcquirer } from '../acquirers/open-acquirer.ts';
import type { Actor, Audit } from '../audit/audit-event.ts';
import { AUDIT_TABLE_RIGHTS, auditWeakness } from '../audit/audit-rights.sql.ts';
import { recordCreatedKeys } from '../audit/key-changes.ts';
import { openAudit } from '../audit/open-audit.ts';
import type { DataFolder } from '../homologation/data-folder.ts';
import type { KeyStore } from '../keys/key-store.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { type Keyring, openKeyring, type SealAlarm } from '../keys/open-keyring.ts';
import type { Closing } from '../platform/closings.ts';
import { unfitness, weaknesses } from '../platform/database-watch/server-facts.ts';
import { openServerWatch } from '../platform/database-watch/server-watch.ts';
import { type GateKeeper, HOLD_REASONS, openGate } from '../platform/gate.ts';
import { errorFields, type Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../platform/postgres/database.ts';
import {
  type DatabasePlace,
  placeGiven,
  placeOfService,
  prepareDatabase,
} from '../platform/postgres/database-place.ts';
import type { Persist } from '../platform/postgres/database-wait.ts';
import { refuseSharedConnections } from '../platform/postgres/shared-connections.ts';
import { type Configuration, ConfigurationFault } from './config.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
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
  /** Whether everything stands that a caller may need. */
  readonly readiness: { isReady: boolean };
  /** Waits for the database while it is on its way up: for every step of the start that asks it. */
  readonly persist: Persist;
  readonly gate: GateKeeper;
};

/** Data folder, PostgreSQL and acquirer: ours where the operator named none. */
export async function openSurroundings({ configuration, closings }: Ground) {
  const { databaseUrl, dataFolder, environment } = configuration;
  let folder: DataFolder | null = null;
  if (databaseUrl === null || configuration.acquirerUrl === null) {
    const { openDataFolder } = await import('../homologation/data-folder.ts');
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
  const place =
    databaseUrl === null
      ? placeOfService((server as NonNullable<typeof server>).connection)
      : placeGiven(databaseUrl, configuration.ownerDatabaseUrl);
  const acquirerUrl = configuration.acquirerUrl ?? (simulator as NonNullable<typeof simulator>).url;
  const warning = await checkAcquirer(acquirerUrl, environment);
  if (warning !== null) say(warning);
  return { folder, server, place, acquirerUrl };
}

/** Migrates, gives the run-time role its rights, and opens the database as that role. */
export async function openChecked(
  { log, closings, configuration, gate, persist }: Ground,
  place: DatabasePlace,
): Promise<{ database: Database; migrations: readonly string[] }> {
  const { owner, runtime } = place;
  const ownersSetting = place.role === null ? 'DATABASE_URL' : 'PARCELA_OWNER_DATABASE_URL';
  const begun = new Set<string>();
  const migrations = await persist(() =>
    prepareDatabase(place, MIGRATIONS, AUDIT_TABLE_RIGHTS, say, begun),
  ).catch((error) => refuseDatabase(error, owner, ownersSetting));
  const refuseRuntime = (error: Error) => refuseDatabase(error, runtime, 'DATABASE_URL');
  if (runtime !== owner) await persist(() => refuseSharedConnections(runtime)).catch(refuseRuntime);
  const { database, watch } = openWatched({ log, closings, gate }, runtime);
  const facts = await persist(() => watch.start(database)).catch(refuseRuntime);
  closings.push({ name: 'watch of the database', close: watch.stop });
  const unfit = unfitness(facts);
  if (unfit !== null) throw new ConfigurationFault(`DATABASE_URL: ${unfit}`);
  for (const warning of weaknesses(facts, configuration.environment === 'production'))
    say(`Warning: ${warning} (docs/restore.md).`);
  const weakness = await persist(() => auditWeakness(database));
  if (weakness !== null && configuration.environment === 'production') {
    say(
      `Warning: ${weakness}, so that the service could alter its own audit log. Name a role that owns nothing in ` +
        'DATABASE_URL and the owner in PARCELA_OWNER_DATABASE_URL (docs/audit.md).',
    );
  }
  return { database, migrations };
}

function openWatched(
  { log, closings, gate }: Pick<Ground, 'log' | 'closings' | 'gate'>,
  address: DatabaseAddress,
) {
  const watch = openServerWatch({
    gate,
    onVouched(words) {
      log.warn({ detail: words }, 'a standby was promoted');
      say(`A standby was promoted and lacks nothing that was acknowledged here: ${words}.`);
    },
    onError: (error) => log.warn(errorFields(error), 'the database took no beat'),
  });
  let isClosing = false;
  const hearIdleError = (error: Error) => {
    // The server may be stopped before the last connection has said goodbye.
    if (!isClosing) log.warn(errorFields(error), 'an idle database connection broke');
  };
  const database = openDatabase(address, hearIdleError, watch);
  const close = () => {
    isClosing = true;
    return database.close();
  };
  closings.push({ name: 'database', close });
  return { database, watch };
}

/** Shut until the database was looked at. What it says of itself goes to the log, the metrics and the person. */
export function openWatchedGate(configuration: Configuration, log: Log, metrics: Metrics): GateKeeper {
  const gate = openGate(configuration.isWorkHeld, (reason, words) => {
    tell(reason);
    if (reason === null) log.warn({}, 'work goes on');
    else log.error({ reason, detail: words }, 'all work is held');
    say(reason === null ? 'Work goes on.' : `All work is held: ${words}. See docs/restore.md.`);
  });
  const tell = (now: string | null) => {
    for (const reason of HOLD_REASONS) metrics.held.set({ reason }, reason === now ? 1 : 0);
  };
  tell(gate.reason());
  if (configuration.isWorkHeld) say('All work is held: PARCELA_HOLD_WORK is set.');
  return gate;
}

/** Wrong host, user, password or database: the operator's to mend, by the one setting that names them. */
function refuseDatabase(error: Error, address: DatabaseAddress, setting: string): never {
  if (error.name === 'MigrationRefused' || typeof address !== 'string') throw error;
  throw new ConfigurationFault(`${setting}: ${error.message || (error as NodeJS.ErrnoException).code}`);
}

/** What the service does by itself, as the audit log names it. */
export function serviceHere(): Actor {
  return { actor: 'system', origin: hostname() };
}

/** The keys and the audit log, which tells first that the service starts, and last that it stops. */
export async function openAuditedKeys(
  { configuration, closings, log, metrics, persist }: Ground,
  database: Database,
  migrations: readonly string[],
): Promise<{ store: KeyStore; keyring: Keyring; audit: Audit }> {
  const { environment } = configuration;
  const { store, createdFile } = await persist(() =>
    openKeyStore(configuration.keyStore, environment, database),
  );
  const alarm: SealAlarm = (purpose, record, dataKeyId) => {
    metrics.sealAlarms.inc({ purpose });
    log.error(
      { purpose, record, dataKeyId },
      'a sealed row does not open: it was altered, or its key is gone',
    );
  };
  const keyring = await persist(() => openKeyring(database, store, environment, alarm));
  if (createdFile !== null)
    say(`Made a new key-encryption key: ${createdFile}. Keep a copy: without it no stored card opens.`);
  const audit = await persist(() => openAudit({ database, keyring, log }));
  const tell = (action: 'service.start' | 'service.stop' | 'schema.migrate', resource: string) =>
    audit.record({
      ...serviceHere(),
      action,
      outcome: 'success',
      resource,
      detail: { processId: process.pid },
    });
  await persist(() => tell('service.start', `services/${environment}`));
  // Looked for first: one that is gone answers at once, and an entry would wait for it.
  const tellStop = () => database.ping().then(() => tell('service.stop', `services/${environment}`));
  closings.push({ name: 'audit log', close: tellStop });
  for (const name of migrations) await persist(() => tell('schema.migrate', `migrations/${name}`));
  await persist(() => recordCreatedKeys(audit, serviceHere(), keyring));
  return { store, keyring, audit };
}

async function startOwnPostgres(configuration: Configuration, closings: Closing[]) {
  if (configuration.databaseUrl !== null) return null;
  const { startEmbeddedPostgres } = await import('../homologation/embedded-postgres/launcher.ts');
  const server = await startEmbeddedPostgres({ folder: configuration.dataFolder, say });
  closings.push({ name: 'PostgreSQL', close: () => server.stop() });
  return server;
}

async function startOwnSimulator(configuration: Configuration, closings: Closing[]) {
  if (configuration.acquirerUrl !== null) return null;
  const { startSimulator } = await import('../homologation/start-simulator.ts');
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
  { configuration, persist }: Ground,
  folder: DataFolder | null,
  { database, audit }: { readonly database: Database; readonly audit: Audit },
  urls: { gatewayUrl: string; integrationUrl: string },
): Promise<string | null> {
  if (configuration.environment !== 'homologation' || folder === null) return null;
  const { createDemoMerchant } = await import('../homologation/create-demo-merchant.ts');
  const file = join(folder.path, 'demo.json');
  await persist(() => createDemoMerchant({ database, audit, operator: serviceHere() }, file, urls));
  return file;
}
