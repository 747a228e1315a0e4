import { createHash, createHmac, randomBytes } from 'node:crypto';
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
  /** The same as the role that services work as: it owns nothing. One role for all test databases. */
  readonly runtime: TestDatabaseAddress;
  drop(): Promise<void>;
};

const SERVER_VARIABLE = 'PARCELA_TEST_DATABASE_URL';
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const CONNECT_TIMEOUT_MILLISECONDS = 10_000;
/** As the runner found the server: in memory, where copying files costs less than logging pages. */
const STRATEGY = process.env.PARCELA_TEST_DATABASE_STRATEGY ?? 'wal_log';
const RUNTIME_ROLE = 'parcela_test_runtime';
/** A password of the usual cost takes each new connection some milliseconds. */
const CHEAP_LOGINS = 'set scram_iterations = 1';
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
  hasOwnRole = false,
  template,
}: {
  readonly migrated: boolean;
  /** What it is a copy of, instead. */
  readonly template?: string;
  /** For a test that changes the role itself. */
  readonly hasOwnRole?: boolean;
}): Promise<TestDatabase> {
  const server = serverAddress();
  const database = `parcela_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  // It brings the rights of the shared role along.
  const base = await migratedTemplate(server);
  await onServer(server, (client) =>
    client.query(
      `create database ${database} template ${template ?? (migrated ? base : 'template0')} strategy ${STRATEGY}`,
    ),
  );
  const address = { ...server, database };
  const shared = { ...address, user: RUNTIME_ROLE, password: runtimePassword(server) };
  return {
    address,
    runtime: hasOwnRole ? await makeRole(address, migrated) : shared,
    async drop() {
      await onServer(server, async (client) => {
        await client.query(`drop database if exists ${database} with (force)`);
        if (hasOwnRole) await client.query(`drop role if exists ${database}_runtime`);
      });
    },
  };
}

async function makeRole(address: TestDatabaseAddress, migrated: boolean): Promise<TestDatabaseAddress> {
  const user = `${address.database}_runtime`;
  const password = randomBytes(12).toString('hex');
  await runSql(address, `create role ${user} login password '${password}'`);
  if (migrated) {
    const given = grantRuntimeRole({ name: user, password: null, isOurs: false }, RUNTIME_TABLE_RIGHTS);
    await migrate(address, MIGRATIONS, () => {}, given);
  }
  return { ...address, user, password };
}

/** The same in every process of a run, and known to nobody who does not know the owner's. */
function runtimePassword({ password }: TestDatabaseAddress): string {
  return createHmac('sha256', password).update(RUNTIME_ROLE).digest('hex');
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

let migratedOnce: Promise<string> | undefined;

/**
 * All migrations applied once, whatever the number of test files; another set of migrations is
 * another template.
 */
function migratedTemplate(server: TestDatabaseAddress): Promise<string> {
  migratedOnce ??= makeTemplate(server);
  return migratedOnce;
}

export type FurnishedTemplate = { readonly name: string; readonly note: string };

/**
 * A template that was furnished once by whoever came first: `furnish` fills a migrated database and gives a
 * note, which everybody gets.
 */
export async function furnishedTemplate(
  furnish: (draft: TestDatabase) => Promise<string>,
): Promise<FurnishedTemplate> {
  const server = serverAddress();
  const name = `${await migratedTemplate(server)}_furnished`;
  return onServer(server, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const noteOf = `select shobj_description(oid, 'pg_database') as note from pg_database where datname = $1`;
    const { rows } = await client.query(noteOf, [name]);
    if (rows[0] !== undefined) return { name, note: rows[0].note as string };
    const draft = await createTestDatabase({ migrated: true });
    const note = await furnish(draft);
    const { database } = draft.address;
    await client.query(`comment on database ${database} is ${client.escapeLiteral(note)}`);
    await client.query(`alter database ${database} rename to ${name}`);
    return { name, note };
  });
}

async function makeTemplate(server: TestDatabaseAddress): Promise<string> {
  const name = `parcela_template_${await migrationsHash()}`;
  await onServer(server, async (client) => {
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 1) return;
    const { rows } = await client.query('select from pg_roles where rolname = $1', [RUNTIME_ROLE]);
    const verb = rows.length === 0 ? 'create' : 'alter';
    await client.query(CHEAP_LOGINS);
    await client.query(`${verb} role ${RUNTIME_ROLE} login password '${runtimePassword(server)}'`);
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} template template0`);
    const role = { name: RUNTIME_ROLE, password: null, isOurs: false };
    const given = grantRuntimeRole(role, RUNTIME_TABLE_RIGHTS);
    await migrate({ ...server, database: draft }, MIGRATIONS, () => {}, given);
    // Only a whole one gets the name: a run that was killed leaves a draft.
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

async function migrationsHash(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(RUNTIME_TABLE_RIGHTS));
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
