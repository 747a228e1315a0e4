import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Configuration, readConfiguration } from '../app/config.ts';
import type { Actor } from '../audit/audit-event.ts';
import { auditMigrations } from '../audit/audit-migrations.ts';
import { RUNTIME_TABLE_RIGHTS } from '../audit/audit-rights.sql.ts';
import { recordCreatedKeys } from '../audit/key-changes.ts';
import { openAudit } from '../audit/open-audit.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { openKeyring } from '../keys/open-keyring.ts';
import { MIGRATIONS } from '../platform/migrations/migration-files.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../platform/postgres/database.ts';
import {
  type DatabasePlace,
  placeGiven,
  placeOfCommand,
  prepareDatabase,
} from '../platform/postgres/database-place.ts';
import { whyRefused } from '../platform/postgres/database-wait.ts';
import type { AuditedKeyTools, CommandTools, MigratedTools } from './command.ts';
import { EXIT_REFUSED, runCommand } from './run-command.ts';

const SILENT = (): void => {};

/** Prints a line for the person at the terminal, beside the result. */
type Report = (line: string) => void;

/** Where a command prints its result, and what it says beside it. */
type Printers = { readonly print: (line: string) => void; readonly printError: Report };

/** Where the database of this installation is, and how to leave it. */
type Place = {
  readonly place: DatabasePlace;
  /** A service that runs has migrated it. */
  readonly isMigrated: boolean;
  readonly leave: () => Promise<void>;
};

type Reached = {
  readonly database: Database;
  /** The migrations that this command had to apply first. */
  readonly migrations: readonly string[];
  readonly report: Report;
  readonly leave: () => Promise<void>;
};

/** As whom a command works. */
type RoleOf = (place: DatabasePlace) => DatabaseAddress;

/**
 * The operator's database: the one of `DATABASE_URL`, the embedded one of a running service, or,
 * when none runs, the embedded one started for this command.
 */
async function reachPlace(configuration: Configuration, report: Report): Promise<Place> {
  const { databaseUrl, ownerDatabaseUrl, dataFolder } = configuration;
  for (const warning of configuration.warnings) report(`Warning: ${warning}`);
  const leave = async () => {};
  if (databaseUrl !== null)
    return { place: placeGiven(databaseUrl, ownerDatabaseUrl), isMigrated: false, leave };
  const { findRunningPostgres, startEmbeddedPostgres } = await import(
    '../homologation/embedded-postgres/launcher.ts'
  );
  const running = await findRunningPostgres(dataFolder).catch(() => null);
  if (running !== null) return { place: placeOfCommand(running), isMigrated: true, leave };
  if (!existsSync(dataFolder)) {
    // Made here, it would be an empty installation beside the intended one.
    throw new Error(
      `there is no Parcela in ${dataFolder}: run npm start once, or name its folder in PARCELA_DATA_DIR`,
    );
  }
  const { openDataFolder } = await import('../homologation/data-folder.ts');
  const folder = await openDataFolder(dataFolder, SILENT);
  const server = await startEmbeddedPostgres({ folder: folder.path, say: SILENT });
  return {
    place: placeOfCommand(server.connection),
    isMigrated: false,
    async leave() {
      await server.stop();
      await folder.release();
    },
  };
}

/**
 * Commands work as the run-time role too: they cannot alter the audit log either, but for the one
 * that archives it.
 */
async function openReached(
  { place, isMigrated, leave }: Place,
  report: Report,
  roleOf: RoleOf = ({ runtime }) => runtime,
  say: Report = SILENT,
): Promise<Reached> {
  const migrations = isMigrated
    ? []
    : await prepareDatabase(place, MIGRATIONS, RUNTIME_TABLE_RIGHTS, say).catch(async (error) => {
        await leave();
        throw error;
      });
  const database = openDatabase(roleOf(place), SILENT);
  return {
    database,
    migrations,
    report,
    async leave() {
      await database.close();
      await leave();
    },
  };
}

