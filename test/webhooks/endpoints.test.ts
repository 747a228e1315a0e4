import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import { call, logIn } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  base64,
  type EndpointsService,
  endpointRow,
  FOREIGN_ACCOUNT,
  leaveWaiting,
  makeSecret,
  openEndpointsService,
  readRegistration,
  register,
  remove,
  subscriptionsOf,
  URL_OF_SHOP,
} from './endpoints-service.ts';

let service: EndpointsService;

before(async () => {
  service = await openEndpointsService();
});
after(() => service.close());
beforeEach(async () => {
  await service.auditor.query('delete from deliveries');
  await service.auditor.query('delete from webhook_endpoints');
});

test('a webhook is registered, read, replaced and removed', async () => {
  assert.equal((await readRegistration(service)).status, 404);
  assert.equal((await remove(service)).status, 404);
  const registered = await register(service);
  assert.deepEqual([registered.status, registered.body], [200, { url: URL_OF_SHOP }]);
  assert.deepEqual((await readRegistration(service)).body, { url: URL_OF_SHOP });
  const other = 'http://127.0.0.1:49151/outro?loja=1';
  assert.deepEqual((await register(service, { url: other })).body, { url: other });
  assert.deepEqual((await readRegistration(service)).body, { url: other });
  const removed = await remove(service);
  assert.deepEqual([removed.status, removed.body], [200, { url: other }]);
  assert.equal((await readRegistration(service)).status, 404);
  assert.equal((await remove(service)).status, 404);
  assert.equal((await register(service)).status, 200);
  assert.deepEqual((await readRegistration(service)).body, { url: URL_OF_SHOP });
});

test('it is given its credential by itself, once it is registered', async () => {
  const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  const give = () =>
    call(service.gatewayUrl, '/v1/security/webhook-auth', {
      token,
      body: { basic: `Basic ${base64('loja:senha')}` },
    });
  assert.equal((await give()).status, 409);
  await register(service);
  assert.equal((await endpointRow(service)).sealed_basic_auth, null);
  const given = await give();
  assert.deepEqual([given.status, Object.keys(given.body)], [201, ['message']]);
  const { url, sealed_basic_auth } = await endpointRow(service);
  assert.deepEqual([url, sealed_basic_auth !== null], [URL_OF_SHOP, true]);
});

test('it may be read with a content type and without a body, as some clients do', async () => {
  await register(service);
  const { integrationUrl, token, accountNumber } = service;
  const headers = { 'content-type': 'application/json' };
  const reply = await call(integrationUrl, subscriptionsOf(accountNumber), { token, headers });
  assert.deepEqual([reply.status, reply.body], [200, { url: URL_OF_SHOP }]);
});

test('registering again opens the way for an address that had failed for long, and drops the login before', async () => {
  await register(service, { url: URL_OF_SHOP, basicAuth: base64('loja:senha') });
  await service.auditor.query(
    `update webhook_endpoints set state = 'disabled', opened_until = now() + interval '1 hour', openings = 7,
       failing_since = now() - interval '6 days', returned_at = null`,
  );
  const { registration: before } = await endpointRow(service);
  assert.equal((await register(service)).status, 200);
  const row = await endpointRow(service);
  assert.deepEqual(
    [row.state, row.opened_until, row.openings, row.failing_since, row.is_returned, row.sealed_basic_auth],
    ['active', null, 0, null, true, null],
  );
  assert.equal(row.registration, (before as number) + 1);
});

test('what waits is due as of the merchant’s own clock', async () => {
  await service.auditor.query(
    'insert into merchant_clocks (merchant_id, shift_milliseconds) values ($1, $2) on conflict do nothing',
    [service.merchantId, 40 * 24 * 60 * 60 * 1_000],
  );
  await register(service);
  const [row] = await service.auditor.query(
    `select returned_at > now() + interval '39 days' as is_moved from webhook_endpoints`,
  );
  await service.auditor.query('delete from merchant_clocks');
  assert.equal(row?.is_moved, true);
});

test('an account of another merchant is answered like one that does not exist', async () => {
  const { integrationUrl, token } = service;
  const body = { url: URL_OF_SHOP };
  const secret = '/api/webhooks/secret?accountNumber=';
  const asked = [
    (account: string) => call(integrationUrl, subscriptionsOf(account), { token, body }),
    (account: string) => call(integrationUrl, subscriptionsOf(account), { token }),
    (account: string) => call(integrationUrl, subscriptionsOf(account), { token, method: 'DELETE' }),
    (account: string) => call(integrationUrl, secret + account, { token, method: 'POST' }),
  ];
  for (const ask of asked) {
    const [foreign, unknown] = [await ask(FOREIGN_ACCOUNT), await ask('9999999')];
    assert.equal(foreign.status, 404);
    assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text]);
  }
  const rows = await service.auditor.query(
    'select 1 from webhook_endpoints union all select 1 from webhook_secrets',
  );
  assert.deepEqual(rows, []);
});

