import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Configuration, readConfiguration } from '../app/config.ts';
import { loadHomologation } from '../app/homologation.ts';
import { type Actor, recordCreatedKeys } from '../audit/audit-event.ts';
import { RUNTIME_TABLE_RIGHTS } from '../audit/audit-rights.sql.ts';
import { auditMigrations, openAudit } from '../audit/open-audit.ts';

import { openKeyStore } from '../keys/open-key-store.ts';
import { openKeyring } from '../keys/open-keyring.ts';
import { installationSettings, machineFile, withMachineSettings } from '../platform/machine-settings.ts';
import { MIGRATIONS } from '../platform/migrations/migration-files.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../platform/postgres/database.ts';
import { placeNameOf } from '../platform/postgres/database-hosts.ts';
import {
  type DatabasePlace,
  placeGiven,
  placeOfCommand,
  prepareDatabase,
} from '../platform/postgres/database-place.ts';
import { whyRefused } from '../platform/postgres/database-wait.ts';
import type { AuditedKeyTools, CommandTools, KeyCommandTools, MigratedTools } from './command.ts';
import { EXIT_REFUSED, runCommand } from './run-command.ts';

const SILENT = (): void => {};
const NO_DATABASE =
  'no database is named: an installation has its settings in /etc/parcela (docs/installing.md), or in DATABASE_URL and its like';

type Settings = Readonly<Record<string, string | undefined>>;

type Report = (line: string) => void;

type Printers = { readonly print: (line: string) => void; readonly printError: Report };

type Place = {
  readonly place: DatabasePlace;
  readonly isMigrated: boolean;
  readonly isStartedHere?: boolean;
  readonly leave: () => Promise<void>;
};

type Reached = {
  readonly database: Database;
  readonly migrations: readonly string[];
  readonly report: Report;
  readonly operator: Actor;
  readonly leave: () => Promise<void>;
};

type RoleOf = (place: DatabasePlace) => DatabaseAddress;

/** The database of `DATABASE_URL`, or the embedded one of homologation. Reports first which one it is. */
async function reachPlace(configuration: Configuration, settings: Settings, report: Report): Promise<Place> {
  const { databaseUrl, ownerDatabaseUrl, environment } = configuration;
  const warn = () => {
    for (const warning of configuration.warnings) report(`Warning: ${warning}`);
  };
  if (databaseUrl === null) return reachEmbedded(configuration, settings, report, warn);
  const file = machineFile(settings);
  const source = file === null ? '' : ` (${file})`;
  report(`${environment}${source}: database ${placeNameOf(databaseUrl)}`);
  warn();
  const leave = async () => {};
  return { place: placeGiven(databaseUrl, ownerDatabaseUrl), isMigrated: false, leave };
}

/** Starts the embedded database only if asked by name: forgotten settings must not change a homologation. */
async function reachEmbedded(
  { dataFolder, environment }: Configuration,
  settings: Settings,
  report: Report,
  warn: () => void,
): Promise<Place> {
  const isNamed = settings.PARCELA_ENVIRONMENT?.trim() === 'homologation';
  const [forgotten] = isNamed ? [] : installationSettings(settings);
  if (forgotten !== undefined)
    throw new Error(
      `${forgotten} is set, and neither DATABASE_URL nor DATABASE_URL_FILE: nothing was done. Set the database of that installation ` +
        'too, or PARCELA_ENVIRONMENT=homologation for the embedded one',
    );
  const { findRunningPostgres, openDataFolder, PostgresSilent, startEmbeddedPostgres } =
    await loadHomologation(environment);
  const running = await findRunningPostgres(dataFolder).catch((error: unknown) => {
    if (error instanceof PostgresSilent) throw error;
    return null;
  });
  const say = (how: string) => {
    report(`homologation: the embedded database in ${dataFolder}${how}`);
    warn();
  };
  if (running !== null) {
    say('');
    return { place: placeOfCommand(running), isMigrated: true, leave: async () => {} };
  }
  if (!existsSync(dataFolder)) {
    // Creating it here would make an empty installation beside the intended one.
    throw new Error(`${NO_DATABASE}; there is no Parcela in ${dataFolder} either`);
  }
  if (!isNamed)
    throw new Error(
      `${NO_DATABASE}; the homologation in ${dataFolder} does not run: start it (npm start), or set ` +
        'PARCELA_ENVIRONMENT=homologation, which starts its database for this command',
    );
  const folder = await openDataFolder(dataFolder, SILENT);
  const server = await startEmbeddedPostgres({ folder: folder.path, say: SILENT });
  say(', started for this command');
  return {
    place: placeOfCommand(server.connection),
    isMigrated: false,
    isStartedHere: true,
    async leave() {
      await server.stop();
      await folder.release();
    },
  };
}

