import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { MigrationPlan } from '../../src/platform/migrations/migration-plan.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { runCommandHere } from '../kit/command.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { databaseSettings, databaseUrl } from '../kit/service.ts';
import { runParcela } from './run-parcela.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const AFTER = '0014-console.sql';

let names: string[];
let folder: string;
let database: TestDatabase;
let settings: Record<string, string>;

before(async () => {
  names = (await readdir(MIGRATIONS)).sort();
  folder = await mkdtemp(join(tmpdir(), 'parcela-migrate-'));
  database = await createTestDatabase({ migrated: false });
  settings = { ...databaseSettings(database), PARCELA_DATA_DIR: folder };
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const tables = () =>
  runSql(database.address, `select 1 from pg_tables where schemaname = 'public'`).then(
    ({ length }) => length,
  );

async function plan(): Promise<MigrationPlan> {
  const { code, printed, said } = await runCommandHere(['migrate', '--dry-run', '--json'], settings);
  assert.equal(code, 0, said);
  return JSON.parse(printed) as MigrationPlan;
}

test('a dry run names what would be applied, and changes nothing', async () => {
  const { applied, pending, newer } = await plan();
  assert.deepEqual([applied, newer], [0, []]);
  assert.deepEqual(
    pending.map(({ name }) => name),
    names,
  );
  assert.equal(await tables(), 0);
});

test('a dry run says of each migration how it runs, and what it locks', async () => {
  const older = join(folder, 'older');
  for (const name of names) if (name < AFTER) await cp(join(MIGRATIONS, name), join(older, name));
  await migrate(database.address, older, () => {});
  const { applied, pending } = await plan();
  assert.deepEqual([applied, pending[0]?.name], [names.indexOf(AFTER), AFTER]);
  assert.deepEqual(
    pending[0]?.locks.map(({ table, mode }) => [table, mode]),
    [['merchants', 'SHARE ROW EXCLUSIVE']],
  );
  const { printed } = await runCommandHere(['migrate', '--dry-run'], settings);
  assert.match(printed, /^0014-\S+ {2}in one transaction/m);
  assert.match(printed, /merchants \(.*MB\): SHARE ROW EXCLUSIVE/);
});

test('the role of a service alone does not start on an older schema, and says what to run', async () => {
  const alone = { PARCELA_DATA_DIR: folder, DATABASE_URL: databaseUrl(database.runtime), PARCELA_PORT: '0' };
  const without = await runParcela(['serve'], alone);
  assert.match(without.said, /may not read what is applied to this database: run parcela migrate/);
  await runSql(database.address, `grant select on schema_migrations to ${database.runtime.user}`);
  const { code, said } = await runParcela(['serve'], alone);
  assert.equal(code, 1);
  assert.match(said, /not applied to this database yet \(0014-.*run parcela migrate/s);
  assert.doesNotMatch(said, / at .*\.ts/);
});

test('it is migrated once, with its audit entries, and the role of the service may work then', async () => {
  const first = await runCommandHere(['migrate', '--json'], settings);
  assert.equal(first.code, 0, first.said);
  const pending = names.filter((name) => name >= AFTER);
  assert.deepEqual(JSON.parse(first.printed), { applied: pending, unaudited: null });
  const again = await runCommandHere(['migrate'], settings);
  assert.match(again.printed, /nothing was applied/);
  const entries = await runSql(
    database.address,
    `select 1 from audit_entries where action = 'schema.migrate'`,
  );
  assert.equal(entries.length, pending.length);
  const listed = await runCommandHere(['merchant', 'list', '--json'], {
    PARCELA_DATA_DIR: folder,
    DATABASE_URL: databaseUrl(database.runtime),
  });
  assert.deepEqual(JSON.parse(listed.printed), { items: [] }, listed.said);
});

test('a migration whose process ended before its entry gets one, by the next that can write it', async () => {
  const late = `'9999-late.sql'`;
  await runSql(
    database.address,
    `insert into schema_migrations (number, name, checksum) values (9999, ${late}, 'x')`,
  );
  const list = () => runCommandHere(['audit', 'list', '--action', 'schema.migrate', '--json'], settings);
  const seen = await list();
  assert.match(seen.printed, /migrations\/9999-late\.sql/, seen.said);
  await list();
  const entries = await runSql(
    database.address,
    `select detail::jsonb ->> 'appliedAt' as at from audit_entries where resource = 'migrations/' || ${late}`,
  );
  assert.equal(entries.length, 1);
  assert.match(String(entries[0]?.at), /^\d{4}-\d\d-\d\dT/);
  await runSql(database.address, `delete from schema_migrations where number = 9999`);
});

test('without keys the schema is migrated, and it is said that the audit log has no entry', async () => {
  const empty = await createTestDatabase({ migrated: false });
  try {
    const production = {
      ...databaseSettings(empty),
      PARCELA_DATA_DIR: join(folder, 'none'),
      PARCELA_ENVIRONMENT: 'production',
      PARCELA_TRUSTED_PROXIES: 'none',
      PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
    };
    const { code, printed, said } = await runCommandHere(['migrate'], production);
    assert.equal(code, 0, said);
    assert.match(printed, /^The audit log has no entry of that: there is no key file .*parcela key create/m);
  } finally {
    await empty.drop();
  }
});

test('switches take no value, and a command of one word is found with its options', async () => {
  const value = await runCommandHere(['migrate', '--dry-run=yes'], settings);
  assert.equal(value.code, 2);
  assert.match(value.said, /--dry-run takes no value/);
  const help = await runCommandHere(['help', 'migrate'], {});
  assert.match(help.printed, /--dry-run/);
  assert.equal((await runCommandHere(['migrate', 'now'], settings)).code, 2);
});
