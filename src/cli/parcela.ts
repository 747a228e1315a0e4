import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Configuration, readConfiguration } from '../app/config.ts';
import type { Actor } from '../audit/audit-event.ts';
import { RUNTIME_TABLE_RIGHTS } from '../audit/audit-rights.sql.ts';
import { recordCreatedKeys } from '../audit/key-changes.ts';
import { openAudit } from '../audit/open-audit.ts';
import { openKeyStore } from '../keys/open-key-store.ts';
import { openKeyring } from '../keys/open-keyring.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../platform/postgres/database.ts';
import {
  type DatabasePlace,
  placeGiven,
  placeOfCommand,
  prepareDatabase,
} from '../platform/postgres/database-place.ts';
import type { AuditedKeyTools, CommandTools } from './command.ts';
import { EXIT_REFUSED, runCommand } from './run-command.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const SILENT = (): void => {};

/** The database of this installation, and how to close it. */
type Reached = {
  readonly database: Database;
  /** The migrations that this command had to apply first. */
  readonly migrations: readonly string[];
  readonly leave: () => Promise<void>;
};

/** As whom a command works. */
type RoleOf = (place: DatabasePlace) => DatabaseAddress;

/**
 * The operator's database: the one of `DATABASE_URL`, the embedded one of a running service, or,
 * when none runs, the embedded one started for this command. Commands work as the run-time role
 * too: they cannot alter the audit log either, but for the one that archives it.
 */
async function reachDatabase(
  configuration: Configuration,
  roleOf: RoleOf = ({ runtime }) => runtime,
): Promise<Reached> {
  const { databaseUrl, ownerDatabaseUrl, dataFolder } = configuration;
  for (const warning of configuration.warnings) console.error(`Warning: ${warning}`);
  if (databaseUrl !== null) return openPrepared(placeGiven(databaseUrl, ownerDatabaseUrl), roleOf);
  const { findRunningPostgres, startEmbeddedPostgres } = await import(
    '../homologation/embedded-postgres/launcher.ts'
  );
  const running = await findRunningPostgres(dataFolder).catch(() => null);
  if (running !== null) {
    const database = openDatabase(roleOf(placeOfCommand(running)), SILENT);
    return { database, migrations: [], leave: () => database.close() };
  }
  if (!existsSync(dataFolder)) {
    // Made here, it would be an empty installation beside the intended one.
    throw new Error(
      `there is no Parcela in ${dataFolder}: run npm start once, or name its folder in PARCELA_DATA_DIR`,
    );
  }
  const { openDataFolder } = await import('../homologation/data-folder.ts');
  const folder = await openDataFolder(dataFolder, SILENT);
  const server = await startEmbeddedPostgres({ folder: folder.path, say: SILENT });
  const reached = await openPrepared(placeOfCommand(server.connection), roleOf);
  return {
    ...reached,
    async leave() {
      await reached.leave();
      await server.stop();
      await folder.release();
    },
  };
}

async function openPrepared(place: DatabasePlace, roleOf: RoleOf): Promise<Reached> {
  const migrations = await prepareDatabase(place, MIGRATIONS, RUNTIME_TABLE_RIGHTS, SILENT);
  const database = openDatabase(roleOf(place), SILENT);
  return { database, migrations, leave: () => database.close() };
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
  const { database, migrations } = reached;
  const { environment } = configuration;
  const { store } = await openKeyStore(configuration.keyStore, environment, database);
  const named = new Set<string>();
  const keyring = await openKeyring(database, store, environment, (purpose, record, dataKeyId) => {
    if (named.has(record)) return;
    named.add(record);
    console.error(`a sealed ${purpose} (${record}, data key ${dataKeyId}) does not open`);
  });
  // The service's log anchors a command's entries with its next entry, which holds their seal.
  const audit = await openAudit({ database, keyring, log: { info: SILENT, warn: SILENT } });
  const operator = operatorHere();
  for (const name of migrations) {
    await audit.record({
      ...operator,
      action: 'schema.migrate',
      outcome: 'success',
      resource: `migrations/${name}`,
    });
  }
  await recordCreatedKeys(audit, operator, keyring);
  return { ...plainTools(configuration, reached), store, keyring, audit };
}

function plainTools(configuration: Configuration, { database }: Reached): CommandTools {
  const { environment, acquirerUrl, acquirerChannel, acquirerTimeoutMilliseconds } = configuration;
  return {
    database,
    environment,
    operator: operatorHere(),
    acquirer: {
      url: acquirerUrl,
      channel: acquirerChannel,
      timeoutMilliseconds: acquirerTimeoutMilliseconds,
    },
    report: (line) => console.error(line),
  };
}

async function run(words: readonly string[]): Promise<number> {
  let reached: Reached | undefined;
  const printError = (line: string) => console.error(line);
  try {
    return await runCommand(words, {
      print: (line) => console.log(line),
      printError,
      async open() {
        const configuration = readConfiguration(process.env);
        reached = await reachDatabase(configuration);
        if (reached.migrations.length > 0) return openAuditedTools(configuration, reached);
        return plainTools(configuration, reached);
      },
      async openAudited() {
        const configuration = readConfiguration(process.env);
        reached = await reachDatabase(configuration);
        return openAuditedTools(configuration, reached);
      },
      async openOwner() {
        const configuration = readConfiguration(process.env);
        reached = await reachDatabase(configuration, ({ owner }) => owner);
        return openAuditedTools(configuration, reached);
      },
      async openKeys() {
        const configuration = readConfiguration(process.env);
        const now = await reachDatabase(configuration);
        reached = now;
        return {
          ...plainTools(configuration, now),
          keyStore: configuration.keyStore,
          openAudited: () => openAuditedTools(configuration, now),
        };
      },
    });
  } catch (error) {
    printError(error instanceof Error ? error.message : String(error));
    return EXIT_REFUSED;
  } finally {
    await reached?.leave();
  }
}

process.exit(await run(process.argv.slice(2)));