/**
 * Opens the database as the run-time role, which cannot alter the audit log. Only the archiving command works
 * as the owner.
 */
async function openReached(
  { place, isMigrated, leave }: Place,
  report: Report,
  roleOf: RoleOf = ({ runtime }) => runtime,
  say: Report = SILENT,
): Promise<Omit<Reached, 'operator'>> {
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

/** The account on this machine. Every person who runs commands has one. */
function operatorHere(settings: Settings): Actor {
  const account = accountName();
  // Units run commands as root, and several persons may be root by sudo.
  const person = settings.SUDO_USER?.trim() ?? '';
  const isPerson = account === 'root' && person !== 'root' && /^[\w.@-]{1,64}$/.test(person);
  return { actor: isPerson ? `${person} (root)` : account, origin: hostname() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number without an account.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

async function openAuditedTools(configuration: Configuration, reached: Reached): Promise<AuditedKeyTools> {
  const { database, migrations, operator, report } = reached;
  const { environment } = configuration;
  const { store } = await openKeyStore(configuration.keyStore, environment, database);
  const named = new Set<string>();
  const keyring = await openKeyring(database, store, configuration, (purpose, record, dataKeyId) => {
    if (named.has(record)) return;
    named.add(record);
    report(`a sealed ${purpose} (${record}, data key ${dataKeyId}) does not open`);
  });
  const audit = await openAudit({ database, keyring, log: null });
  await auditMigrations({ audit, database }, operator, migrations);
  await recordCreatedKeys(audit, operator, keyring);
  return { ...plainTools(configuration, reached), store, keyring, audit };
}

function plainTools(configuration: Configuration, { database, operator, report }: Reached): CommandTools {
  const { environment, cell, acquirerUrl, acquirerChannel, acquirerTimeoutMilliseconds, captureDays } =
    configuration;
  // Without our simulated acquirer there is no simulated bank of Pix either.
  const folderOf = (name: string) =>
    environment === 'homologation' && acquirerUrl === null ? join(configuration.dataFolder, name) : null;
  return {
    database,
    environment,
    cell,
    pagesOrigin: configuration.pagesOrigin,
    operator,
    urlSettings: configuration,
    acquirer: {
      url: acquirerUrl,
      simulatorFolder: folderOf('simulator'),
      channel: acquirerChannel,
      timeoutMilliseconds: acquirerTimeoutMilliseconds,
      captureDays,
    },
    pix: { ...configuration.pix, simulatorFolder: folderOf('pix') },
    report,
  };
}

/** Audits applied migrations, if it can: the keys that seal the audit log may be made later. */
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

class Opened {
  readonly #settings: Settings;
  readonly #report: Report;
  readonly operator: Actor;
  #place: Place | undefined;
  #reached: Reached | undefined;

  constructor(settings: Settings, report: Report) {
    this.#settings = settings;
    this.operator = operatorHere(settings);
    this.#report = report;
  }

  /** Commands do not know the owner's address, unless they work as the owner. */
  configure(isOwner = false): Configuration {
    return readConfiguration(withMachineSettings(this.#settings, isOwner));
  }

  async place(configuration: Configuration): Promise<Place> {
    this.#place ??= await reachPlace(configuration, this.#settings, this.#report);
    return this.#place;
  }

  async reach(configuration: Configuration, roleOf?: RoleOf, say?: Report): Promise<Reached> {
    this.#reached ??= {
      ...(await openReached(await this.place(configuration), this.#report, roleOf, say)),
      operator: this.operator,
    };
    return this.#reached;
  }

  async keyTools(configuration: Configuration): Promise<KeyCommandTools> {
    const reached = await this.reach(configuration);
    return {
      ...plainTools(configuration, reached),
      keyStore: configuration.keyStore,
      openAudited: () => openAuditedTools(configuration, reached),
    };
  }

  async leave(): Promise<void> {
    await (this.#reached ?? this.#place)?.leave();
  }
}

/** Returns the exit code. `words` are those after the program's name. */
export async function runParcela(
  words: readonly string[],
  environment: Settings,
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
        const configuration = opened.configure(true);
        return openAuditedTools(configuration, await opened.reach(configuration, ({ owner }) => owner));
      },
      openKeys: () => opened.keyTools(opened.configure()),
      openInstallation: () => ({
        operator: opened.operator,
        configure: () => opened.configure(true),
        reachPlace: async (configuration) => {
          const { place, isStartedHere = false } = await opened.place(configuration);
          return { ...place, isStartedHere };
        },
        openMigrated: async (configuration) =>
          openMigrated(configuration, await opened.reach(configuration, undefined, printError)),
        openKeys: (configuration) => opened.keyTools(configuration),
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
