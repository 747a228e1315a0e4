import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findRunningPostgres } from '../../homologation/embedded-postgres/launcher.ts';
import { RUNTIME_TABLE_RIGHTS } from '../../src/audit/audit-rights.sql.ts';
import { programOf } from '../../src/platform/home.ts';
import { migrate } from '../../src/platform/migrations/migrations.ts';
import { grantRuntimeRole, RUNTIME_ROLE } from '../../src/platform/postgres/runtime-role.ts';
import { createTestDatabase, runSql } from '../kit/database.ts';
import { logIn, pay } from '../kit/merchant.ts';
import {
  cleanEnvironment,
  databaseSettings,
  databaseUrl,
  openService,
  startService,
} from '../kit/service.ts';
import { startHereInVain } from '../kit/service-here.ts';
import { type AuditService, openAuditService, runParcela } from './audit-service.ts';

const PARCELA = programOf('src/cli/parcela.ts');
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
const AWAY = { PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9' };

let setup: AuditService;

before(async () => {
  setup = await openAuditService();
});
after(() => setup.close());

/** The SQLSTATE with which PostgreSQL refuses the service's own role, or what it answered. */
async function answerTo(text: string): Promise<string> {
  const client = new pg.Client(setup.database.runtime);
  await client.connect();
  try {
    return `done: ${(await client.query(text)).rowCount}`;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.end();
  }
}

const DENIED = '42501';

test('the role that the service works as cannot change, remove or empty the log, nor make it possible', async () => {
  const attempts = [
    `update audit_entries set actor = 'x' where entry_number = 1`,
    'delete from audit_entries where entry_number = 1',
    'truncate audit_entries',
    'delete from audit_head',
    'truncate audit_head',
    'drop table audit_entries',
    'alter table audit_entries disable trigger all',
    'alter table audit_entries add column more text',
    'alter table audit_entries owner to current_user',
    'drop trigger audit_entries_stand on audit_entries',
    'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return old; end $$',
    'set session_replication_role = replica',
    `update schema_migrations set checksum = 'x'`,
    'delete from schema_migrations',
    'create table mine (a integer)',
    'drop table credentials',
    'create role another login',
    'copy audit_entries to program $$true$$',
  ];
  for (const text of attempts) assert.equal(await answerTo(text), DENIED, text);
  // PostgreSQL answers this with a warning and gives nothing.
  assert.equal(await answerTo('grant update on audit_entries to current_user'), 'done: null');
  assert.equal(await answerTo('update audit_entries set actor = actor'), DENIED);
  assert.equal(await answerTo('select count(*) from audit_entries'), 'done: 1');
  const [role] = await setup.auditor.query('select * from pg_roles where rolname = $1', [
    setup.database.runtime.user,
  ]);
  const powers = [
    role?.rolsuper,
    role?.rolbypassrls,
    role?.rolcreaterole,
    role?.rolcreatedb,
    role?.rolreplication,
  ];
  assert.deepEqual(powers, [false, false, false, false, false]);
});

test('that role deletes no data key, and makes none what it is not', async () => {
  const [inUse] = await setup.auditor.query(
    `select data_key_id as id from data_keys where purpose = 'card' and retired_at is null`,
  );
  for (const text of [
    'delete from data_keys',
    'truncate data_keys cascade',
    `update data_keys set purpose = 'audit' where data_key_id = ${inUse?.id}`,
    `update data_keys set created_at = '2020-01-01' where data_key_id = ${inUse?.id}`,
    `update data_keys set retired_at = now() - interval '2 hours' where data_key_id = ${inUse?.id}`,
    'alter table data_keys disable trigger all',
  ])
    assert.equal(await answerTo(text), DENIED, text);
  assert.equal(await answerTo(`select delete_retired_data_key(${inUse?.id})`), 'done: 0');

  // As after rotations: one retired long ago that a row still names, one of which nothing is left,
  // one of the log.
  const retired = await setup.auditor.query(
    `insert into data_keys (purpose, environment, wrapped_key, key_encryption_key_id, retired_at)
     select purpose, 'homologation', '\\x00', 'x', now() - ago from (values
       ('card', interval '61 minutes'), ('card', interval '61 minutes'), ('card', interval '59 minutes'),
       ('audit', interval '9 years')) as k (purpose, ago) returning data_key_id as id`,
  );
  const [named, unused, fresh, log] = retired.map(({ id }) => id as number);
  await setup.auditor.query(
    `insert into card_key_pairs (key_id, public_key, sealed_private_key, data_key_id, retired_at)
     select gen_random_uuid(), public_key, sealed_private_key, $1, now() from card_key_pairs limit 1`,
    [named],
  );
  assert.equal(await answerTo(`select delete_retired_data_key(${named})`), '23503');
  assert.equal(
    await answerTo(`update data_keys set retired_at = null where data_key_id = ${unused}`),
    DENIED,
  );
  for (const id of [fresh, log])
    assert.equal(await answerTo(`select delete_retired_data_key(${id})`), 'done: 0');
  assert.equal(await answerTo(`select delete_retired_data_key(${unused})`), 'done: 1');
  await setup.auditor.query('delete from card_key_pairs where data_key_id = $1', [named]);
  await setup.auditor.query('delete from data_keys where data_key_id = any($1)', [[named, fresh, log]]);
});

test('that role moves the end of the log only along its chain, whatever tables of its own it makes', async () => {
  const columns = 'entry_number, occurred_at, actor, action, outcome, origin, resource, detail, data_key_id';
  const entry = (number: string, before: string, seal: string) =>
    `insert into audit_entries (${columns}, previous_seal, seal) select ${number}, now(), 'x', 'x', 'success', 'x', 'x', '',
       h.data_key_id, ${before}, sha256('${seal}') from audit_head h`;
  const next = '(select entry_number + 1 from audit_head)';
  for (const text of [
    `update audit_head set seal = sha256('x')`,
    'update audit_head set entry_number = entry_number + 1',
    'update audit_head set entry_number = entry_number - 1',
    entry(next, 'h.seal', 'one'),
    entry('9000000000', 'h.seal', 'one'),
    `with added as (${entry(next, `sha256('another')`, 'one')} returning 1)
     update audit_head set entry_number = entry_number + 1, seal = sha256('one')`,
    `with added as (${entry(next, 'h.seal', 'one')} returning 1)
     update audit_head set entry_number = entry_number + 1, seal = sha256('two')`,
    `with added as (${entry(next, 'h.seal', 'one')} returning 1)
     update audit_head set entry_number = entry_number + 2, seal = sha256('one')`,
    `create temp table audit_entries as select entry_number + 1 as entry_number, seal as previous_seal, sha256('x') as seal
       from public.audit_head;
     update public.audit_head set entry_number = entry_number + 1, seal = sha256('x')`,
  ])
    assert.equal(await answerTo(text), DENIED, text);
  // What it cannot forge it may write, and verify names it; here it is taken back.
  const taken = `begin; with added as (${entry(next, 'h.seal', 'one')} returning 1)
    update audit_head set entry_number = entry_number + 1, seal = sha256('one'); rollback`;
  assert.match(await answerTo(taken), /^done/);
  assert.equal((await runParcela(setup.database, setup.folder, ['audit', 'verify'])).exitCode, 0);
});

test('the owner too is stopped at changing the log by accident', async () => {
  for (const text of [
    'update audit_entries set actor = actor',
    'delete from audit_entries',
    'truncate audit_entries',
  ]) {
    await assert.rejects(runSql(setup.database.address, text), { code: DENIED });
  }
});

test('the service that was started by itself works as such a role, and takes a payment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-role-'));
  const service = await startService({ folder });
  try {
    const { gateway } = await service.demo();
    const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 1000);
    assert.equal(reply.status, 200, reply.text);
    const owner = await findRunningPostgres(folder);
    assert.ok(owner !== null);
    const sessions = await runSql(
      owner,
      `select distinct usename from pg_stat_activity where application_name = 'parcela'`,
    );
    assert.deepEqual(sessions, [{ usename: RUNTIME_ROLE }]);
    const [rights] = await runSql(
      owner,
      `select has_table_privilege('${RUNTIME_ROLE}', 'audit_entries', 'insert') as may_add,
         has_table_privilege('${RUNTIME_ROLE}', 'audit_entries', 'update, delete, truncate, trigger') as may_change`,
    );
    assert.deepEqual(rights, { may_add: true, may_change: false });
    // A command beside it works as that role too, and does not end the service's sessions.
    const made = await parcelaIn(
      folder,
      'credential',
      'create',
      '--merchant',
      '01700555550000',
      '--scope',
      'gateway',
    );
    assert.equal(made.exitCode, 0, made.text);
    const again = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 1000);
    assert.equal(again.reply.status, 200, again.reply.text);
    const verified = await parcelaIn(folder, 'audit', 'verify');
    assert.equal(verified.exitCode, 0, verified.text);
  } finally {
    await service.stop();
  }
  // And while no service runs, for who asks for a homologation by name.
  const words = ['audit', 'list', '--action', 'schema.migrate'];
  const unnamed = await parcelaIn(folder, ...words);
  assert.equal(unnamed.exitCode, 1);
  assert.match(unnamed.text, /does not run: start it \(npm start\), or set PARCELA_ENVIRONMENT=homologation/);
  const named = { PARCELA_DATA_DIR: folder, PARCELA_ENVIRONMENT: 'homologation' };
  const reported = await ended(PARCELA, words, named);
  assert.equal(reported.exitCode, 0, reported.text);
  assert.match(reported.text, /^homologation: the embedded database in .*, started for this command$/m);
  assert.match(reported.text, /migrations\/0001-merchants\.sql/);
  const log = await readFile(join(folder, 'postgres', 'server.log'), 'utf8').catch(() => '');
  assert.doesNotMatch(log, /password '/);
  await rm(folder, { recursive: true, force: true });
});

