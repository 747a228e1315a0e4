import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AuditEntry, entryBytes, headBytes } from '../../src/audit/audit-chain.ts';
import { findEnds, pageOfEntries } from '../../src/audit/audit-entries.sql.ts';
import { auditedKeyChanges } from '../../src/audit/audit-event.ts';
import { listDataKeys } from '../../src/keys/data-keys.sql.ts';
import { rotateDataKey } from '../../src/keys/rotate-data-key.ts';
import { openKeyFile } from '../../src/keys/stores/read-key-file.ts';

import { unwrapDataKey } from '../../src/keys/wrap-data-key.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { type AuditedTools, auditedTools, keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { faultFound } from './audit-service.ts';

let testDatabase: TestDatabase;
let database: Database;
let tools: AuditedTools;
let folder: string;
/** The audit key that was retired, as somebody knows it who should not. */
let leaked: { readonly dataKeyId: number; readonly key: Buffer };
/** The first entry under the key that took its place. */
let firstUnderNew: number;
const LAST_BEFORE = 10;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-replaced-'));
  testDatabase = await createTestDatabase({ migrated: true });
  database = openDatabase(testDatabase.runtime, () => {});
  rememberKeyFile(testDatabase.address.database, keyFileIn(folder));
  tools = await auditedTools(database);
  await record(LAST_BEFORE);
  const store = await openKeyFile(keyFileIn(folder), 'homologation');
  const dataKeyId = tools.keyring.keyInUse('audit');
  const row = (await listDataKeys(database)).find((key) => key.dataKeyId === dataKeyId);
  assert.ok(row !== undefined);
  leaked = { dataKeyId, key: await unwrapDataKey(store, row) };
  const commitChange = auditedKeyChanges(tools.audit, tools.operator);
  await rotateDataKey({ ...tools, store, environment: 'homologation', commitChange }, 'audit');
  await record(5);
  firstUnderNew = LAST_BEFORE + 2;
  await sql('create table kept_entries as table audit_entries; create table kept_head as table audit_head');
});

after(async () => {
  await database.close();
  await testDatabase.drop();
  await rm(folder, { recursive: true, force: true });
});

async function record(count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await tools.audit.record({
      ...tools.operator,
      action: 'card.read',
      outcome: 'success',
      resource: 'merchants/x/cards/1',
    });
  }
}

/** As a superuser whom no trigger stops. */
function sql(text: string): Promise<Record<string, unknown>[]> {
  return runSql(testDatabase.address, `set session_replication_role = replica; ${text}`);
}

const hmac = (bytes: Buffer) => createHmac('sha256', leaked.key).update(bytes).digest();
const hex = (bytes: Buffer) => `'\\x${bytes.toString('hex')}'`;

/**
 * Makes up the log from one entry on under the leaked key, with another actor, so that all seals and links
 * fit; the moments are moved by so many seconds.
 */
async function sealAgainFrom(first: number, movedSeconds = 0): Promise<void> {
  await sql(
    `update audit_entries set occurred_at = occurred_at + interval '${movedSeconds} seconds' where entry_number >= ${first}`,
  );
  let previousSeal = Buffer.alloc(0);
  for (const entry of await pageOfEntries(database, 1, 100)) {
    if (entry.entryNumber >= first) previousSeal = await sealAgain(entry, previousSeal);
    else previousSeal = Buffer.from(entry.seal);
  }
  await sealHead(previousSeal);
}

async function sealAgain(entry: AuditEntry, previousSeal: Buffer): Promise<Buffer<ArrayBuffer>> {
  const changed = { ...entry, actor: 'nobody', previousSeal };
  const seal = Buffer.from(hmac(entryBytes(changed)));
  await sql(
    `update audit_entries set actor = 'nobody', previous_seal = ${hex(previousSeal)}, seal = ${hex(seal)},
       data_key_id = ${leaked.dataKeyId} where entry_number = ${entry.entryNumber}`,
  );
  return seal;
}

async function sealHead(seal: Buffer): Promise<void> {
  const { lastNumber } = await findEnds(database);
  await sql(
    `update audit_head set seal = ${hex(seal)}, head_seal = ${hex(hmac(headBytes(lastNumber, seal)))},
       data_key_id = ${leaked.dataKeyId}`,
  );
}

async function foundAfter(tampering: () => Promise<unknown>): Promise<string> {
  await tampering();
  try {
    return await faultFound(database);
  } finally {
    await sql(`truncate audit_entries, audit_head; insert into audit_entries select * from kept_entries;
      insert into audit_head select * from kept_head`);
  }
}

test('a log whose key was rotated is whole, with the entry that records the rotation under the old key', async () => {
  const keys = (await pageOfEntries(database, 1, 100)).map(({ dataKeyId }) => dataKeyId);
  assert.equal(keys[firstUnderNew - 2], leaked.dataKeyId);
  assert.notEqual(keys[firstUnderNew - 1], leaked.dataKeyId);
  assert.equal(await foundAfter(async () => {}), 'whole');
});

test('today’s entries sealed again under a retired key are found, behind the first of its successor', async () => {
  assert.equal(await foundAfter(() => sealAgainFrom(firstUnderNew + 2)), `sealOutdated ${firstUnderNew + 2}`);
});

test('entries under a retired key, of a moment after it was retired, are found', async () => {
  assert.equal(await foundAfter(() => sealAgainFrom(firstUnderNew, 61)), `sealOutdated ${firstUnderNew}`);
});

test('an end under a retired key is found, behind entries under its successor', async () => {
  const last = LAST_BEFORE + 6;
  const sealOfLast = async () => (await pageOfEntries(database, last, 1))[0]?.seal as Buffer;
  assert.equal(await foundAfter(async () => sealHead(await sealOfLast())), `headSealOutdated ${last}`);
});