/** The account on this machine: every person who may run commands here has an account. */
function operatorHere(): Actor {
  return { actor: accountName(), origin: hostname() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no account has.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

async function openAuditedTools(configuration: Configuration, reached: Reached): Promise<AuditedKeyTools> {
  const { database, migrations, report } = reached;
  const { environment } = configuration;
  const { store } = await openKeyStore(configuration.keyStore, environment, database);
  const named = new Set<string>();
  const keyring = await openKeyring(database, store, configuration, (purpose, record, dataKeyId) => {
    if (named.has(record)) return;
    named.add(record);
    report(`a sealed ${purpose} (${record}, data key ${dataKeyId}) does not open`);
  });
  // The service's log anchors a command's entries with its next entry, which holds their seal.
  const audit = await openAudit({
    database,
    keyring,
    log: { info: SILENT, warn: SILENT, flushed: async () => {} },
  });
  const operator = operatorHere();
  await auditMigrations({ audit, database }, operator, migrations);
  await recordCreatedKeys(audit, operator, keyring);
  return { ...plainTools(configuration, reached), store, keyring, audit };
}

function plainTools(configuration: Configuration, { database, report }: Reached): CommandTools {
  const { environment, cell, acquirerUrl, acquirerChannel, acquirerTimeoutMilliseconds, captureDays } =
    configuration;
  return {
    database,
    environment,
    cell,
    operator: operatorHere(),
    acquirer: {
      url: acquirerUrl,
      simulatorFolder: environment === 'homologation' ? join(configuration.dataFolder, 'simulator') : null,
      channel: acquirerChannel,
      timeoutMilliseconds: acquirerTimeoutMilliseconds,
      captureDays,
    },
    report,
  };
}

/** Migrates with its progress; the keys that seal the audit log may be made later only. */
async function openMigrated(configuration: Configuration, reached: Reached): Promise<MigratedTools> {
  const { migrations: applied } = reached;
  if (applied.length === 0) return { applied, unaudited: null };
  return openAuditedTools(configuration, reached).then(
    () => ({ applied, unaudited: null }),
    (error: Error) => {
      if (error.name !== 'KeysUnusable') throw error;
      return { applied, unaudited: error.message };
    },
  );
}

/** What is opened for one command is closed at its end. */
class Opened {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #report: Report;
  #place: Place | undefined;
  #reached: Reached | undefined;

  constructor(environment: Readonly<Record<string, string | undefined>>, report: Report) {
    this.#environment = environment;
    this.#report = report;
  }

  configure(): Configuration {
    return readConfiguration(this.#environment);
  }

  async place(configuration: Configuration): Promise<Place> {
    this.#place ??= await reachPlace(configuration, this.#report);
    return this.#place;
  }

  async reach(configuration: Configuration, roleOf?: RoleOf, say?: Report): Promise<Reached> {
    this.#reached ??= await openReached(await this.place(configuration), this.#report, roleOf, say);
    return this.#reached;
  }

  async leave(): Promise<void> {
    await (this.#reached ?? this.#place)?.leave();
  }
}

/** Runs one command of the operator; gives the exit code. The words are those after the program's name. */
export async function runParcela(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  { print, printError }: Printers,
): Promise<number> {
  const opened = new Opened(environment, printError);
  try {
    return await runCommand(words, {
      print,
      printError,
      async open() {
        const configuration = opened.configure();
        const reached = await opened.reach(configuration);
        if (reached.migrations.length > 0) return openAuditedTools(configuration, reached);
        return plainTools(configuration, reached);
      },
      async openAudited() {
        const configuration = opened.configure();
        return openAuditedTools(configuration, await opened.reach(configuration));
      },
      async openOwner() {
        const configuration = opened.configure();
        return openAuditedTools(configuration, await opened.reach(configuration, ({ owner }) => owner));
      },
      async openKeys() {
        const configuration = opened.configure();
        const reached = await opened.reach(configuration);
        return {
          ...plainTools(configuration, reached),
          keyStore: configuration.keyStore,
          openAudited: () => openAuditedTools(configuration, reached),
        };
      },
      openInstallation: () => ({
        operator: operatorHere(),
        configure: () => opened.configure(),
        reachPlace: async (configuration) => (await opened.place(configuration)).place,
        openMigrated: async (configuration) =>
          openMigrated(configuration, await opened.reach(configuration, undefined, printError)),
        report: printError,
      }),
    });
  } catch (error) {
    printError(whyRefused(error));
    return EXIT_REFUSED;
  } finally {
    await opened.leave();
  }
}
