import pg from 'pg';
import type { DatabaseAddress } from '../postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../postgres/database-errors.ts';
import { findPrimary } from '../postgres/primary.ts';
import { endClient } from '../postgres/shared-connections.ts';
import { type AppliedMigration, MigrationRefused } from './migration-files.ts';

const OLDEST_SERVER = 150_000;
const CONNECT_TIMEOUT_MILLISECONDS = 5_000;
/** How long a server may be silent until the wait of a start or command ends, which may then try again. */
const ANSWER_TIMEOUT_MILLISECONDS = 7_000;
/** The driver has no unlimited wait; this one ends after 24 days. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

/** Opens a connection for `use`, and closes it at the end. Refuses servers that are too old. */
export async function onMigrationConnection<T>(
  address: DatabaseAddress,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const place = await findPrimary(address);
  const client = new pg.Client({
    ...(typeof place === 'string' ? { connectionString: place } : place),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    query_timeout: ANSWER_TIMEOUT_MILLISECONDS,
    keepAlive: true,
    application_name: 'parcela-migrations',
    options: '-c timezone=UTC',
  });
  // A broken idle connection emits an event, which without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    await checkServerVersion(client);
    return await use(client);
  } finally {
    await endClient(client);
  }
}

/** Runs a command without a timeout: its duration depends on the size of the tables. */
export async function runAtLength(client: pg.Client, text: string): Promise<pg.QueryResult> {
  const command = { text, query_timeout: LONGEST_TIMER_MILLISECONDS };
  return client.query(command);
}

async function checkServerVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  if (rows[0] !== undefined && rows[0].number >= OLDEST_SERVER) return;
  throw new MigrationRefused(`Parcela needs PostgreSQL 15 or newer; this server is ${rows[0]?.text}`);
}

/** Null if the database was never migrated. */
export async function readApplied(client: pg.Client): Promise<AppliedMigration[] | null> {
  // A role that may not create tables also looks, after an owner has migrated.
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('schema_migrations') is not null as is_there`,
  );
  if (rows[0]?.is_there !== true) return null;
  const applied = await client
    .query<AppliedMigration>('select number, name, checksum from schema_migrations order by number')
    .catch((error) => {
      if (!hasSqlState(error, SQL_STATE.insufficientPrivilege)) throw error;
      throw new MigrationRefused(
        `the role ${client.user} may not read what is applied to this database: run parcela migrate with ` +
          'PARCELA_OWNER_DATABASE_URL first, which gives it its rights (docs/installing.md)',
        { cause: error },
      );
    });
  return applied.rows;
}
