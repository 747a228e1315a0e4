import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type Database,
  openDatabase,
  type ServerWatcher,
  statement,
  type Tx,
} from '../../src/platform/postgres/database.ts';
import { DatabaseUnavailable, sqlStateOf } from '../../src/platform/postgres/database-errors.ts';
import { createTestDatabase, runSql, serverAddress, type TestDatabase } from '../kit/database.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

let testDatabase: TestDatabase;
let proxy: CuttingProxy;
let database: Database;
let throughProxy: Database;

before(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  await runSql(
    testDatabase.address,
    `create table things (thing_id integer primary key, partner integer references things deferrable initially deferred);
     create function lack_room() returns void language plpgsql as $$ begin raise exception using errcode = '53100'; end $$`,
  );
  proxy = await openCuttingProxy(testDatabase.address);
  database = openDatabase(testDatabase.address, () => {});
  throughProxy = openDatabase(proxy.address, () => {});
});

after(async () => {
  await Promise.all([database.close(), throughProxy.close()]);
  await proxy.close();
  await testDatabase.drop();
});

const INSERT = statement(
  'things.insert',
  'insert into things (thing_id, partner) values ($1, $2) returning thing_id',
);
const COUNT = statement(
  'things.count',
  'select count(*) as count from things where thing_id = any($1::integer[])',
);
const SLEEP = statement('things.sleep', 'select pg_sleep($1), pg_backend_pid() as process_id');

/** Adds things one by one, in one transaction. */
const add = (books: Database, ...things: readonly (number | readonly [number, number])[]) =>
  books.transaction(async (tx) => {
    for (const thing of things) await insert(tx, thing);
  });
const insert = (tx: Tx, thing: number | readonly [number, number]) =>
  tx.query(INSERT, typeof thing === 'number' ? [thing, null] : thing);

async function countOf(...things: number[]): Promise<number> {
  const [row] = await database.query(COUNT, [things]);
  return row?.count as number;
}

let texts = 0;

/** Reads one value, through a statement of its own. */
async function read(expression: string): Promise<unknown> {
  texts += 1;
  const [row] = await database.query(statement(`things.value_${texts}`, `select ${expression} as value`), []);
  return row?.value;
}

test('a transaction gives what its work gives, and sees what it wrote', async () => {
  const counted = await database.transaction(async (tx) => {
    await insert(tx, 1);
    await insert(tx, [2, 1]);
    assert.equal(await countOf(1, 2), 0, 'others see nothing of it');
    const [row] = await tx.query(COUNT, [[1, 2]]);
    return row?.count;
  });
  assert.equal(counted, 2);
  assert.equal(await countOf(1, 2), 2);
});

test('what work throws is thrown as it is: nothing is written, and the connection is good for more', async () => {
  const own = openDatabase(testDatabase.address, () => {}, { connections: { work: 1, search: 1 } });
  const serverOf = () => own.query(SLEEP, [0]).then(([row]) => row?.process_id);
  try {
    const before = await serverOf();
    for (const thrown of [new Error('the connection is closed, says a merchant'), { code: 'ETIMEDOUT' }])
      await assert.rejects(
        own.transaction(async (tx) => {
          await insert(tx, 6);
          throw thrown;
        }),
        (error) => error === thrown,
      );
    assert.equal(await countOf(6), 0);
    assert.equal(await serverOf(), before);
  } finally {
    await own.close();
  }
});

test('an error that work keeps to itself does not make a half transaction', async () => {
  const half = database.transaction(async (tx) => {
    await insert(tx, 7);
    await insert(tx, 7).catch(() => {});
  });
  await assert.rejects(half, /ended with ROLLBACK/);
  assert.equal(await countOf(7), 0);
});

test('a transaction that has ended takes no more statements', async () => {
  let kept: Tx | undefined;
  await database.transaction(async (tx) => {
    kept = tx;
  });
  await assert.rejects(insert(kept as Tx, 8), /after the end of its transaction/);
});

