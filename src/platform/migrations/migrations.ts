import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseAddress } from '../postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../postgres/database-errors.ts';
import { onMigrationConnection, readApplied, runAtLength } from './migration-connection.ts';
import { type Migration, MigrationRefused, pendingMigrations, readMigrations } from './migration-files.ts';

/** Any two numbers that never change: advisory locks are per database. */
const LOCK = '1885434467, 1';
/** How long a concurrent index build waits for older transactions. */
export const INDEX_LOCK_MINUTES = 10;
const LOCK_TIMEOUT = `${INDEX_LOCK_MINUTES}min`;
/** How long a lost machine keeps the lock. The server's default is two hours. */
const LOST_AFTER_SECONDS = 60;
const PROBE_SECONDS = 10;
/** How often a process tries to get the lock of another one that migrates: for ten minutes. */
const LOCK_TRIES = 3_000;
const LOCK_PAUSE_MILLISECONDS = 200;
/**
 * How long a migration waits for a table. A longer wait would make later statements on the table wait too.
 */
export const TABLE_LOCK_SECONDS = 2;
const TABLE_LOCK_TIMEOUT = `${TABLE_LOCK_SECONDS}s`;
export const TABLE_LOCK_TRIES = 30;
const TABLE_LOCK_PAUSE_MILLISECONDS = 1_000;

/** Run by the owner once the schema has this version. `isNewer`: it has a newer one. */
export type Afterwards = {
  /** Runs without the lock. */
  readonly isDue: (client: pg.Client, isNewer: boolean) => Promise<boolean>;
  readonly run: (client: pg.Client, isNewer: boolean) => Promise<void>;
};

const NOTHING: Afterwards = { isDue: async () => false, run: async () => {} };

/**
 * Applies the migrations of the directory, each in its own transaction unless marked otherwise. Any number of
 * processes may call it at once; without pending migrations none waits. Newer migrations stay. `afterwards`
 * runs under the same lock. `begun`: migrations of earlier tries whose commit a lost connection left unknown.
 * Throws `MigrationRefused` when files or database changed.
 */
export async function migrate(
  address: DatabaseAddress,
  directory: string,
  say: (line: string) => void,
  afterwards = NOTHING,
  begun = new Set<string>(),
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(directory);
  const newest = migrations.at(-1)?.number ?? 0;
  return onMigrationConnection(address, async (client) => {
    const look = async () => {
      const found = await readApplied(client);
      const isNewer = found?.some(({ number }) => number > newest) ?? false;
      return { found, isNewer, pending: pendingMigrations(migrations, found ?? []) };
    };
    const before = await look();
    const isCurrent = before.found !== null && before.pending.length === 0;
    if (isCurrent && !(await afterwards.isDue(client, before.isNewer))) return { applied: [...begun] };
    await client.query(SETTINGS);
    await lockMigrations(client);
    const { found, isNewer, pending } = await look();
    if (pending.length > 0) await refuseWithoutRight(client, pending);
    if (found === null) await client.query(MAKE_TABLE_OF_MIGRATIONS);
    for (const [index, migration] of pending.entries()) {
      begun.add(migration.name);
      const step = { name: migration.name, number: index + 1, of: pending.length };
      const stopFollowing = followMigration(address, client, step, say);
      await apply(client, migration, say).finally(stopFollowing);
    }
    sayApplied(pending, say);
    await afterwards.run(client, isNewer);
    return { applied: [...begun] };
  });
}

const SETTINGS = `
  set statement_timeout = 0; set lock_timeout = '${LOCK_TIMEOUT}';
  set tcp_keepalives_idle = ${PROBE_SECONDS}; set tcp_keepalives_interval = ${PROBE_SECONDS};
  set tcp_keepalives_count = ${LOST_AFTER_SECONDS / PROBE_SECONDS - 1};
  set tcp_user_timeout = ${LOST_AFTER_SECONDS * 1_000}`;

