import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { disableUser } from '../../src/console/users/disable-user.ts';
import { recoverUser } from '../../src/console/users/invite-user.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { auditedTools } from '../kit/keys.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { ask, invite, originOf, signedIn, Visitor, wordsOf } from './visitor.ts';

let service: TestService;
let origin: string;
before(async () => {
  service = await openTestService();
  origin = originOf(service);
});
after(() => service.close());

const HOME = '/console/health';

/** Takes away what lets a user in, as the commands do. */
async function takeAway(how: typeof recoverUser | typeof disableUser, name: string): Promise<void> {
  const pool = openDatabase(service.database.runtime, () => {});
  try {
    const made = await how(await auditedTools(pool), name, null);
    assert.ok(!('refusal' in made), 'refusal' in made ? made.refusal : '');
  } finally {
    await pool.close();
  }
}

/** How many wait for a lock on a row. */
async function waiting(count: number): Promise<void> {
  await until(`${count} wait for the user`, async () => {
    const [row] = await service.auditor.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ~ 'from console_users'`,
    );
    return row?.waiting === count;
  });
}

/** Holds the row of a user while both come to it in this order, and lets them go on. */
async function inOrder<First, Second>(
  name: string,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const holder = new pg.Client(service.database.address);
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from console_users where name = $1 for update', [name]);
    const one = first();
    await waiting(1);
    const other = second();
    await waiting(2);
    await holder.query('rollback');
    return await Promise.all([one, other]);
  } finally {
    await holder.end();
  }
}

for (const how of [recoverUser, disableUser]) {
  test(`a link that is used at the moment of ${how.name} opens nothing that outlives it`, async () => {
    const before = await invite(service, 'viewer', null);
    const [entered] = await inOrder(
      before.name,
      () => ask(origin, before.path, { form: {} }),
      () => takeAway(how, before.name),
    );
    assert.equal(entered.status, 303);
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    assert.match(cookie, /=\d{13}\./);
    assert.equal((await ask(origin, HOME, { cookie })).status, 303, 'the session is over');
    const behind = await invite(service, 'viewer', null);
    const [, late] = await inOrder(
      behind.name,
      () => takeAway(how, behind.name),
      () => ask(origin, behind.path, { form: {} }),
    );
    assert.deepEqual([late.status, late.headers.get('set-cookie')], [409, null]);
  });
}

test('after a recovery neither the session, the link nor the passkey of before opens anything', async () => {
  const { name, path } = await invite(service, 'viewer', null);
  const visitor = await new Visitor(origin).enter(path);
  const [user] = await service.auditor.query('select user_id from console_users where name = $1', [name]);
  await service.auditor.query(
    `insert into console_passkeys (credential_id, user_id, public_key, sign_count, transports)
     values (sha256($1::bytea), $2, 'key', 0, '{}')`,
    [name, user?.user_id],
  );
  await takeAway(recoverUser, name);
  assert.equal((await visitor.ask(HOME)).status, 303);
  assert.equal((await ask(origin, path, { form: {} })).status, 404);
  const left = await service.auditor.query('select from console_passkeys where user_id = $1', [
    user?.user_id,
  ]);
  assert.equal(left.length, 0);
});

/** Ends the connection of the commit that opens a session, when PostgreSQL has been asked to commit it. */
async function withCommitCut<T>(work: () => Promise<T>): Promise<T> {
  await service.auditor.query(
    `create function cut_commit() returns trigger language plpgsql security definer as
     'begin perform pg_terminate_backend(pg_backend_pid()); return null; end'`,
  );
  await service.auditor.query(
    `create constraint trigger cut_commit after insert on console_sessions deferrable initially deferred
     for each row execute function cut_commit()`,
  );
  try {
    return await work();
  } finally {
    await service.auditor.query('drop trigger cut_commit on console_sessions; drop function cut_commit');
  }
}

test('a sign-in whose commit is in doubt says so and what to do, and lets nobody in', async () => {
  const { path } = await invite(service, 'viewer', null);
  const sent = await withCommitCut(() => ask(origin, path, { form: {} }));
  assert.deepEqual([sent.status, sent.headers.get('set-cookie')], [504, null]);
  const words = wordsOf(sent.text);
  assert.match(words, /Não foi possível confirmar se este link foi usado/);
  assert.match(words, /abra o link de novo\. Se não for mais válido, já foi usado/);
  await new Visitor(origin).enter(path);
});

test('a cookie that was made up is refused without a look into the database', async () => {
  const visitor = await signedIn(service, 'viewer', null);
  const [name = '', token = ''] = (visitor.cookie ?? '').split('=');
  const [end = '', secret = '', seal = ''] = token.split('.');
  const other = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  const forged = [
    `${end}.${other(secret)}.${seal}`,
    `${end}.${secret}.${other(seal)}`,
    `${Number(end) + 1}.${secret}.${seal}`,
    `1000000000000.${secret}.${seal}`,
  ];
  const holder = new pg.Client(service.database.address);
  await holder.connect();
  try {
    // Every look waits now, and answers would not come.
    await holder.query('begin; lock table console_sessions');
    for (const text of forged) {
      const { status, headers } = await ask(origin, HOME, { cookie: `${name}=${text}` });
      assert.deepEqual([status, headers.get('location')?.startsWith('/console/sign-in')], [303, true], text);
    }
  } finally {
    await holder.end();
  }
  assert.equal((await visitor.ask(HOME)).status, 200);
});

test('neither a merchant nor the operator has more users and credentials than fit', async () => {
  const { merchantId } = await service.demo();
  await service.auditor.query(
    `with u as (insert into console_users (user_id, hand_id, name, role, merchant_id)
       select id, id, 'many-' || lpad(n::text, 4, '0'), 'viewer', $1
       from (select n, gen_random_uuid() as id from generate_series(1, 200) n) s returning user_id)
     insert into console_hands (hand_id, user_id) select user_id, user_id from u`,
    [merchantId],
  );
  const admin = await signedIn(service, 'admin', null);
  const fields = { name: 'one-more', role: 'viewer', merchant: merchantId, reason: 'um teste' };
  const refused = await admin.send('/console/users', '/console/users/invite', fields);
  assert.deepEqual(
    [refused.status, /podem ter no máximo 200 usuários/.test(wordsOf(refused.text))],
    [409, true],
  );
  await service.auditor.query(`update console_users set disabled_at = now() where name = 'many-0001'`);
  assert.equal((await admin.send('/console/users', '/console/users/invite', fields)).status, 200);
  await service.auditor.query(
    `insert into credentials (merchant_id, credential_id, user_name, account_number, scopes, allowed_addresses, password_hash)
     select merchant_id, gen_random_uuid(), 'many-' || n, account_number, scopes, allowed_addresses, password_hash
     from credentials, generate_series(1, 199) n where merchant_id = $1 and user_name not like 'many-%'
     limit 200 - (select count(*) from credentials where merchant_id = $1)`,
    [merchantId],
  );
  const page = `/console/merchants/${merchantId}/credentials`;
  const many = await admin.send(page, `${page}/new`, { use: 'gateway', reason: 'um teste' });
  assert.deepEqual(
    [many.status, /tem 200 credenciais ativas, o máximo/.test(wordsOf(many.text))],
    [400, true],
  );
});

test('a user is found by name however many there are, and their list has pages', async () => {
  await service.auditor.query(
    `with u as (insert into console_users (user_id, hand_id, name, role, disabled_at)
       select id, id, 'aaa-' || lpad(n::text, 5, '0'), 'viewer', now()
       from (select n, gen_random_uuid() as id from generate_series(1, 1200) n) s returning user_id)
     insert into console_hands (hand_id, user_id) select user_id, user_id from u`,
  );
  const admin = await signedIn(service, 'admin', null);
  const { name } = await invite(service, 'support', null, 'zz-last@loja.example');
  assert.equal((await admin.turnTo(`/console/users/${encodeURIComponent(name)}`)).status, 200);
  const first = await admin.turnTo('/console/users');
  assert.ok(!first.text.includes(name));
  const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.match((await admin.turnTo(next)).text, /aaa-00101/);
  assert.ok((await admin.turnTo('/console/users?name=zz-')).text.includes(name));
});
