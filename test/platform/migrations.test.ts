import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { openDataFolder } from '../../homologation/data-folder.ts';
import { startEmbeddedPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { MigrationRefused } from '../../src/platform/migrations/migration-files.ts';
import { planMigrations } from '../../src/platform/migrations/migration-plan.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';

const ground = await mkdtemp(join(tmpdir(), 'parcela-migrations-'));
const folder = await openDataFolder(ground, () => {});
const server = await startEmbeddedPostgres({ folder: ground, say: () => {} });
after(async () => {
  await server.stop();
  await folder.release();
  await rm(ground, { recursive: true, force: true });
});
const quietly = () => {};

async function connected<T>(database: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...server.connection, database });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function prepare(name: string, files: Record<string, string>) {
  await connected('parcela', (client) => client.query(`create database ${name}`));
  const directory = join(ground, `migrations-${name}`);
  await mkdir(directory);
  await write(directory, files);
  return { address: { ...server.connection, database: name }, directory };
}

async function write(directory: string, files: Record<string, string>): Promise<void> {
  for (const [file, text] of Object.entries(files)) await writeFile(join(directory, file), text);
}

const twoMigrations = {
  '0001-cards.sql': 'create table cards (id int primary key);\ninsert into cards values (1);\n',
  '0002-card-holders.sql': 'alter table cards add holder text;',
};

test('migrations are applied once, in order, however many processes start at once', async () => {
  const { address, directory } = await prepare('at_once', twoMigrations);
  const said: string[] = [];
  const results = await Promise.all(
    [1, 2, 3, 4].map(() => migrate(address, directory, (line) => said.push(line))),
  );
  assert.deepEqual(
    results.flatMap((result) => result.applied),
    ['0001-cards.sql', '0002-card-holders.sql'],
  );
  assert.deepEqual(said, ['Applied 2 migrations, 0001-cards.sql to 0002-card-holders.sql']);
  await connected('at_once', async (client) => {
    assert.deepEqual((await client.query('select * from cards')).rows, [{ id: 1, holder: null }]);
    assert.deepEqual(
      (await client.query('select number, name from schema_migrations order by number')).rows,
      [
        { number: 1, name: '0001-cards.sql' },
        { number: 2, name: '0002-card-holders.sql' },
      ],
    );
  });

  await write(directory, { '0003-drop.sql': 'drop table cards' });
  assert.deepEqual(await migrate(address, directory, quietly), { applied: ['0003-drop.sql'] });
});

test('an applied migration that changed is refused, other line ends are not a change', async () => {
  const { address, directory } = await prepare('changed', twoMigrations);
  await migrate(address, directory, quietly);
  await write(directory, { '0001-cards.sql': twoMigrations['0001-cards.sql'].replaceAll('\n', '\r\n') });
  assert.deepEqual(await migrate(address, directory, quietly), { applied: [] });

  await write(directory, { '0001-cards.sql': 'create table cards (id bigint primary key);' });
  await assert.rejects(migrate(address, directory, quietly), (error: Error) => {
    assert.ok(error instanceof MigrationRefused);
    assert.match(error.message, /0001-cards\.sql is not what was applied/);
    return true;
  });
});

test('what would take long is reckoned from the rows that the server knows of', async () => {
  const { address, directory } = await prepare('long', twoMigrations);
  await migrate(address, directory, quietly);
  await write(directory, { '0003-upper.sql': 'update cards set holder = upper(holder);' });
  const secondsOf = async () =>
    (await planMigrations(address, directory)).pending.map(({ seconds }) => seconds);
  assert.deepEqual(await secondsOf(), [0]);
  await connected('long', (client) =>
    client.query(`update pg_class set reltuples = 3e6 where relname = 'cards'`),
  );
  assert.deepEqual(await secondsOf(), [120]);
});

test('a database from before the baseline is refused, and how to begin anew is said', async () => {
  const { address, directory } = await prepare('ancient', twoMigrations);
  await migrate(address, directory, quietly);
  const checksum = 'ac178d5d873be009c61013e8c442f4a463d868ed699c83b16cd4c301631187d1';
  await connected('ancient', (client) =>
    client.query('update schema_migrations set checksum = $1 where number = 1', [checksum]),
  );
  await assert.rejects(migrate(address, directory, quietly), {
    name: 'MigrationRefused',
    message: /of a Parcela before 0\.1\.0.*begin with an empty database.*mv \.parcela \.parcela-before/,
  });
});

test('an older version starts on the database of a newer one', async () => {
  const { address, directory } = await prepare('newer', twoMigrations);
  await migrate(address, directory, quietly);
  await rm(join(directory, '0002-card-holders.sql'));
  assert.deepEqual(await migrate(address, directory, quietly), { applied: [] });
});