/**
 * Takes the lock of migrations, which is freed however this process ends. It is tried again and again,
 * because a concurrent index build would wait for a waiting statement.
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

const MAKE_TABLE_OF_MIGRATIONS = `
  create table schema_migrations (
    number     int primary key,
    name       text not null,
    checksum   text not null,
    applied_at timestamptz not null default now()
  )`;

/** The service's role owns nothing: if only that role is given, the owner must migrate first. */
async function refuseWithoutRight(client: pg.Client, pending: readonly Migration[]): Promise<void> {
  const { rows } = await client.query<{ role: string; may_create: boolean | null }>(
    `select current_user as role, has_schema_privilege(current_schema(), 'create') as may_create`,
  );
  const [row] = rows;
  if (row?.may_create === true) return;
  throw new MigrationRefused(
    `${pending.length === 1 ? 'a migration is' : `${pending.length} migrations are`} not applied to this database yet ` +
      `(${pending.at(0)?.name}…), and the role ${row?.role} may not: run parcela migrate with ` +
      'PARCELA_OWNER_DATABASE_URL first (docs/installing.md)',
  );
}

async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  await setLockTimeout(client, TABLE_LOCK_TIMEOUT, true);
  await runAtLength(client, migration.text);
  await recordApplied(client, migration);
  // After an error inside, commit resolves too, having rolled back.
  const { command } = await runAtLength(client, 'commit');
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
}

/** After a failure the next start begins with the first command again. */
async function applyOneByOne(
  client: pg.Client,
  migration: Migration,
  commands: readonly string[],
): Promise<void> {
  try {
    for (const command of commands) {
      const isBesideWriters = /\bindex\s+concurrently\b/i.test(command);
      await setLockTimeout(client, isBesideWriters ? LOCK_TIMEOUT : TABLE_LOCK_TIMEOUT);
      await runAtLength(client, command);
    }
    await recordApplied(client, migration);
  } finally {
    await setLockTimeout(client, LOCK_TIMEOUT).catch(() => {});
  }
}

async function setLockTimeout(client: pg.Client, timeout: string, isLocal = false): Promise<void> {
  await client.query(`select set_config('lock_timeout', $1, $2)`, [timeout, isLocal]);
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
  // A command sent by itself does not know its position in the file.
  const position = migration.commands === null ? Number((error as { position?: unknown }).position) : 0;
  const line = position > 0 ? ` (line ${migration.text.slice(0, position - 1).split('\n').length})` : '';
  return new Error(`Migration ${migration.name} failed${line}: ${reason}`, {
    cause: error,
  });
}

const SLOW_MILLISECONDS = 2_000;
const PROGRESS_MILLISECONDS = 10_000;

export type MigrationStep = { readonly name: string; readonly number: number; readonly of: number };

/** Says how a slow migration goes on, until the returned function is called. */
function followMigration(
  address: DatabaseAddress,
  client: pg.Client,
  { name, number, of }: MigrationStep,
  say: (line: string) => void,
): () => void {
  const beginsAt = performance.now();
  const which = of === 1 ? name : `${name} (${number} of ${of})`;
  let isOver = false;
  const report = async () => {
    const done = await readProgress(address, client).catch(() => null);
    const seconds = Math.round((performance.now() - beginsAt) / 1_000);
    if (!isOver) say(`Migration ${which} goes on for ${seconds} s${done === null ? '' : `: ${done}`}`);
  };
  let repeated: NodeJS.Timeout | undefined;
  const slow = setTimeout(() => {
    say(`Migration ${which} takes a while`);
    repeated = setInterval(() => void report(), PROGRESS_MILLISECONDS);
  }, SLOW_MILLISECONDS);
  return () => {
    isOver = true;
    clearTimeout(slow);
    clearInterval(repeated);
  };
}

/** PostgreSQL reports progress only for index builds. */
const READ_BUILD = `
  select p.index_relid::regclass::text as index, p.phase,
    case when p.blocks_total > 0 then floor(100.0 * p.blocks_done / p.blocks_total)::int end as percent
  from pg_stat_progress_create_index p where p.pid = $1`;

async function readProgress(address: DatabaseAddress, client: pg.Client): Promise<string | null> {
  const { processID } = client as pg.Client & { readonly processID: number };
  return onMigrationConnection(address, async (beside) => {
    const { rows } = await beside.query<{ index: string; phase: string; percent: number | null }>(
      READ_BUILD,
      [processID],
    );
    const [build] = rows;
    if (build === undefined) return null;
    return `index ${build.index}, ${build.phase}${build.percent === null ? '' : `, ${build.percent} %`}`;
  });
}