test('when the server answered payments last is not known by what it answered searches', async () => {
  const own = openDatabase(testDatabase.address, () => {});
  try {
    await own.search.query(COUNT, [[]]);
    assert.equal(own.answeredAt(), Number.NEGATIVE_INFINITY);
    await own.query(COUNT, [[]]);
    assert.ok(own.answeredAt() > 0);
  } finally {
    await own.close();
  }
});

test('a search that finds no room for its temporary files does not say that the database takes no writes', async () => {
  const noted: unknown[] = [];
  const watcher: ServerWatcher = {
    check: async () => 'the server',
    newest: () => 'the server',
    noteError: (error) => void noted.push(sqlStateOf(error)),
  };
  const own = openDatabase(testDatabase.address, () => {}, { watcher });
  const lack = statement('things.lack', 'select lack_room()');
  try {
    for (const books of [own.search, own]) await assert.rejects(books.query(lack, []), { code: '53100' });
    assert.deepEqual(noted, ['53100'], 'that of the payments');
  } finally {
    await own.close();
  }
});

test('a transaction is all or nothing', async () => {
  await assert.rejects(add(database, 11, 12, 11), { code: '23505' });
  assert.equal(await countOf(11, 12), 0);
  await add(database, 11);
  assert.equal(await countOf(11), 1);
});

test('a transaction that fails at its end throws, and nothing is written', async () => {
  await assert.rejects(add(database, 21, [22, 999]), { code: '23503' });
  assert.equal(await countOf(21, 22), 0);
});

test('a transaction that PostgreSQL answers with ROLLBACK throws, and nothing is written', async () => {
  await throughProxy.ping();
  proxy.turnCommitIntoRollback();
  await assert.rejects(add(throughProxy, 31), /ended with ROLLBACK/);
  assert.equal(await countOf(31), 0);
  await add(throughProxy, 31);
  assert.equal(await countOf(31), 1);
});

test('whole numbers of 64 bits are read as numbers, and one that does not fit throws', async () => {
  assert.equal(await read('9007199254740991::bigint'), Number.MAX_SAFE_INTEGER);
  assert.equal(await read('-9007199254740991::bigint'), Number.MIN_SAFE_INTEGER);
  assert.deepEqual(await read("'{1,-2,3}'::bigint[]"), [1, -2, 3]);
  assert.deepEqual(await read("'{}'::bigint[]"), []);
  assert.equal(await read('null::bigint'), null);
  await assert.rejects(read('9007199254740993::bigint'), RangeError);
  await assert.rejects(read("'{9007199254740993}'::bigint[]"), RangeError);
  assert.equal(await countOf(1), 1, 'the connection is good for more');
});

test('times are read as milliseconds since the epoch, in UTC, whatever the zone of the server', async () => {
  const moment = Date.UTC(2026, 10, 21, 13, 0, 0, 123);
  assert.equal(await read("'2026-11-21 10:00:00.123-03'::timestamptz"), moment);
  assert.equal(await read("'2026-11-21 10:00:00.123999-03'::timestamptz"), moment);
  assert.equal(await read("'2026-11-21 13:00:00+00'::timestamptz"), moment - 123);
  assert.equal(await read("'1969-12-31 23:59:59.5+00'::timestamptz"), -500);
  assert.equal(
    await read("'9999-12-31 23:59:59.999+00'::timestamptz"),
    Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  );
  await runSql(
    testDatabase.address,
    `alter database ${testDatabase.address.database} set timezone = 'America/Sao_Paulo'`,
  );
  const later = openDatabase(testDatabase.address, () => {});
  try {
    const NOW = statement(
      'things.now',
      `select '2026-11-21 10:00:00-03'::timestamptz as at, current_setting('timezone') as zone`,
    );
    assert.deepEqual(await later.query(NOW, []), [{ at: moment - 123, zone: 'UTC' }]);
  } finally {
    await later.close();
  }
});