test('an account must be named, once', async () => {
  const { integrationUrl, token, accountNumber } = service;
  const path = '/api/webhooks/subscriptions';
  for (const query of ['', '?accountNumber=', `?accountNumber=${accountNumber}&accountNumber=1`]) {
    const reply = await call(integrationUrl, path + query, { token, body: { url: URL_OF_SHOP } });
    assert.equal(reply.status, 400, query);
    assert.equal(reply.body[0].tag, 'accountNumber');
  }
  const secret = await call(integrationUrl, '/api/webhooks/secret', { token, method: 'POST' });
  assert.equal(secret.body[0].tag, 'accountNumber');
});

test('a token of the Gateway API registers nothing', async () => {
  const { gateway } = await service.demo();
  const login = await call(service.gatewayUrl, '/api/auth/token', { body: gateway });
  const token = login.body.accessToken as string;
  assert.equal((await register({ ...service, token })).status, 401);
  assert.equal((await makeSecret({ ...service, token })).status, 401);
});

test('an address that is none is refused', async () => {
  for (const url of ['loja', 'ftp://loja.example/', `https://loja.example/${'a'.repeat(500)}`, '', 7]) {
    const reply = await register(service, { url });
    assert.equal(reply.status, 400, String(url));
    assert.equal(reply.body[0].tag, 'url');
  }
  assert.equal((await register(service, {})).body[0].tag, 'url');
  assert.equal((await readRegistration(service)).status, 404);
});

test('basicAuth is base64 of user and password; anything else is refused, with every other fault', async () => {
  const good = [base64('loja:senha'), `Basic ${base64('loja:senha')}`, base64(':'), base64('josé:coração:2')];
  for (const basicAuth of good)
    assert.equal((await register(service, { url: URL_OF_SHOP, basicAuth })).status, 200);
  const bad = [
    'loja:senha',
    base64('sem dois pontos'),
    base64('loja:senha\r\nx-outro: 1'),
    base64('loja:\u0000'),
    base64('loja:\u0085'),
    base64('loja:senha').slice(0, -1),
    `${base64('loja:senha')}\n`,
    Buffer.from([0x6c, 0x3a, 0xff]).toString('base64'),
    'Basic ',
  ];
  for (const basicAuth of bad) {
    const reply = await register(service, { url: 7, basicAuth });
    assert.equal(reply.status, 400, basicAuth);
    assert.deepEqual(
      reply.body.map(({ tag }: { tag: string }) => tag).sort(),
      ['basicAuth', 'url'],
      basicAuth,
    );
  }
});

test('removing a webhook gives up what waits in the same commit, also what is being sent', async () => {
  await register(service, { url: URL_OF_SHOP, basicAuth: base64('loja:senha') });
  await leaveWaiting(service, 3);
  await service.auditor.query(
    `update deliveries set lease_expires_at = now() + interval '30 seconds', fence = 4
     where delivery_number = (select max(delivery_number) from deliveries)`,
  );
  const { registration } = await endpointRow(service);
  assert.equal((await remove(service)).status, 200);
  const rows = await service.auditor.query(
    'select state, due_at, lease_expires_at, fence, ended_at is not null as is_over from deliveries order by delivery_number',
  );
  const over = { state: 'givenUp', due_at: null, lease_expires_at: null, is_over: true };
  assert.deepEqual(rows, [
    { ...over, fence: 1 },
    { ...over, fence: 1 },
    { ...over, fence: 5 },
  ]);
  const row = await endpointRow(service);
  assert.deepEqual(
    [row.state, row.sealed_basic_auth, row.registration],
    ['removed', null, (registration as number) + 1],
  );
});

test('of twenty thousand that wait all are given up, without the request waiting for them', async () => {
  await register(service);
  await leaveWaiting(service, 20_000);
  await leaveWaitingElsewhere();
  const waiting = async () => {
    const [row] = await service.auditor.query(
      `select count(*)::int as waiting from deliveries where state = 'waiting' and endpoint like 'account:%'`,
    );
    return row?.waiting as number;
  };
  // Somebody holds one of them: neither the request nor the others wait for it.
  const holder = new pg.Client(service.database.address);
  await holder.connect();
  await holder.query('begin');
  await holder.query(
    `select 1 from deliveries where endpoint like 'account:%' order by due_at limit 1 for update`,
  );
  assert.equal((await remove(service)).status, 200);
  await until('all but one are given up', async () => (await waiting()) === 1, 60_000);
  await holder.query('rollback');
  await holder.end();
  await until('the last is given up', async () => (await waiting()) === 0, 60_000);
  const [other] = await service.auditor.query(`select state from deliveries where endpoint like 'origin:%'`);
  assert.equal(other?.state, 'waiting', 'a callback of the same account is nobody’s registration');
});

