import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { createShop } from '../merchants/merchants-door.ts';
import { faultFound, reported, verify } from './audit-service.ts';

/** Entries of the chain that is tampered with: enough for more than one page of the walk. */
const ENTRIES = 700;
const MIDDLE = 500;

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase({ migrated: true });
  database = openDatabase(testDatabase.runtime, () => {});
  await createShop(database, 'first');
  const { audit, operator } = await auditedTools(database);
  const event = {
    ...operator,
    action: 'card.read',
    outcome: 'success',
    resource: 'merchants/first/cards/1',
  } as const;
  await Promise.all(
    Array.from({ length: ENTRIES - 1 }, () => audit.record({ ...event, detail: { reason: 'test' } })),
  );
  await sql('alter table audit_entries drop constraint audit_entries_entry_number_check');
  await sql('create table kept_entries as table audit_entries; create table kept_head as table audit_head;');
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

/** As a superuser whom no trigger stops. */
async function sql(text: string): Promise<Record<string, unknown>[]> {
  return runSql(testDatabase.address, `set session_replication_role = replica; ${text}`);
}

async function putBack(): Promise<void> {
  await sql(`alter table audit_entries drop constraint if exists audit_entries_pkey;
    truncate audit_entries, audit_head;
    alter table audit_entries add primary key (entry_number);
    insert into audit_entries select * from kept_entries; insert into audit_head select * from kept_head;`);
}

/** What the verification finds after the tampering; the chain is put back. */
async function foundAfter(tampering: string, ...options: string[]): Promise<string> {
  await sql(tampering);
  try {
    return await faultFound(database, ...options);
  } finally {
    await putBack();
  }
}

async function sealOf(entryNumber: number): Promise<string> {
  const [row] = await sql(
    `select encode(seal, 'hex') as seal from kept_entries where entry_number = ${entryNumber}`,
  );
  return row?.seal as string;
}

test('a log that nobody touched is whole', async () => {
  assert.equal(await faultFound(database), 'whole');
  await putBack();
});

const EDITS: Readonly<Record<string, string>> = {
  occurred_at: `occurred_at + interval '1 microsecond'`,
  actor: `'somebody'`,
  action: `'card.delete'`,
  outcome: `'failure'`,
  origin: `'elsewhere'`,
  resource: `'merchants/other/cards/1'`,
  detail: `''`,
  seal: `decode(repeat('ab', 32), 'hex')`,
};

for (const [column, value] of Object.entries(EDITS)) {
  test(`an edited ${column} is found, in the first, a middle and the last entry`, async () => {
    for (const number of [1, MIDDLE, ENTRIES]) {
      const edit = `update audit_entries set ${column} = ${value} where entry_number = ${number}`;
      assert.equal(await foundAfter(edit), `entryAltered ${number}`);
    }
  });
}

test('a time moved before our era, or out of all time, is found', async () => {
  for (const time of [`'infinity'`, `(occurred_at - interval '4051 years')`]) {
    const edit = `update audit_entries set occurred_at = ${time} where entry_number = ${MIDDLE}`;
    assert.equal(await foundAfter(edit), `entryAltered ${MIDDLE}`);
  }
});

test('text moved from one field to its neighbour is found', async () => {
  const edit = `update audit_entries set actor = actor || action, action = '-' where entry_number = ${MIDDLE}`;
  assert.equal(await foundAfter(edit), `entryAltered ${MIDDLE}`);
});

test('an edited previous seal is found', async () => {
  const edit = `update audit_entries set previous_seal = seal where entry_number = ${MIDDLE}`;
  assert.equal(await foundAfter(edit), `entryUnlinked ${MIDDLE}`);
});

test('an entry that names a key of another purpose is found', async () => {
  const use = (purpose: string) =>
    `update audit_entries set data_key_id = (select max(data_key_id) from data_keys where purpose = '${purpose}')
     where entry_number = ${MIDDLE}`;
  assert.equal(await foundAfter(use('card')), `sealForeign ${MIDDLE}`);
});

test('a removed entry is found, the first, a middle and the last', async () => {
  const remove = (number: number) => `delete from audit_entries where entry_number = ${number}`;
  assert.equal(await foundAfter(remove(1)), 'entryMissing 1');
  assert.equal(await foundAfter(remove(MIDDLE)), `entryMissing ${MIDDLE}`);
  assert.equal(await foundAfter(remove(ENTRIES)), `tailMissing ${ENTRIES}`);
});

