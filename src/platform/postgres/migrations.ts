import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from './database.ts';
import { hasSqlState, SQL_STATE } from './sql-states.ts';

/**
 * The schema cannot be migrated to the version of this code; the message names the migration and
 * the reason.
 */
export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused';
}

type Migration = {
  readonly number: number;
  /** The file's name, `0001-merchants.sql`. */
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /** Its commands, each by itself; null: all in one transaction. */
  readonly commands: readonly string[] | null;
};

type AppliedMigration = Pick<Migration, 'number' | 'name' | 'checksum'>;

const OLDEST_SERVER = 150_000;
/**
 * Any two numbers, the same for every process of Parcela: advisory locks are counted per database.
 */
const LOCK = '1885434467, 1';
/** How long a concurrently built index waits for older transactions. */
const LOCK_TIMEOUT = '10min';
/** How long a process waits for another one that migrates. */
const LOCK_TRIES = 3_000;
const LOCK_PAUSE_MILLISECONDS = 200;
/**
 * A lock on a table is requested for this long only: while it waits, every later statement on the
 * table waits behind it.
 */
const TABLE_LOCK_TIMEOUT = '2s';
const TABLE_LOCK_TRIES = 30;
const TABLE_LOCK_PAUSE_MILLISECONDS = 1_000;
const CONNECT_TIMEOUT_MILLISECONDS = 5_000;
/** A slower one is named in the log while it runs. */
const SLOW_MILLISECONDS = 2_000;
/**
 * The first line of a file that builds an index while others write: PostgreSQL does so in no
 * transaction.
 */
const OUTSIDE = /^-- Outside a transaction\b/;
const TRANSACTION =
  /^[ \t]*(begin|commit|rollback|start[ \t]+transaction)([ \t]+(work|transaction))?[ \t]*;/im;
/** The body of a function, or of a block, which may end transactions where it runs in none. */
const DOLLARS = /\$\$.*?\$\$/gs;

/**
 * Applies the migrations of the directory, each in a transaction of its own, except those that run
 * outside of one. Any number of processes may do so at once. Migrations of a newer Parcela are left
 * as they are: two versions may run at once. `afterwards` runs on the same connection, under the
 * same lock. `begun`: what earlier tries of the same start began, of which a lost connection left
 * open whether it was committed. Throws `MigrationRefused` when the files or the database are not
 * what they were.
 */