function parcelaIn(folder: string, ...words: string[]): Promise<{ exitCode: number | null; text: string }> {
  return ended(PARCELA, words, { PARCELA_DATA_DIR: folder });
}

function ended(
  program: readonly string[],
  words: readonly string[],
  settings: Record<string, string>,
): Promise<{ exitCode: number | null; text: string }> {
  const child = spawn(process.execPath, [...program, ...words], {
    env: cleanEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) =>
    child.once('close', (exitCode) => resolve({ exitCode, text: Buffer.concat(chunks).toString() })),
  );
}

test('rights that are whole let nobody wait for one who migrates; one too many is taken away', async () => {
  const { address, runtime, drop } = await createTestDatabase({ migrated: true });
  const holder = new pg.Client(address);
  try {
    const role = { name: runtime.user, password: null, isOurs: false };
    const give = () => migrate(address, MIGRATIONS, () => {}, grantRuntimeRole(role, RUNTIME_TABLE_RIGHTS));
    await holder.connect();
    await holder.query('select pg_advisory_lock(1885434467, 1)');
    await give();
    await holder.query('select pg_advisory_unlock_all()');
    await runSql(address, `grant delete on audit_head to ${runtime.user}`);
    await runSql(address, `grant update (detail) on audit_entries to ${runtime.user}`);
    await runSql(address, `revoke update on merchants from ${runtime.user}`);
    await give();
    await assert.rejects(runSql(runtime, 'delete from audit_head'), { code: DENIED });
    await assert.rejects(runSql(runtime, `update audit_entries set detail = ''`), { code: DENIED });
    await runSql(runtime, 'update merchants set legal_name = legal_name');
  } finally {
    await holder.end();
    await drop();
  }
});