test('a failing migration leaves no trace and says where it failed', async () => {
  const { address, directory } = await prepare('failing', {
    ...twoMigrations,
    '0003-broken.sql': 'create table half (id int);\n\ninsert into nowhere values (1);',
  });
  await assert.rejects(migrate(address, directory, quietly), /0003-broken\.sql failed \(line 3\): .*nowhere/);
  await connected('failing', async (client) => {
    assert.deepEqual((await client.query(`select to_regclass('half') as half`)).rows, [{ half: null }]);
    assert.deepEqual((await client.query('select max(number) as newest from schema_migrations')).rows, [
      { newest: 2 },
    ]);
  });
  await write(directory, { '0003-broken.sql': 'create table half (id int);' });
  assert.deepEqual(await migrate(address, directory, quietly), { applied: ['0003-broken.sql'] });
});

test('a migration waits for a table in use without failing', async () => {
  const { address, directory } = await prepare('in_use', {
    '0001-cards.sql': twoMigrations['0001-cards.sql'],
  });
  await migrate(address, directory, quietly);
  await write(directory, { '0002-card-holders.sql': twoMigrations['0002-card-holders.sql'] });
  await connected('in_use', async (client) => {
    await client.query('begin; select * from cards');
    const { applied } = await migrate(address, directory, (line) => {
      if (line.includes('waits for a table')) void client.query('commit');
    });
    assert.deepEqual(applied, ['0002-card-holders.sql']);
  });
});

test('while another one migrates, only those wait that have something to do', {
  timeout: 60_000,
}, async () => {
  const { address, directory } = await prepare('beside', twoMigrations);
  await migrate(address, directory, quietly);
  await connected('beside', async (holder) => {
    await holder.query('select pg_advisory_lock(1885434467, 1)');
    assert.deepEqual(await migrate(address, directory, quietly), { applied: [] });
    await write(directory, { '0003-drop.sql': 'drop table cards' });
    const late = migrate(address, directory, quietly);
    const asked = `select from pg_stat_activity where datname = 'beside' and query like '%pg_try_advisory%' and pid <> pg_backend_pid()`;
    while ((await holder.query(asked)).rowCount === 0) await Promise.race([late, setImmediate()]);
    assert.deepEqual((await holder.query(`select from cards`)).rowCount, 1);
    await holder.query('select pg_advisory_unlock_all()');
    assert.deepEqual(await late, { applied: ['0003-drop.sql'] });
  });
});

const outside = (table: string) =>
  `-- Outside a transaction: the index is built while others write.
create table if not exists ${table} (id int);
drop index concurrently if exists ${table}_by_id;
create index concurrently ${table}_by_id on ${table} (id);
`;

test('an index is built beside the writers, by one of the processes that start at once, and anew after a failure', async () => {
  const { address, directory } = await prepare('outside', {
    ...twoMigrations,
    '0003-index.sql': outside('keys'),
  });
  const results = await Promise.all([1, 2, 3].map(() => migrate(address, directory, quietly)));
  assert.equal(results.flatMap(({ applied }) => applied).length, 3);
  const isValid = `select indisvalid from pg_index where indexrelid = 'keys_by_id'::regclass`;
  await connected('outside', async (client) => {
    assert.deepEqual((await client.query(isValid)).rows, [{ indisvalid: true }]);
    await client.query('insert into keys values (1)');
  });
  await write(directory, { '0004-other.sql': `${outside('others')}select 1 / 0;` });
  await assert.rejects(migrate(address, directory, quietly), /0004-other\.sql failed: division by zero/);
  await write(directory, { '0004-other.sql': outside('others') });
  assert.deepEqual(await migrate(address, directory, quietly), { applied: ['0004-other.sql'] });
});

const refused: [string, Record<string, string>, RegExp][] = [
  ['a hole in the numbers', { '0001-a.sql': '', '0003-b.sql': '' }, /0003-b\.sql follows a hole/],
  [
    'two migrations of one number',
    { '0001-a.sql': '', '0001-b.sql': '' },
    /0001-b\.sql has the number of 0001-a\.sql/,
  ],
  ['a file that is not named like one', { '1-a.sql': '' }, /1-a\.sql is not named like a migration/],
  [
    'a transaction of its own',
    { '0001-a.sql': 'select 1;\nCOMMIT;' },
    /0001-a\.sql begins or ends a transaction/,
  ],
];
for (const [index, [what, files, message]] of refused.entries()) {
  test(`migrations with ${what} are refused`, async () => {
    const { address, directory } = await prepare(`refused_${index}`, files);
    await assert.rejects(migrate(address, directory, quietly), message);
  });
}

test('a migration that was left out while a later one was applied is refused', async () => {
  const { address, directory } = await prepare('left_out', twoMigrations);
  await migrate(address, directory, quietly);
  await connected('left_out', (client) => client.query('delete from schema_migrations where number = 1'));
  await assert.rejects(
    migrate(address, directory, quietly),
    /0001-cards\.sql was never applied although migration 2 was/,
  );
});