export async function migrate(
  address: DatabaseAddress,
  directory: string,
  say: (line: string) => void,
  afterwards: (client: pg.Client) => Promise<void> = async () => {},
  begun = new Set<string>(),
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({
    ...(typeof address === 'string' ? { connectionString: address } : address),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    application_name: 'parcela-migrations',
    options: '-c timezone=UTC',
  });
  // A connection that breaks between two queries emits an event, which without a listener would end
  // the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await checkServerVersion(client);
    await client.query(`set statement_timeout = 0; set lock_timeout = '${LOCK_TIMEOUT}'`);
    await lockMigrations(client);
    await makeTableOfMigrations(client);
    const { rows } = await client.query<AppliedMigration>(
      'select number, name, checksum from schema_migrations order by number',
    );
    const pending = pendingMigrations(migrations, rows);
    for (const migration of pending) {
      begun.add(migration.name);
      const slow = setTimeout(() => say(`Migration ${migration.name} takes a while`), SLOW_MILLISECONDS);
      await apply(client, migration, say).finally(() => clearTimeout(slow));
    }
    sayApplied(pending, say);
    await afterwards(client);
    return { applied: [...begun] };
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Held by the session, so that it is freed however this process ends. Requested again and again: a
 * concurrently built index would wait for ever for a process that waits within a statement.
 */
async function lockMigrations(client: pg.Client): Promise<void> {
  for (let tryNumber = 1; tryNumber <= LOCK_TRIES; tryNumber += 1) {
    const { rows } = await client.query<{ is_ours: boolean }>(
      `select pg_try_advisory_lock(${LOCK}) as is_ours`,
    );
    if (rows[0]?.is_ours === true) return;
    await sleep(LOCK_PAUSE_MILLISECONDS);
  }
  throw new Error('another process has been migrating for ten minutes');
}

function sayApplied(pending: readonly Migration[], say: (line: string) => void): void {
  const [first, last] = [pending.at(0)?.name, pending.at(-1)?.name];
  if (pending.length === 1) say(`Applied migration ${first}`);
  if (pending.length > 1) say(`Applied ${pending.length} migrations, ${first} to ${last}`);
}

/** Reads first: a role that may not create tables starts too where an owner has migrated. */
async function makeTableOfMigrations(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('schema_migrations') is not null as is_there`,
  );
  if (rows[0]?.is_there === true) return;
  await client.query(`
    create table schema_migrations (
      number     int primary key,
      name       text not null,
      checksum   text not null,
      applied_at timestamptz not null default now()
    )`);
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations = await Promise.all(
    names.map(async (name) => {
      const digits = /^(\d{4})-[a-z0-9][a-z0-9-]*\.sql$/.exec(name)?.[1];
      if (digits === undefined) {
        throw new MigrationRefused(`${name} is not named like a migration, 0001-what-it-does.sql`);
      }
      // A checkout with other line ends is the same migration.
      const text = (await readFile(join(directory, name), 'utf8')).replaceAll('\r\n', '\n');
      if (TRANSACTION.test(text.replaceAll(DOLLARS, ''))) {
        throw new MigrationRefused(
          `${name} begins or ends a transaction: each migration already runs in one`,
        );
      }
      return {
        number: Number(digits),
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
        commands: OUTSIDE.test(text) ? commandsOf(text) : null,
      };
    }),
  );
  for (const [index, migration] of migrations.entries()) {
    if (migration.number === index + 1) continue;
    const reason = migration.number === index ? `has the number of ${names[index - 1]}` : `follows a hole`;
    throw new MigrationRefused(
      `${migration.name} ${reason}: migrations are numbered from 0001 without holes`,
    );
  }
  return migrations;
}

/**
 * Forward only: the applied ones must be the beginning of the files, unchanged; those that the
 * files do not have are newer.
 */
function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const byNumber = new Map(applied.map((row) => [row.number, row]));
  const newest = applied.at(-1)?.number ?? 0;
  return migrations.filter((migration) => {
    const row = byNumber.get(migration.number);
    if (row === undefined) {
      if (migration.number > newest) return true;
      throw new MigrationRefused(
        `${migration.name} was never applied although migration ${newest} was: migrations only go forward. ` +
          'Give it the next free number.',
      );
    }
    if (row.name === migration.name && row.checksum === migration.checksum) return false;
    throw new MigrationRefused(
      `${migration.name} is not what was applied to this database as ${row.name}: an applied migration is never ` +
        'changed. Bring the file back as it was and write a new migration for the change.',
    );
  });
}

/** For texts whose strings hold no semicolons and no dashes, save what stands between dollars. */
function commandsOf(text: string): string[] {
  const commands = text.replaceAll(/--[^\n]*/g, '').match(/(\$\$.*?\$\$|[^;])+/gs) ?? [];
  return commands.map((command) => command.trim()).filter(Boolean);
}

async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = '${TABLE_LOCK_TIMEOUT}'`);
  await client.query(migration.text);
  await recordApplied(client, migration);
  // After an error inside, commit resolves as well, having rolled back.
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
}

/** Killed in the middle, or failed: the next start begins with the first command again. */
async function applyOneByOne(
  client: pg.Client,
  migration: Migration,
  commands: readonly string[],
): Promise<void> {
  try {
    for (const command of commands) {
      const isBesideWriters = /\bindex\s+concurrently\b/i.test(command);
      await setLockTimeout(client, isBesideWriters ? LOCK_TIMEOUT : TABLE_LOCK_TIMEOUT);
      await client.query(command);
    }
    await recordApplied(client, migration);
  } finally {
    await setLockTimeout(client, LOCK_TIMEOUT).catch(() => {});
  }
}

async function setLockTimeout(client: pg.Client, timeout: string): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, false)`, [timeout]);
}

async function recordApplied(client: pg.Client, { number, name, checksum }: Migration): Promise<void> {
  await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
    number,
    name,
    checksum,
  ]);
}

async function apply(client: pg.Client, migration: Migration, say: (line: string) => void): Promise<void> {
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      if (migration.commands === null) await applyAtOnce(client, migration);
      else await applyOneByOne(client, migration, migration.commands);
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      const isLockedOut =
        hasSqlState(error, SQL_STATE.lockNotAvailable, SQL_STATE.deadlock) && tryNumber < TABLE_LOCK_TRIES;
      if (!isLockedOut) throw describedFailure(migration, error);
      if (tryNumber === 1) say(`Migration ${migration.name} waits for a table that is in use`);
      await sleep(TABLE_LOCK_PAUSE_MILLISECONDS);
    }
  }
}

function describedFailure(migration: Migration, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  // Of a command that was sent by itself the place in the file is not known.
  const position = migration.commands === null ? Number((error as { position?: unknown }).position) : 0;
  const line = position > 0 ? ` (line ${migration.text.slice(0, position - 1).split('\n').length})` : '';
  return new Error(`Migration ${migration.name} failed${line}: ${reason}`, {
    cause: error,
  });
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  if (rows[0] !== undefined && rows[0].number >= OLDEST_SERVER) return;
  throw new MigrationRefused(`Parcela needs PostgreSQL 15 or newer; this server is ${rows[0]?.text}`);
}