test('sessions end what waits too long', async () => {
  assert.equal(await read("current_setting('lock_timeout')"), '1s');
  assert.equal(await read("current_setting('statement_timeout')"), '5s');
  assert.equal(await read("current_setting('idle_in_transaction_session_timeout')"), '5s');
});

test('an error of the statement is what it is, and the connection is good for more', async () => {
  await add(database, 41);
  await assert.rejects(database.query(INSERT, [41, null]), { code: '23505' });
  assert.equal(await countOf(41), 1);
});

test('a broken connection is DatabaseUnavailable, before the statement, after it and in a transaction', async () => {
  proxy.cutBefore('things.insert');
  await assert.rejects(throughProxy.query(INSERT, [51, null]), DatabaseUnavailable);
  assert.equal(await countOf(51), 0);
  proxy.cutAfter('things.insert');
  await assert.rejects(throughProxy.query(INSERT, [52, null]), DatabaseUnavailable);
  assert.equal(await countOf(52), 1);
  proxy.cutBefore('things.insert');
  await assert.rejects(add(throughProxy, 53), DatabaseUnavailable);
  proxy.cutBefore('commit');
  await assert.rejects(add(throughProxy, 54), DatabaseUnavailable);
  assert.equal(await countOf(53, 54), 0);
  proxy.cutAfter('commit');
  await assert.rejects(add(throughProxy, 55), DatabaseUnavailable);
  assert.equal(await countOf(55), 1);
  await throughProxy.ping();
});

test('a server that is away is DatabaseUnavailable, and is found again when it is back', async () => {
  await throughProxy.ping();
  await proxy.goAway();
  await assert.rejects(throughProxy.ping(), DatabaseUnavailable);
  await assert.rejects(throughProxy.query(INSERT, [61, null]), DatabaseUnavailable);
  await proxy.comeBack();
  await throughProxy.query(INSERT, [61, null]);
  assert.equal(await countOf(61), 1);
});

test('a server that goes silent is DatabaseUnavailable in seven seconds, and its connection is not used again', async () => {
  await throughProxy.ping();
  proxy.silenceAfter('things.insert');
  const startedAt = performance.now();
  await assert.rejects(throughProxy.query(INSERT, [65, null]), DatabaseUnavailable);
  const givenUpAt = performance.now();
  assert.ok(givenUpAt - startedAt < 8_000, `${givenUpAt - startedAt} ms`);
  await throughProxy.ping();
  assert.ok(performance.now() - givenUpAt < 2_000);
});

test('a session that the server ends is DatabaseUnavailable', async () => {
  const isSleeping = `select pid from pg_stat_activity where query like 'select pg_sleep%' and datname = current_database()`;
  const sleeping = assert.rejects(database.query(SLEEP, [3]), DatabaseUnavailable);
  while ((await runSql(testDatabase.address, isSleeping)).length === 0);
  await runSql(testDatabase.address, `select pg_terminate_backend(pid) from (${isSleeping}) s`);
  await sleeping;
  assert.equal(await countOf(1), 1);
});

test('a database that only reads (the former primary) is DatabaseUnavailable', async () => {
  const { database: name } = testDatabase.address;
  await runSql(testDatabase.address, `alter database ${name} set default_transaction_read_only = on`);
  const readOnly = openDatabase(testDatabase.address, () => {});
  try {
    await assert.rejects(readOnly.query(INSERT, [71, null]), DatabaseUnavailable);
  } finally {
    await readOnly.close();
    await runSql(serverAddress(), `alter database ${name} reset default_transaction_read_only`);
  }
});

test('two statements cannot share a name, nor have one that PostgreSQL would cut', () => {
  assert.throws(() => statement('things.insert', 'select 1'), /taken/);
  assert.throws(() => statement(`things.${'x'.repeat(57)}`, 'select 1'), /longer/);
});