test('an owner that is no superuser, of a schema closed to all others, is enough', async () => {
  const { address, runtime, drop } = await createTestDatabase({ migrated: false });
  const owner = { ...address, user: `${address.database}_owner`, password: 'owner-of-tables' };
  const folder = await mkdtemp(join(tmpdir(), 'parcela-owner-'));
  try {
    await runSql(
      address,
      `create role ${owner.user} login password '${owner.password}'; alter database ${address.database} owner to ${owner.user};
       revoke all on schema public from public; revoke connect on database ${address.database} from public`,
    );
    const service = await openService({ folder, settings: databaseSettings({ address: owner, runtime }) });
    const { gateway } = await service.demo();
    const { reply } = await pay(service.gatewayUrl, await logIn(service.gatewayUrl, gateway), 1000);
    assert.equal(reply.status, 200, reply.text);
    // Another process beside it needs the owner's address no more: there is nothing to migrate.
    const alone = await openService({ folder, settings: { DATABASE_URL: databaseUrl(runtime), ...AWAY } });
    assert.deepEqual(await alone.stop(), []);
    assert.deepEqual(await service.stop(), []);
    const command = await runParcela({ address: owner, runtime, drop }, folder, ['audit', 'verify']);
    assert.equal(command.exitCode, 0, command.errors);
  } finally {
    await drop();
    await runSql({ ...address, database: 'postgres' }, `drop role if exists ${owner.user}`);
    await rm(folder, { recursive: true, force: true });
  }
});