test('a removed entry whose place the others took is found', async () => {
  const close = `delete from audit_entries where entry_number = ${MIDDLE};
    update audit_entries set entry_number = -entry_number where entry_number > ${MIDDLE};
    update audit_entries set entry_number = -entry_number - 1 where entry_number < 0;
    update audit_head set entry_number = entry_number - 1`;
  assert.match(await foundAfter(close), new RegExp(`^(entryUnlinked|entryAltered) ${MIDDLE}$`));
});

test('two entries in each other’s place are found', async () => {
  const swap = `update audit_entries set entry_number = 0 - entry_number where entry_number in (${MIDDLE}, ${MIDDLE + 1});
    update audit_entries set entry_number = ${MIDDLE + 1} where entry_number = -${MIDDLE};
    update audit_entries set entry_number = ${MIDDLE} where entry_number = -${MIDDLE + 1}`;
  assert.equal(await foundAfter(swap), `entryUnlinked ${MIDDLE}`);
});

const COLUMNS =
  'occurred_at, actor, action, outcome, origin, resource, detail, data_key_id, previous_seal, seal';

test('an entry put in is found: before the first, in the middle, behind the last', async () => {
  const copy = (number: number, from: number) =>
    `insert into audit_entries (entry_number, ${COLUMNS})
     select ${number}, ${COLUMNS} from kept_entries where entry_number = ${from}`;
  assert.equal(await foundAfter(copy(0, 1)), 'entryUnlinked 1');
  assert.equal(await foundAfter(copy(ENTRIES + 1, ENTRIES)), `entryBeyondHead ${ENTRIES + 1}`);
  const twice = `alter table audit_entries drop constraint audit_entries_pkey; ${copy(MIDDLE, MIDDLE)}`;
  assert.equal(await foundAfter(twice), `entryUnlinked ${MIDDLE + 1}`);
});

test('a cut tail is found, also when the end was set back to the last entry left', async () => {
  const cut = `delete from audit_entries where entry_number > ${MIDDLE}`;
  assert.equal(await foundAfter(cut), `tailMissing ${MIDDLE + 1}`);
  const setBack = `update audit_head set entry_number = ${MIDDLE},
    seal = (select seal from kept_entries where entry_number = ${MIDDLE})`;
  assert.equal(await foundAfter(`${cut}; ${setBack}`), `headAltered ${MIDDLE}`);
});

test('an end that was removed is found, and so is one with the seal of another entry', async () => {
  assert.equal(await foundAfter('delete from audit_head'), `headMissing ${ENTRIES}`);
  assert.equal(
    await foundAfter(`update audit_head set seal = decode(repeat('00', 32), 'hex')`),
    `headAltered ${ENTRIES}`,
  );
});

test('a whole log put back to an older state is found by a seal that was kept elsewhere', async () => {
  const before = await verify(database);
  assert.ok(before.isWhole);
  // The verification itself is the newest entry: it is logged with its seal, then the older copy
  // takes its place.
  const [verified] = await reported(database, 'audit.verify');
  await putBack();
  assert.equal(await faultFound(database), 'whole');
  await putBack();
  const kept = ['--number', String(verified?.entryNumber), '--seal', String(verified?.seal)];
  assert.equal(await faultFound(database, ...kept), `anchorMissing ${ENTRIES + 1}`);
  await putBack();
  // Entries that were written since in the place of the lost ones do not hide it.
  await createShop(database, 'since');
  await createShop(database, 'since-then');
  assert.equal(await faultFound(database, ...kept), `anchorDiffers ${ENTRIES + 1}`);
  await putBack();
  const good = ['--number', String(MIDDLE), '--seal', await sealOf(MIDDLE)];
  assert.equal(await faultFound(database, ...good), 'whole');
  await putBack();
});

test('an anchor is a number and its seal, and never one of them', async () => {
  const { command } = await import('../merchants/merchants-door.ts');
  for (const half of [
    ['--number', '1'],
    ['--seal', 'ab'.repeat(32)],
  ]) {
    const { exitCode, errors } = await command(database, ['audit', 'verify', ...half]);
    assert.equal(exitCode, 1);
    assert.match(errors, /is needed too/);
  }
});
