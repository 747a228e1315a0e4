import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { openTailCheck } from '../../src/audit/open-chain-walk.ts';
import { programOf } from '../../src/platform/home.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../kit/database.ts';
import { auditedTools, keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { cleanEnvironment, databaseSettings, until } from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';
import { command } from '../merchants/merchants-door.ts';
import { faultFound, runParcela, verify } from './audit-service.ts';

/** Retention of the audit log: old entries leave the database for files, and both prove to be one chain. */

const PARCELA = programOf('src/cli/parcela.ts');
/** More than a page, less than is deleted at once. */
const ENTRIES = 950;

let testDatabase: TestDatabase;
let database: Database;
let proxy: CuttingProxy;
let home: string;
let folder: string;

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'parcela-archive-'));
});
after(() => rm(home, { recursive: true, force: true }));

beforeEach(async () => {
  testDatabase = await createTestDatabase({ migrated: true });
  rememberKeyFile(testDatabase.address.database, keyFileIn(home));
  database = openDatabase(testDatabase.runtime, () => {});
  proxy = await openCuttingProxy(testDatabase.address);
  folder = await mkdtemp(join(home, 'files-'));
  await rm(join(home, 'keys'), { recursive: true, force: true });
  await record(ENTRIES);
});

afterEach(async () => {
  await database.close();
  await proxy.close();
  await testDatabase.drop();
});

async function record(count: number): Promise<void> {
  const { audit, operator } = await auditedTools(database);
  const event = {
    ...operator,
    action: 'card.read',
    outcome: 'success',
    resource: 'merchants/a/cards/1',
  } as const;
  await Promise.all(
    Array.from({ length: count }, () => audit.record({ ...event, detail: { reason: 'prova' } })),
  );
}

/** As a superuser whom no trigger stops. */
function sql(text: string): Promise<Record<string, unknown>[]> {
  return runSql(testDatabase.address, `set session_replication_role = replica; ${text}`);
}

async function inDatabase(): Promise<{ first: number; last: number; count: number }> {
  const [row] = await sql(
    'select min(entry_number)::int as first, max(entry_number)::int as last, count(*)::int as count from audit_entries',
  );
  return row as { first: number; last: number; count: number };
}

const words = (days = 0) => ['audit', 'archive', '--days', String(days), '--folder', folder, '--json'];

type Made = {
  readonly firstNumber: number;
  readonly lastNumber: number;
  readonly file: string;
  readonly deleted: number;
};

async function archive(settings: Readonly<Record<string, string>> = {}): Promise<Made[]> {
  const { exitCode, printed, errors } = await runParcela(testDatabase, home, words(), settings);
  assert.equal(exitCode, 0, errors);
  return (JSON.parse(printed) as { archives: Made[] }).archives;
}

async function refusalOf(settings: Readonly<Record<string, string>>, ...command: string[]): Promise<string> {
  const { exitCode, errors } = await runParcela(testDatabase, home, command, settings);
  assert.equal(exitCode, 1);
  return errors;
}

const files = async () => (await readdir(folder)).sort().map((name) => join(folder, name));
const named = (paths: readonly string[]) => paths.flatMap((path) => ['--archive', path]);

