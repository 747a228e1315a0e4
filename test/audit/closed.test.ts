import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { call, logIn, pay, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { command, createLogin, createShop, type TestCredential } from '../merchants/merchants-door.ts';
import { type AuditService, openAuditService, verify } from './audit-service.ts';

let service: AuditService;
let login: TestCredential;
let token: string;

before(async () => {
  service = await openAuditService();
  await createShop(service.pool, 'shop');
  login = await createLogin(service.pool, 'shop', '--scope', 'recurrence', '--user-name', 'shop-01');
  token = await logIn(service.gatewayUrl, login);
});
after(() => service.close());

/** Everything that an operator's commands may change, as text. */
async function changeable(): Promise<unknown> {
  const rows = await service.auditor.query(
    `select (select string_agg(m::text, ' ' order by merchant_id) from merchants m) as merchants,
       (select string_agg(c::text, ' ' order by credential_id) from credentials c) as credentials,
       (select string_agg(a::text, ' ' order by merchant_id, account_number) from accounts a) as accounts`,
  );
  return rows[0];
}

const COMMANDS: readonly string[][] = [
  ['credential', 'create', '--merchant', 'shop', '--scope', 'gateway'],
  ['credential', 'rotate', '--user-name', 'shop-01'],
  ['credential', 'disable', '--user-name', 'shop-01'],
  ['audit', 'list'],
];
const SHOP = [
  '--cnpj',
  '11.222.333/0001-81',
  '--legal-name',
  'Loja',
  '--account',
  '1',
  '--contact-name',
  'Ana',
];
const CONTACT = ['--contact-email', 'ana@loja.example', '--contact-phone', '+55 11 4000-0000'];

function tryLogin(userName: string, password: string): Promise<Reply> {
  return call(service.gatewayUrl, '/api/auth/token', { body: { userName, password } });
}

/** What needs an entry is refused, and nothing of it is done. */
async function assertClosed(): Promise<void> {
  const before = await changeable();
  const create = ['merchant', 'create', '--merchant-id', 'late', ...SHOP, ...CONTACT];
  for (const words of [...COMMANDS, create]) {
    const { exitCode, printed, errors } = await command(service.pool, words);
    assert.equal(exitCode, 1, words.join(' '));
    assert.equal(printed, '');
    assert.match(errors, /audit log cannot be written/, words.join(' '));
  }
  const [right, wrong, unknown, forbidden] = await Promise.all([
    tryLogin(login.userName, login.password),
    tryLogin(login.userName, 'wrong'),
    tryLogin('nobody', 'x'),
    call(service.gatewayUrl, '/v1/cards/public-key', { token }),
  ]);
  for (const reply of [right, wrong, unknown, forbidden]) {
    assert.equal(reply.status, 503);
    assert.notEqual(reply.headers.get('retry-after'), null);
  }
  assert.equal(right.body.accessToken, null);
  assert.deepEqual(await changeable(), before);
}

test('while the log is locked nothing that it must record is done; then all goes on', async () => {
  const locker = new pg.Client(service.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table audit_entries in exclusive mode');
    await assertClosed();
  } finally {
    await locker.end();
  }
  assert.ok((await logIn(service.gatewayUrl, login)).length > 20);
  await createLogin(service.pool, 'shop');
  assert.equal((await verify(service.pool)).isWhole, true);
});

test('while the end of the log is held by somebody else nothing is done', async () => {
  const locker = new pg.Client(service.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('select from audit_head for update');
    await assertClosed();
  } finally {
    await locker.end();
  }
});

test('without the table of the log nothing is done', async () => {
  await service.auditor.query('alter table audit_entries rename to audit_entries_gone');
  try {
    await assertClosed();
  } finally {
    await service.auditor.query('alter table audit_entries_gone rename to audit_entries');
  }
  await until('logins are granted again', async () => {
    const { status } = await tryLogin(login.userName, login.password);
    return status === 200;
  });
});

test('when the end of the log was taken away nothing is done, and it is not made again', async () => {
  await service.auditor.query('create table head_aside as table audit_head');
  await service.auditor.query('delete from audit_head');
  try {
    await assertClosed();
    const { exitCode, printed } = await command(service.pool, ['audit', 'verify']);
    assert.equal(exitCode, 1);
    assert.match(printed, /the end of the log was removed/);
  } finally {
    await service.auditor.query('insert into audit_head select * from head_aside');
  }
  assert.equal((await verify(service.pool)).isWhole, true);
});

test('payments do not need the log: they are their own record', async () => {
  const { gateway } = await service.demo();
  const gatewayToken = await logIn(service.gatewayUrl, gateway);
  const locker = new pg.Client(service.database.address);
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table audit_entries in exclusive mode');
    const { reply } = await pay(service.gatewayUrl, gatewayToken, 1000);
    assert.equal(reply.status, 200, reply.text);
  } finally {
    await locker.end();
  }
});