test('production is warned of every way in which the role could do away with the log', async () => {
  const bridge = await openBridge();
  const { address, runtime, drop } = await createTestDatabase({ migrated: true, hasOwnRole: true });
  const settings = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_TRUSTED_PROXIES: 'none',
    PARCELA_PORT: '0',
    PARCELA_DATA_DIR: join(setup.folder, 'production'),
    PARCELA_ACQUIRER_URL: bridge.url,
    // Alone: a start beside the owner gives the role its rights anew, and takes away what is too much.
    DATABASE_URL: databaseUrl(runtime),
  };
  const { user: role } = runtime;
  const ways: readonly (readonly [give: string, take: string, sentence: RegExp])[] = [
    [
      `alter database ${address.database} owner to ${role}`,
      `alter database ${address.database} owner to current_user`,
      /owns the database/,
    ],
    [
      `alter schema public owner to ${role}`,
      'alter schema public owner to pg_database_owner',
      /owns the schema of the tables/,
    ],
    [
      `alter role ${role} createrole`,
      `alter role ${role} nocreaterole`,
      /may make itself a role that owns the tables/,
    ],
    [
      `grant pg_execute_server_program to ${role}`,
      `revoke pg_execute_server_program from ${role}`,
      /may make itself a role that owns the tables/,
    ],
    [
      `grant update (actor) on audit_entries to ${role}`,
      `revoke update (actor) on audit_entries from ${role}`,
      /may change audit_entries/,
    ],
    [
      `grant delete on audit_head to ${role}`,
      `revoke delete on audit_head from ${role}`,
      /may remove audit_head/,
    ],
    [
      `grant delete on data_keys to ${role}`,
      `revoke delete on data_keys from ${role}`,
      /may delete data keys/,
    ],
    [
      `grant trigger on audit_entries to ${role}`,
      `revoke trigger on audit_entries from ${role}`,
      /may change audit_entries/,
    ],
  ];
  try {
    for (const [give, take, sentence] of ways) {
      await runSql(address, give);
      const { said } = await startHereInVain(settings);
      assert.match(said, new RegExp(`^Warning: the role ${role} ${sentence.source}, so that`, 'm'), give);
      await runSql(address, take);
    }
    assert.doesNotMatch((await startHereInVain(settings)).said, /Warning: the role/);
  } finally {
    await drop();
    bridge.close();
  }
});

test('production is warned of a role that could alter the log, and is not when it could not', async () => {
  const bridge = await openBridge();
  const settings = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_TRUSTED_PROXIES: 'none',
    PARCELA_PORT: '0',
    PARCELA_DATA_DIR: join(setup.folder, 'production'),
    PARCELA_ACQUIRER_URL: bridge.url,
  };
  const { address, runtime, drop } = await createTestDatabase({ migrated: true });
  try {
    const one = await startHereInVain({ ...settings, DATABASE_URL: databaseUrl(address) });
    assert.match(one.said, /^Warning: the role \S+ is a superuser.*PARCELA_OWNER_DATABASE_URL/m);
    const apart = await startHereInVain({ ...settings, ...databaseSettings({ address, runtime }) });
    assert.doesNotMatch(apart.said, /Warning: the role/);
    // Both were stopped by the missing keys, not before the database was reached.
    for (const { said } of [one, apart]) assert.match(said, /key file/);
    await runSql(address, `grant delete on audit_entries to ${runtime.user}`);
    const alone = await startHereInVain({ ...settings, DATABASE_URL: databaseUrl(runtime) });
    assert.match(alone.said, /^Warning: the role \S+ may change audit_entries/m);
  } finally {
    await drop();
    bridge.close();
  }
});

/** What production asks of a bridge before it starts. */
async function openBridge(): Promise<{ url: string; close(): void }> {
  const server = createServer((_request, response) => response.end('{"protocol":1,"simulator":false}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('the owner’s address without the other is refused, and a wrong one is named', async () => {
  const { database } = setup.database.address;
  const owner = { PARCELA_OWNER_DATABASE_URL: `postgres://nobody@127.0.0.1:1/${database}` };
  const alone = await startHereInVain({ PARCELA_PORT: '0', ...owner });
  assert.match(alone.said, /PARCELA_OWNER_DATABASE_URL: has no effect without DATABASE_URL/);
  const wrong = await startHereInVain({
    PARCELA_PORT: '0',
    ...databaseSettings(setup.database),
    ...owner,
    ...AWAY,
    PARCELA_DATABASE_WAIT_SECONDS: '1',
  });
  assert.match(wrong.said, /PARCELA_OWNER_DATABASE_URL: .*ECONNREFUSED/);
});