async function leaveWaitingElsewhere(): Promise<void> {
  await service.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, created_by) values ($1, 'origin:http://127.0.0.1:49151', 'system')`,
    [service.merchantId],
  );
  await service.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, url, body, due_at, scheduled_at)
     values ($1, nextval('movement_ids'), 'callback', 'origin:http://127.0.0.1:49151', $2, $3, '{}', now() + interval '1 hour', now())`,
    [service.merchantId, service.accountNumber, URL_OF_SHOP],
  );
}

test('what a payment wrote without having seen the removal is given up after it', async () => {
  await register(service);
  await remove(service);
  await leaveWaiting(service, 2);
  await until(
    'they are given up',
    async () => {
      const rows = await service.auditor.query(`select 1 from deliveries where state = 'givenUp'`);
      return rows.length === 2;
    },
    60_000,
  );
});

test('registrations, removals and secrets are recorded in the audit log, without path, login or secret', async () => {
  await register(service, {
    url: 'http://127.0.0.1:49151/chave-do-caminho',
    basicAuth: base64('usuario-9:senha-do-audit'),
  });
  const { body } = await makeSecret(service);
  await remove(service);
  const entries = await service.auditor.query(
    `select action, actor, origin, outcome, resource, detail, e::text as whole from audit_entries e
     where action in ('webhook.register', 'webhook.remove', 'secret.create')
     order by entry_number desc limit 3`,
  );
  assert.deepEqual(
    entries
      .reverse()
      .map(({ action, actor, origin, outcome, resource }) => [action, actor, origin, outcome, resource]),
    ['webhook.register', 'secret.create', 'webhook.remove'].map((action) => [
      action,
      service.userName,
      '127.0.0.1',
      'success',
      `merchants/${service.merchantId}/webhooks/${service.accountNumber}`,
    ]),
  );
  const [registered, made, removed] = entries.map(({ detail }) => JSON.parse(String(detail) || '{}'));
  assert.equal(registered['server.new'], 'http://127.0.0.1:49151');
  assert.equal(registered['login.new'] ?? registered.login, 'yes');
  assert.ok(Object.keys(made).every((name) => name === 'formerSignsUntil'));
  assert.deepEqual(removed, { 'server.old': 'http://127.0.0.1:49151', 'login.old': 'yes' });
  const whole = entries.map((entry) => entry.whole).join();
  for (const secret of [
    'chave-do-caminho',
    'senha-do-audit',
    base64('usuario-9:senha-do-audit'),
    body.secret,
  ])
    assert.ok(!whole.includes(secret), secret);
});

test('what is not recorded is not done: without the audit log nothing is registered', async () => {
  await service.auditor.query('alter table audit_entries rename to audit_entries_away');
  const reply = await register(service).finally(() =>
    service.auditor.query('alter table audit_entries_away rename to audit_entries'),
  );
  assert.equal(reply.status, 503);
  assert.equal((await readRegistration(service)).status, 404);
});

test('login and secret stand nowhere in clear: not in a table, an answer, the log or the metrics', async () => {
  const login = 'usuario-7413:senha-secreta-9f2c';
  const answers = [await register(service, { url: URL_OF_SHOP, basicAuth: base64(login) })];
  const made = await makeSecret(service);
  answers.push(
    await readRegistration(service),
    await register(service, { url: 7, basicAuth: base64(login) }),
  );
  const again = await makeSecret(service);
  const keys = [made, again].map(({ body }) => Buffer.from((body.secret as string).slice(6), 'base64'));
  await register(service, { url: URL_OF_SHOP, basicAuth: base64(login) });
  answers.push(await remove(service));
  await register(service, { url: URL_OF_SHOP, basicAuth: base64(login) });
  const metrics = await (await fetch(service.metricsUrl)).text();
  const seen = [
    await dump(),
    answers.map(({ text, headers }) => text + [...headers].join()).join(),
    service.log.join('\n'),
    metrics,
  ].join('\n');
  const needles = [login, 'senha-secreta-9f2c', ...keys.map((key) => key.toString('base64'))];
  for (const needle of needles) {
    const forms = [needle, Buffer.from(needle).toString('hex'), base64(needle), base64(needle).slice(0, -4)];
    for (const form of forms) assert.ok(!seen.includes(form), form);
  }
  for (const key of keys) assert.ok(!seen.includes(key.toString('hex')));
});

async function dump(): Promise<string> {
  const tables = await service.auditor.query(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const texts: string[] = [];
  for (const { relname } of tables) {
    const rows = await service.auditor.query(`select t::text as row from ${relname} t`);
    texts.push(...rows.map(({ row }) => row as string));
  }
  assert.ok(texts.length > 10);
  return texts.join('\n');
}
