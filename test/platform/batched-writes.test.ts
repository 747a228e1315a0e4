import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase, statement } from '../../src/platform/postgres/database.ts';
import { CommitUnknown } from '../../src/platform/postgres/database-errors.ts';
import type { BatchedWriteLimits } from '../../src/platform/postgres/next-batch.ts';
import { Overloaded } from '../../src/platform/work/fair-line.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';

let database: TestDatabase;
let proxy: CuttingProxy;
let direct: Database;
let throughProxy: Database;

before(async () => {
  database = await createTestDatabase({ migrated: false });
  await runSql(
    database.address,
    `create table parcels (merchant_id text not null, parcel_id text not null, amount integer not null check (amount >= 0),
       touched integer not null default 0, primary key (merchant_id, parcel_id))`,
  );
  proxy = await openCuttingProxy(database.address);
  direct = openDatabase(database.address, () => {});
  throughProxy = openDatabase(proxy.address, () => {});
});

after(async () => {
  await Promise.all([direct.close(), throughProxy.close()]);
  await proxy.close();
  await database.drop();
});

type Parcel = { readonly merchantId: string; readonly parcelId: string; readonly amount: number };
type ParcelResult = { readonly amount: number; readonly isNew: boolean };

const INSERT = statement(
  'parcels.insert',
  `insert into parcels (merchant_id, parcel_id, amount)
   select * from unnest($1::text[], $2::text[], $3::integer[])
   on conflict do nothing returning parcel_id, amount`,
);
const FIND = statement(
  'parcels.find',
  `select p.parcel_id, p.amount from unnest($1::text[], $2::text[]) as i (merchant_id, parcel_id)
   join parcels p on p.merchant_id = i.merchant_id and p.parcel_id = i.parcel_id`,
);
/** Locks its rows in the order that they come in, and in no other. */
const TOUCH = statement(
  'parcels.touch',
  `with locked as materialized (
     select p.merchant_id, p.parcel_id
     from unnest($1::text[], $2::text[]) with ordinality as i (merchant_id, parcel_id, position),
       lateral (select * from parcels where merchant_id = i.merchant_id and parcel_id = i.parcel_id for update) p
   )
   update parcels p set touched = touched + 1 from locked l
   where p.merchant_id = l.merchant_id and p.parcel_id = l.parcel_id
   returning p.parcel_id, p.touched as amount`,
);

const merchantIds = (rows: readonly Parcel[]) => rows.map(({ merchantId }) => merchantId);
const parcelIds = (rows: readonly Parcel[]) => rows.map(({ parcelId }) => parcelId);

/**
 * The way of all gathered inserts: conflicts are no errors, and what was missing is read in a
 * second statement.
 */
async function insertParcels(on: Database, rows: readonly Parcel[]): Promise<Map<string, ParcelResult>> {
  const amounts = rows.map(({ amount }) => amount);
  const written = await on.query(INSERT, [merchantIds(rows), parcelIds(rows), amounts]);
  const results = new Map(
    written.map((row) => [row.parcel_id as string, { amount: row.amount as number, isNew: true }]),
  );
  const missing = rows.filter(({ parcelId }) => !results.has(parcelId));
  if (missing.length === 0) return results;
  for (const row of await on.query(FIND, [merchantIds(missing), parcelIds(missing)])) {
    results.set(row.parcel_id as string, { amount: row.amount as number, isNew: false });
  }
  return results;
}

function batchedInserts(on: Database, limits: Partial<BatchedWriteLimits> = {}) {
  const statements: number[] = [];
  const errors: unknown[] = [];
  const write = batchWrites<Parcel, ParcelResult>({
    name: 'parcels',
    isRefusal: () => false,
    key: ({ parcelId }) => parcelId,
    merchant: ({ merchantId }) => merchantId,
    limits,
    write: async (rows) => {
      statements.push(rows.length);
      try {
        return await insertParcels(on, rows);
      } catch (error) {
        errors.push(error);
        throw error;
      }
    },
  });
  return { write, statements, errors };
}

const parcels = (merchantId: string, count: number): Parcel[] =>
  Array.from({ length: count }, (_, index) => ({
    merchantId,
    parcelId: `${merchantId}-${String(index).padStart(3, '0')}`,
    amount: index,
  }));
const soon = () => performance.now() + 10_000;

async function storedIds(merchantId: string): Promise<string[]> {
  const rows = await runSql(
    database.address,
    `select parcel_id from parcels where merchant_id = '${merchantId}' order by parcel_id`,
  );
  return rows.map((row) => row.parcel_id as string);
}

/** The same again in another order, by a fixed rule: a test that fails fails again. */
function shuffled<T>(things: readonly T[], seed: number): T[] {
  return [...things]
    .map((thing, index) => ({ thing, order: Math.sin(seed * 1_000 + index) }))
    .sort((left, right) => left.order - right.order)
    .map(({ thing }) => thing);
}

test('a poisoned row fails for its caller alone, and the others of its batch are written once', async () => {
  const { write, statements } = batchedInserts(direct);
  const rows = parcels('poisoned', 60).map((row, index) => (index === 17 ? { ...row, amount: -1 } : row));
  const results = await Promise.allSettled(rows.map((row) => write(row, soon())));
  for (const [index, result] of results.entries()) {
    if (index === 17) {
      assert.equal(result.status === 'rejected' && (result.reason as { code: string }).code, '23514');
    } else {
      assert.deepEqual(result, { status: 'fulfilled', value: { amount: index, isNew: true } });
    }
  }
  assert.deepEqual(
    await storedIds('poisoned'),
    parcelIds(rows).filter((_, index) => index !== 17),
  );
  assert.deepEqual(statements, [60, ...Array.from({ length: 60 }, () => 1)]);
});

