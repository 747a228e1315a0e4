import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Configuration, readConfiguration } from '../config.ts';
import { openDataFolder } from '../platform/data-folder.ts';
import { findRunningPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/launcher.ts';
import { type Database, openDatabase } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrations.ts';
import type { Operator } from './command.ts';
import { EXIT_REFUSED, runCommand } from './run-command.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const SILENT = (): void => {};

/** The database of this installation, and how to let go of it. */
type Reached = { readonly database: Database; readonly leave: () => Promise<void> };

/**
 * The operator's database: the one of `DATABASE_URL`, the embedded one of a running service, or, when none runs, the
 * embedded one started for this command.
 */
async function reachDatabase(configuration: Configuration): Promise<Reached> {
  if (configuration.databaseUrl !== null) {
    await migrate(configuration.databaseUrl, MIGRATIONS, SILENT);
    const database = openDatabase(configuration.databaseUrl, SILENT);
    return { database, leave: () => database.close() };
  }
  const running = await findRunningPostgres(configuration.dataFolder).catch(() => null);
  if (running !== null) {
    const database = openDatabase(running, SILENT);
    return { database, leave: () => database.close() };
  }
  if (!existsSync(configuration.dataFolder)) {
    // Made here, it would be an empty installation beside the one that was meant.
    throw new Error(
      `there is no Parcela in ${configuration.dataFolder}: run npm start once, or name its folder in PARCELA_DATA_DIR`,
    );
  }
  const folder = await openDataFolder(configuration.dataFolder, SILENT);
  const server = await startEmbeddedPostgres({ folder: folder.path, say: SILENT });
  await migrate(server.connection, MIGRATIONS, SILENT);
  const database = openDatabase(server.connection, SILENT);
  return {
    database,
    async leave() {
      await database.close();
      await server.stop();
      await folder.release();
    },
  };
}

/** The account on this machine: whoever may run commands here has an account of their own. */
function operatorHere(): Operator {
  return { actor: userInfo().username, origin: hostname() };
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
        return {
          database: reached.database,
          environment: configuration.environment,
          operator: operatorHere(),
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
