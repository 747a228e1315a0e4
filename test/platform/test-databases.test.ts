import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, runSql, serverAddress, testDatabaseAddress } from '../kit/database.ts';

const TABLES = `select count(*)::int as count from pg_tables where schemaname = 'public'`;

test('every test database is its own: what one writes no other sees', async () => {
  const databases = await Promise.all([1, 2, 3].map(() => createTestDatabase({ migrated: true })));
  try {
    const [first, ...others] = databases.map(({ address }) => address);
    assert.ok(first !== undefined);
    await runSql(first, 'create table mine (thing_id integer)');
    const [mine] = await runSql(first, TABLES);
    for (const other of others) {
      const [theirs] = await runSql(other, TABLES);
      assert.equal(theirs?.count, Number(mine?.count) - 1);
    }
  } finally {
    for (const { drop } of databases) await drop();
  }
  const names = databases.map(({ address }) => `'${address.database}'`).join(', ');
  const left = await runSql(serverAddress(), `select datname from pg_database where datname in (${names})`);
  assert.deepEqual(left, []);
});

test('a database without migrations is empty, one with them has all of them', async () => {
  const empty = await createTestDatabase({ migrated: false });
  assert.deepEqual(await runSql(empty.address, TABLES), [{ count: 0 }]);
  await empty.drop();
  const [row] = await runSql(await testDatabaseAddress(), 'select count(*)::int as count from transactions');
  assert.equal(row?.count, 0);
});

test('a database with a session that was left open is dropped all the same', async () => {
  const database = await createTestDatabase({ migrated: false });
  const sleeping = runSql(database.address, 'select pg_sleep(30)');
  const ended = assert.rejects(sleeping);
  await database.drop();
  await ended;
});

test('the address of the server is read with its socket folder and its escapes', () => {
  assert.deepEqual(
    serverAddress(['postgres://a%40b', 'p%2Fq@localhost', '5433/c?host=%2Ftmp%2Fs'].join(':')),
    {
      host: '/tmp/s',
      port: 5433,
      user: 'a@b',
      password: 'p/q',
      database: 'c',
    },
  );
  assert.equal(serverAddress('postgresql://user:password@db.example.com').port, 5432);
  assert.throws(() => serverAddress(''), /npm test/);
});