test('the same rows from four writers at once, in different orders: each caller gets a result, each row is there once', async () => {
  const rows = parcels('fourfold', 100);
  const writers = [1, 2, 3, 4].map(() => batchedInserts(direct));
  const results = await Promise.all(
    writers.flatMap(({ write }, index) =>
      shuffled(rows, index).map(async (row) => ({
        id: row.parcelId,
        wanted: row.amount,
        ...(await write(row, soon())),
      })),
    ),
  );
  assert.deepEqual(await storedIds('fourfold'), parcelIds(rows));
  assert.ok(results.every(({ amount, wanted }) => amount === wanted));
  const news = results.filter(({ isNew }) => isNew).map(({ id }) => id);
  assert.deepEqual(news.sort(), parcelIds(rows));
  assert.deepEqual(
    writers.flatMap(({ errors }) => errors),
    [],
  );
});

test('the same rows changed by four writers at once, in different orders: no deadlock, nothing lost', async () => {
  const rows = parcels('contended', 100);
  await insertParcels(direct, rows);
  const errors: unknown[] = [];
  const writers = [1, 2, 3, 4].map(() =>
    batchWrites<Parcel, number>({
      name: 'touches',
      isRefusal: () => false,
      key: ({ parcelId }) => parcelId,
      merchant: ({ merchantId }) => merchantId,
      write: async (batch) => {
        try {
          const touched = await direct.query(TOUCH, [merchantIds(batch), parcelIds(batch)]);
          return new Map(touched.map((row) => [row.parcel_id as string, row.amount as number]));
        } catch (error) {
          errors.push(error);
          throw error;
        }
      },
    }),
  );
  const rounds = 15;
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      writers.flatMap((write, index) => shuffled(rows, round * 4 + index).map((row) => write(row, soon()))),
    );
  }
  assert.deepEqual(errors, []);
  const [row] = await runSql(
    database.address,
    `select count(*)::int as count from parcels where merchant_id = 'contended' and touched = ${4 * rounds}`,
  );
  assert.equal(row?.count, 100);
});

test('two callers with one key at once: both get a result, and the row is there once', async () => {
  const { write } = batchedInserts(direct);
  const [row] = parcels('twice', 1) as [Parcel];
  const results = await Promise.all([write(row, soon()), write({ ...row, amount: 7 }, soon())]);
  assert.equal(results.filter(({ isNew }) => isNew).length, 1);
  assert.equal(results[0]?.amount, results[1]?.amount);
  assert.deepEqual(await storedIds('twice'), [row.parcelId]);
});

test('a connection lost before the statement: the callers get success, each row is there once', async () => {
  const { write } = batchedInserts(throughProxy);
  const rows = parcels('before', 20);
  const cuts = proxy.cuts;
  proxy.cutBefore('parcels.insert');
  const results = await Promise.all(rows.map((row) => write(row, soon())));
  assert.equal(proxy.cuts, cuts + 1);
  assert.ok(results.every(({ isNew }) => isNew));
  assert.deepEqual(await storedIds('before'), parcelIds(rows));
});

test('a connection lost after the commit and before the answer: the callers get success, each row is there once', async () => {
  const { write, statements } = batchedInserts(throughProxy);
  const rows = parcels('after', 20);
  const cuts = proxy.cuts;
  proxy.cutAfter('parcels.insert');
  const results = await Promise.all(rows.map((row) => write(row, soon())));
  assert.equal(proxy.cuts, cuts + 1);
  // The first statement was committed: the second finds its rows.
  assert.deepEqual(
    results,
    rows.map(({ amount }) => ({ amount, isNew: false })),
  );
  assert.deepEqual(await storedIds('after'), parcelIds(rows));
  assert.deepEqual(statements, [20, 20]);
});

test('a database that goes away and comes back before the deadline: the callers get success', async () => {
  const { write } = batchedInserts(throughProxy);
  const rows = parcels('away', 10);
  await proxy.goAway();
  const results = Promise.all(rows.map((row) => write(row, soon())));
  await pause(300);
  await proxy.comeBack();
  assert.equal((await results).length, 10);
  assert.deepEqual(await storedIds('away'), parcelIds(rows));
});

test('a deadline that passes while the database is away: in doubt when it was sent, refused when it was not', async () => {
  const { write } = batchedInserts(throughProxy, { statementsInFlight: 1, rowsPerBatch: 1 });
  const [sent, waiting] = parcels('late', 2) as [Parcel, Parcel];
  proxy.cutAfter('parcels.insert');
  const cuts = proxy.cuts;
  const deadlineAt = performance.now() + 700;
  const results = [write(sent, deadlineAt), write(waiting, deadlineAt)].map((result) =>
    result.then(
      () => null,
      (error: unknown) => error,
    ),
  );
  while (proxy.cuts === cuts) await pause(1);
  await proxy.goAway();
  const [first, second] = await Promise.all(results);
  assert.ok(first instanceof CommitUnknown, String(first));
  assert.ok(second instanceof Overloaded, String(second));
  // They were answered while the database was away.
  await proxy.comeBack();
  // In doubt, and rightly so: it had been committed. What was refused is not there.
  assert.deepEqual(await storedIds('late'), [sent.parcelId]);
});

test('a merchant with a flood of rows does not hold up another', async () => {
  const { write } = batchedInserts(direct, { rowsPerBatch: 16, statementsInFlight: 1 });
  const order: string[] = [];
  const reported = (row: Parcel) => write(row, soon()).then(() => order.push(row.merchantId));
  await Promise.all([...parcels('flood', 200), ...parcels('small', 5)].map(reported));
  assert.ok(order.lastIndexOf('small') < 16, `the small one was told at place ${order.lastIndexOf('small')}`);
});
