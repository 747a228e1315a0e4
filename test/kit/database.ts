import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { RUNTIME_TABLE_RIGHTS } from '../../src/audit/audit-rights.sql.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { grantRuntimeRole } from '../../src/platform/postgres/runtime-role.ts';

export type TestDatabaseAddress = {
  /** A host, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

export type TestDatabase = {
  readonly address: TestDatabaseAddress;
  /** The same as the role that services work as: it owns nothing. */
  readonly runtime: TestDatabaseAddress;
  drop(): Promise<void>;
};

const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const CONNECT_TIMEOUT_MILLISECONDS = 10_000;
/** Any two numbers: the maker of the template holds this lock. */
const TEMPLATE_LOCK = '1885434467, 2';

/**
 * A migrated database of its own for the test file that asks, dropped when its tests are over.
 * Files run in parallel
 * and never meet.
 */
export async function testDatabaseAddress(): Promise<TestDatabaseAddress> {
  const { address, drop } = await createTestDatabase({ migrated: true });
  after(drop);
  return address;
}

/**
 * A new database on the server of the test run, empty or with all migrations applied. The caller
 * drops it.
 */
export async function createTestDatabase({
  migrated,
}: {
  readonly migrated: boolean;
}): Promise<TestDatabase> {
  const server = serverAddress();
  const database = `parcela_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const template = migrated ? await migratedTemplate(server) : 'template0';
  await onServer(server, (client) => client.query(`create database ${database} template ${template}`));
  const address = { ...server, database };
  const role = `${database}_runtime`;
  const password = randomBytes(12).toString('hex');
  await onServer(server, (client) => client.query(`create role ${role} login password '${password}'`));
  if (migrated) {
    const given = grantRuntimeRole({ name: role, password: null, isOurs: false }, RUNTIME_TABLE_RIGHTS);
    await migrate(address, MIGRATIONS, () => {}, given);
  }
  return {
    address,
    runtime: { ...address, user: role, password },
    async drop() {
      await onServer(server, async (client) => {
        await client.query(`drop database if exists ${database} with (force)`);
        await client.query(`drop role if exists ${role}`);
      });
    },
  };
}

/** Runs text, of one or more commands, on a connection of its own. */
export async function runSql(address: TestDatabaseAddress, text: string): Promise<Record<string, unknown>[]> {
  return onServer(address, async (client) => {
    // The simple protocol gives an array when there are several commands.
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(text);
    const last = Array.isArray(result) ? result.at(-1) : result;
    return (last?.rows ?? []) as Record<string, unknown>[];
  });
}

/** `postgres://user:password@host:port/database`, with `?host=` for the folder of a Unix socket. */
export function serverAddress(url: string | undefined = process.env[SERVER_VARIABLE]): TestDatabaseAddress {
  if (url === undefined || url === '') {
    throw new Error(`start the tests with npm test, or name a PostgreSQL for them in ${SERVER_VARIABLE}`);
  }
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? decodeURIComponent(hostname),
    port: Number(port || 5432),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || 'postgres',
  };
}

let template: Promise<string> | undefined;

/**
 * All migrations applied once, whatever the number of test files; another set of migrations is
 * another template.
 */
function migratedTemplate(server: TestDatabaseAddress): Promise<string> {
  template ??= makeTemplate(server);
  return template;
}

async function makeTemplate(server: TestDatabaseAddress): Promise<string> {
  const name = `parcela_template_${await migrationsHash()}`;
  await onServer(server, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} template template0`);
    await migrate({ ...server, database: draft }, MIGRATIONS, () => {});
    // Only a whole one gets the name: a run that was killed leaves a draft.
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    hash.update(`${name}\0`).update(await readFile(join(MIGRATIONS, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function onServer<T>(address: TestDatabaseAddress, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS });
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