/** Starts the command, and kills it for good when it sends this statement. */
async function killAt(text: string): Promise<void> {
  const held = proxy.hold(text);
  const settings = {
    DATABASE_URL: databaseSettings(testDatabase, proxy.address).DATABASE_URL as string,
    PARCELA_OWNER_DATABASE_URL: databaseSettings(testDatabase, proxy.address).DATABASE_URL as string,
  };
  const child = spawn(process.execPath, [...PARCELA, ...words()], {
    env: cleanEnvironment({ ...settings, PARCELA_DATA_DIR: home, PARCELA_KEY_FILE: keyFileIn(home) }),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await Promise.race([held, ended.then(() => Promise.reject(new Error(`it ended before ${text}`)))]);
  child.kill('SIGKILL');
  await ended;
  // The wire keeps its connection to PostgreSQL for what it holds: with it go the locks of the dead.
  await until('nothing of it is left', async () => {
    const [row] = await sql(`select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`);
    return row?.count === 0;
  });
}

test('what is old leaves for a file, the rest still proves whole, and both are one chain', async () => {
  const [made, ...more] = await archive();
  assert.ok(made !== undefined && more.length === 0);
  assert.equal(made.firstNumber, 1);
  assert.equal(made.deleted, made.lastNumber);
  const { first } = await inDatabase();
  assert.equal(first, made.lastNumber + 1);
  const alone = await verify(database);
  assert.ok(alone.isWhole);
  const both = await verify(database, '--archive', made.file);
  assert.ok(both.isWhole && both.entries > made.lastNumber);
  // An anchor that was shipped is compared with the file.
  const lines = (await readFile(made.file, 'utf8')).trimEnd().split('\n');
  const { seal } = JSON.parse(lines[599] as string) as { seal: string };
  const anchor = ['--number', '600', '--seal', seal];
  assert.equal(await faultFound(database, ...anchor), 'anchorArchived 600');
  assert.equal(await faultFound(database, ...anchor, '--archive', made.file), 'whole');
  const other = ['--number', '600', '--seal', 'ab'.repeat(32)];
  assert.equal(await faultFound(database, ...other, '--archive', made.file), 'anchorDiffers 600');
  const [reported] = await sql(`select actor, detail from audit_entries where action = 'audit.archive'`);
  const hash = createHash('sha256')
    .update(await readFile(made.file))
    .digest('hex');
  const { lastNumber, fileSha256 } = JSON.parse(String(reported?.detail));
  assert.deepEqual([lastNumber, fileSha256], [made.lastNumber, hash]);
});

test('archives follow each other: all of them, or the newest, go with the database; one left out is named', async () => {
  const [one] = await archive();
  await record(10);
  const [two] = await archive();
  assert.equal(two?.firstNumber, (one?.lastNumber ?? 0) + 1);
  const [first = '', second = ''] = await files();
  assert.equal(await faultFound(database, ...named([second, first])), 'whole');
  assert.equal(await faultFound(database, ...named([second])), 'whole');
  assert.equal(await faultFound(database, ...named([first])), `archiveNotNamed ${two?.firstNumber}`);
  await sql('delete from audit_archives where first_number = 1');
  assert.equal(await faultFound(database), 'archiveMissing 1');
});

test('a running service takes nothing for missing that was archived between two of its looks', async () => {
  const { keyring } = await auditedTools(database);
  const look = openTailCheck({ database, keyring });
  assert.equal((await look()).fault, null);
  await record(10);
  await archive();
  await record(2);
  assert.equal((await look()).fault, null);
  await record(3);
  await sql(
    'delete from audit_entries where entry_number = (select max(entry_number) - 1 from audit_entries)',
  );
  assert.equal((await look()).fault, 'entryMissing');
});

test('what is young stays', async () => {
  const { exitCode, printed, errors } = await runParcela(testDatabase, home, words(1));
  assert.equal(exitCode, 0, errors);
  assert.deepEqual(JSON.parse(printed), { archives: [] });
  assert.deepEqual(await files(), []);
  assert.equal((await inDatabase()).first, 1);
});

test('a file that was altered, shortened or is of another log is found', async () => {
  const [made] = await archive();
  const file = made?.file as string;
  const text = await readFile(file, 'utf8');
  const alter = async (altered: string) => {
    await writeFile(file, altered);
    return faultFound(database, '--archive', file);
  };
  assert.equal(
    await alter(text.replace('"entryNumber":700,', '"entryNumber":700,"more":1,')),
    `archiveDiffers ${ENTRIES + 1}`,
  );
  const lines = text.split('\n');
  const forged = lines.map((line, index) => (index === 699 ? line.replace('card.read', 'card.store') : line));
  assert.equal(await alter(forged.join('\n')), 'entryAltered 700');
  assert.equal(await alter(lines.filter((_, index) => index !== 699).join('\n')), 'entryMissing 700');
  assert.match(await alter(`${lines.slice(0, 900).join('\n')}\n`), /^archiveDiffers 901$/);
  assert.match(await alter(text.slice(0, 5_000)), /^archiveDiffers \d+$/);
  assert.equal(await alter('no archive'), 'archiveDiffers 0');
  assert.equal(await alter(text), 'whole');
});

test('a place where the chain begins cannot be made up, and what is put back below it is read', async () => {
  const cut = `insert into audit_archives (first_number, last_number, last_seal, last_key_id, file_sha256, seal, data_key_id)
      select 1, 600, seal, data_key_id, seal, seal, data_key_id from audit_entries where entry_number = 600;
    create table kept_entries as table audit_entries; delete from audit_entries where entry_number <= 600;`;
  await sql(cut);
  assert.equal(await faultFound(database), 'archiveAltered 1');
  await sql(
    `insert into audit_entries select * from kept_entries where entry_number <= 600; delete from audit_archives`,
  );
  const [made] = await archive();
  const { lastNumber } = made as Made;
  const putBack = `insert into audit_entries select * from kept_entries where entry_number = 600`;
  await sql(putBack);
  assert.equal(await faultFound(database), 'entryMissing 601');
  await sql(`update audit_entries set actor = 'another' where entry_number = 600`);
  assert.equal(await faultFound(database), 'entryAltered 600');
  await sql(`delete from audit_entries where entry_number <= ${lastNumber}; delete from audit_archives`);
  assert.equal(await faultFound(database), 'entryMissing 1');
});

test('a broken log is not archived: it stays as it is', async () => {
  await sql(`update audit_entries set actor = 'another' where entry_number = 700`);
  assert.match(await refusalOf({}, ...words()), /entry 700 was altered/);
  assert.equal((await inDatabase()).first, 1);
  assert.deepEqual(await files(), []);
});

test('killed while it writes, or before its anchor is there: nothing was begun, and the next command does it all', async () => {
  for (const text of ['audit.page\0', 'audit.insert_archive\0', 'audit.append\0']) {
    await killAt(text);
    const { first, last, count } = await inDatabase();
    assert.deepEqual([first, last - first + 1], [1, count], text);
    assert.equal(await faultFound(database), 'whole', text);
  }
  const [made, ...more] = await archive();
  assert.deepEqual([made?.firstNumber, more], [1, []]);
  assert.equal(await faultFound(database, '--archive', made?.file as string), 'whole');
  assert.ok((await files()).every((path) => path.endsWith('.jsonl')));
});

test('killed behind its anchor, before or amid the deleting: the next command deletes the rest, from the same file', async () => {
  await killAt('audit.delete_archived\0');
  assert.equal((await inDatabase()).first, 1);
  // As when it was killed between two batches.
  await sql('delete from audit_entries where entry_number <= 400');
  assert.equal(await faultFound(database), 'whole');
  const [file = ''] = await files();
  assert.equal(await faultFound(database, '--archive', file), 'whole');
  await rename(file, `${file}.aside`);
  assert.match(await refusalOf({}, ...words()), /put it back before its entries are deleted/);
  await writeFile(file, 'another');
  assert.match(await refusalOf({}, ...words()), /put it back before its entries are deleted/);
  assert.equal((await inDatabase()).first, 401);
  await rename(`${file}.aside`, file);
  const [finished, next] = await archive();
  assert.deepEqual([finished?.firstNumber, finished?.deleted], [1, (finished?.lastNumber ?? 0) - 400]);
  assert.equal(next?.firstNumber, (finished?.lastNumber ?? 0) + 1);
  assert.equal(await faultFound(database, ...named(await files())), 'whole');
});

test('a file of the same name that holds something else is not written over', async () => {
  await killAt('audit.insert_archive\0');
  const [file = ''] = await files();
  await writeFile(file, 'of another installation');
  assert.match(await refusalOf({}, ...words()), /holds something else/);
  assert.equal((await inDatabase()).first, 1);
  // The next entry gives the next file another name.
  await record(1);
  await archive();
  assert.equal(await readFile(file, 'utf8'), 'of another installation');
});

test('the role of the service cannot archive, nor delete what is archived, nor make up an anchor', async () => {
  const refused = await command(database, words());
  assert.equal(refused.exitCode, 1);
  assert.match(refused.errors, /may not archive/);
  await archive();
  const runtime = openDatabase(testDatabase.runtime, () => {});
  try {
    for (const text of [
      'delete from audit_archives',
      'update audit_archives set last_number = last_number + 1',
      'truncate audit_archives',
      'insert into audit_archives select * from audit_archives',
      'delete from audit_entries',
    ])
      await assert.rejects(
        runtime.query({ name: text.slice(0, 60), text }, []),
        (error) => (error as { code?: string }).code === '42501',
        text,
      );
  } finally {
    await runtime.close();
  }
  // The owner too deletes nothing that is not archived, unless it switches triggers off.
  await assert.rejects(
    runSql(testDatabase.address, 'delete from audit_entries where action = $$audit.archive$$'),
    /only ever appended to/,
  );
  await assert.rejects(runSql(testDatabase.address, 'delete from audit_archives'), /only ever appended to/);
});

test('production keeps three months at hand', async () => {
  const { exitCode, errors } = await command(database, words(89), 'production');
  assert.equal(exitCode, 1);
  assert.match(errors, /at least 90 in production/);
});
