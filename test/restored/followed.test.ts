import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase, statement } from '../../src/platform/postgres/database.ts';
import { finishRestored } from '../../src/reconciliation/restored/finish-restored.ts';
import { GuardLost, guardedDatabase } from '../../src/reconciliation/restored/guarded-database.ts';
import { holdWalk, openRestoreRun } from '../../src/reconciliation/restored/restore-runs.sql.ts';
import {
  claimUnfinished,
  postponeUnfinished,
  type UnfinishedCharge,
} from '../../src/reconciliation/restored/restored-charges.sql.ts';
import { instant } from '../../src/values/instant.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { type Auditor, openAuditor } from '../kit/service.ts';

const ADD = statement('tests.add_run', 'insert into restore_runs (since) values (now())');
const AT = instant(Date.parse('2026-11-23T12:00:00Z'));

let place: TestDatabase;
let database: Database;
let auditor: Auditor;
before(async () => {
  place = await createTestDatabase({ migrated: true });
  database = openDatabase(place.runtime, () => {});
  auditor = openAuditor(place.address);
});
after(async () => {
  await auditor.close();
  await database.close();
  await place.drop();
});

test('a walk that stood still for longer than its lease writes nothing any more', async () => {
  const asked = {
    since: AT,
    stoppedAt: null,
    lastSaleAt: null,
    alsoMerchants: [],
    providers: [],
    unlisted: [],
  };
  const [stamp] = await auditor.query('select token::text from database_stamp', []);
  const token = (stamp?.token ?? null) as string | null;
  const run = await database.transaction((tx) => openRestoreRun(tx, token, asked));
  assert.ok(run !== null);
  const guarded = guardedDatabase(database, (tx) => holdWalk(tx, run));
  const write = () => guarded.transaction((tx) => tx.query(ADD, []));
  const runs = async () => (await auditor.query('select from restore_runs', [])).length;
  await write();
  assert.equal(await runs(), 2);
  await auditor.query(`update restore_runs set walking_until = now() where run_number = $1`, [run.runNumber]);
  await assert.rejects(write(), GuardLost);
  assert.equal(await runs(), 2);
});

test('what the books themselves refuse is not tried for ever: a person is asked', async () => {
  const tried = (tries: number) =>
    auditor.query(
      `insert into restored_charges (merchant_id, transaction_id, run_number, decision, reason, charge, due_at, tries)
       values ('LOJA', gen_random_uuid(), 1, 'unfinished', 'left', '{"merchantId":"LOJA","reference":"none"}', now(), $1)`,
      [tries],
    );
  await tried(0);
  await tried(9);
  const faults: unknown[] = [];
  const ends: string[] = [];
  const tools = {
    database,
    observeEnd: (_charge: unknown, decision: string) => void ends.push(decision),
    observeFault: (_charge: unknown, error: unknown) => void faults.push(error),
  };
  await finishRestored(tools, new AbortController().signal);
  assert.equal(faults.length, 2);
  assert.deepEqual(ends, ['undecided']);
  const rows = await auditor.query(
    'select decision, reason, detail from restored_charges order by tries desc',
    [],
  );
  assert.deepEqual(
    rows.map(({ decision, reason }) => [decision, reason]),
    [
      ['undecided', 'notWritten'],
      ['unfinished', 'left'],
    ],
  );
  assert.match(rows[0]?.detail as string, /invalid input syntax for type uuid/);
});

test('a charge that has waited often still has tries for a fault', async () => {
  await auditor.query('delete from restored_charges', []);
  await auditor.query(
    `insert into restored_charges (merchant_id, transaction_id, run_number, decision, reason, charge, due_at, tries)
     values ('LOJA', gen_random_uuid(), 1, 'unfinished', 'left', '{"merchantId":"LOJA","reference":"none"}', now(), 40)`,
    [],
  );
  const [claimed] = await claimUnfinished(database, 1, 60_000);
  assert.equal(claimed?.tries, 41);
  await postponeUnfinished(database, claimed as UnfinishedCharge, 600, 6);
  const [row] = await auditor.query('select tries, due_at > now() as waits from restored_charges', []);
  assert.deepEqual([row?.tries, row?.waits], [6, true]);
});
