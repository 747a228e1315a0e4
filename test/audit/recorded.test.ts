import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { after, before, test } from 'node:test';
import { AUDIT_ACTIONS } from '../../src/audit/audit-event.ts';
import { auditRefusedAccess } from '../../src/audit/audit-refused-access.ts';
import { auditedTools } from '../kit/keys.ts';
import { call, logIn, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { databaseSettings, openService, startService, until } from '../kit/service.ts';
import { command, createLogin, createShop, operator } from '../merchants/merchants-door.ts';
import {
  type AuditedEntry,
  type AuditService,
  openAuditService,
  runParcela,
  verify,
} from './audit-service.ts';

let service: AuditService;

before(async () => {
  service = await openAuditService();
});
after(() => service.close());

/** The entries of one kind whose resource holds the text. */
async function about(action: string, resource: string): Promise<AuditedEntry[]> {
  return (await service.reported(action)).filter((entry) => entry.resource.includes(resource));
}

async function tryLogin(userName: string, password: string, address?: string) {
  const headers = address === undefined ? {} : { 'x-forwarded-for': address };
  return call(service.gatewayUrl, '/api/auth/token', { body: { userName, password }, headers });
}

test('starting and stopping of each process of the service are recorded', async () => {
  const started = (await service.reported('service.start')).at(-1);
  assert.equal(started?.actor, 'system');
  assert.equal(started?.origin, hostname());
  assert.equal(started?.resource, 'services/homologation');
  assert.equal(started?.detail.processId, process.pid);
  const second = await startService({
    folder: service.folder,
    settings: { ...databaseSettings(service.database), PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9' },
  });
  assert.equal(await second.stop(), 0);
  const stopped = (await service.reported('service.stop')).map(({ detail }) => detail.processId);
  assert.equal(stopped.at(-1), second.process.pid);
});

test('merchants and credentials: who made, disabled and rotated them, in the words of the command line', async () => {
  await createShop(service.pool, 'told');
  const login = await createLogin(service.pool, 'told', '--user-name', 'told-01');
  await operator(service.pool, ['credential', 'rotate', '--user-name', 'told-01', '--overlap-hours', '2']);
  await operator(service.pool, ['credential', 'disable', '--user-name', 'told-01']);
  const resource = `merchants/told/credentials/${login.credentialId}`;
  const [merchant] = await about('merchant.create', 'merchants/told');
  const [created] = await about('credential.create', resource);
  const [rotated] = await about('credential.rotate', resource);
  const [disabled] = await about('credential.disable', resource);
  assert.deepEqual(merchant?.detail, { cnpj: '11222333000181', accounts: 2 });
  assert.deepEqual(created?.detail, { userName: 'told-01', accountNumber: '1001', scopes: 'gateway' });
  assert.deepEqual(rotated?.detail, { userName: 'told-01', overlapHours: 2 });
  assert.deepEqual(disabled?.detail, { userName: 'told-01' });
  for (const entry of [merchant, created, rotated, disabled]) {
    assert.deepEqual([entry?.actor, entry?.origin, entry?.outcome], ['ana', 'here', 'success']);
  }
});

test('what was refused is not answered as done', async () => {
  await createShop(service.pool, 'twice');
  await assert.rejects(createShop(service.pool, 'twice'), /Another merchant has this id/);
  assert.equal((await about('merchant.create', 'merchants/twice')).length, 1);
});

test('the demo merchant was made by the system', async () => {
  const { merchantId } = await service.demo();
  const made = await about('credential.create', `merchants/${merchantId}/`);
  assert.equal(made.length, 3);
  for (const entry of made) assert.deepEqual([entry.actor, entry.origin], ['system', hostname()]);
});

test('a login is recorded with its user name and address, a wrong one too', async () => {
  const { gateway } = await service.demo();
  await logIn(service.gatewayUrl, gateway);
  const [accepted] = (await service.reported('login.accept')).slice(-1);
  assert.equal(accepted?.actor, gateway.userName);
  assert.equal(accepted?.origin, '127.0.0.1');
  assert.match(accepted?.resource ?? '', /^merchants\/\d+\/credentials\/[0-9a-f-]{36}$/);
  assert.deepEqual(accepted?.detail, { api: 'gateway' });
  assert.equal((await tryLogin(gateway.userName, 'wrong')).status, 401);
  const [refused] = (await service.reported('login.refuse')).slice(-1);
  assert.deepEqual(
    [refused?.actor, refused?.outcome, refused?.resource, refused?.detail],
    [gateway.userName, 'failure', accepted?.resource, { api: 'gateway', reason: 'wrongPassword' }],
  );
});

test('a user name that nobody has is not written: it may be a password in the wrong field', async () => {
  const secret = 'Tr0ub4dor-and-3';
  assert.equal((await tryLogin(secret, 'x')).status, 401);
  const [refused] = (await service.reported('login.refuse')).slice(-1);
  assert.deepEqual(
    [refused?.actor, refused?.resource, refused?.detail],
    ['unknown', 'logins/gateway', { api: 'gateway', reason: 'unknownUserName' }],
  );
  const [row] = await service.auditor.query(
    `select count(*)::int as count from audit_entries e where e::text like '%' || $1 || '%'`,
    [secret],
  );
  assert.equal(row?.count, 0);
  assert.ok(!service.log.join('\n').includes(secret));
});

test('ten wrong logins are ten entries, the last says that it locks out, and what is refused unlooked is none', async () => {
  await createShop(service.pool, 'locked');
  const { userName, password, credentialId } = await createLogin(service.pool, 'locked');
  for (let tries = 0; tries < 10; tries += 1) assert.equal((await tryLogin(userName, 'wrong')).status, 401);
  for (let tries = 0; tries < 5; tries += 1) assert.equal((await tryLogin(userName, password)).status, 429);
  const refused = await about('login.refuse', credentialId);
  assert.equal(refused.length, 10);
  assert.deepEqual(
    refused.map(({ detail }) => detail.lockedOut),
    [...Array(9).fill(undefined), 'name and address'],
  );
  await service.auditor.query('delete from login_failures');
});

test('a stored card: who kept it, looked at it and removed it, and nothing of its number', async () => {
  const { gateway, merchantId } = await service.demo();
  const token = await logIn(service.gatewayUrl, gateway);
  const numberToken = await tokenize(service.gatewayUrl, token);
  const body = {
    numberToken,
    brand: 'mastercard',
    cardholderName: 'ANA SOUZA',
    expirationMonth: '12',
    expirationYear: '39',
    verifyCard: false,
  };
  const stored = await call(service.gatewayUrl, '/v1/vaults/cards', { token, body });
  assert.equal(stored.status, 200, stored.text);
  const path = `/v1/vaults/cards/${stored.body.vaultId}`;
  assert.equal((await call(service.gatewayUrl, path, { token })).status, 200);
  assert.equal((await call(service.gatewayUrl, path, { token, method: 'DELETE' })).status, 200);
  for (const action of ['card.store', 'card.read', 'card.delete']) {
    const [entry, ...others] = await about(action, stored.body.vaultId);
    assert.deepEqual(others, []);
    assert.equal(entry?.resource, `merchants/${merchantId}/cards/${stored.body.vaultId}`);
    assert.deepEqual(
      [entry?.actor, entry?.origin, entry?.outcome],
      [gateway.userName, '127.0.0.1', 'success'],
    );
  }
  const [row] = await service.auditor.query(`select string_agg(e::text, ' ') as all from audit_entries e`);
  assert.ok(!String(row?.all).includes(TEST_CARD));
});

test('the keys that the first start made are recorded', async () => {
  const made = (await service.reported('key.create')).map(({ resource }) => resource.replace(/\d+$/, 'N'));
  for (const purpose of ['card', 'keyPair', 'secret', 'fingerprint', 'audit']) {
    assert.ok(made.includes(`keys/${purpose}/N`), made.join(' '));
  }
});

test('calls for want of a scope: the first is recorded before it is refused, a flood of them by its number', async () => {
  await createShop(service.pool, 'scoped');
  const both = await createLogin(service.pool, 'scoped', '--scope', 'recurrence');
  const token = await logIn(service.gatewayUrl, both);
  for (let calls = 0; calls < 20; calls += 1) {
    const { status } = await call(service.gatewayUrl, '/v1/cards/public-key', { token });
    assert.equal(status, 403);
  }
  const mine = async () =>
    (await service.reported('access.refuse')).filter(({ actor }) => actor === both.userName);
  const [first, ...others] = await mine();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [first?.origin, first?.outcome, first?.detail],
    ['127.0.0.1', 'failure', { merchantId: 'scoped', scopes: 'recurrence', requests: 1 }],
  );
  assert.match(first?.resource ?? '', /^endpoints\/\w+$/);
  // Stopping does not wait for the minute to end.
  const folder = service.folder;
  const beside = await openService({
    folder,
    settings: { ...databaseSettings(service.database), PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9' },
  });
  for (let calls = 0; calls < 7; calls += 1) await call(beside.gatewayUrl, '/v1/cards/public-key', { token });
  await beside.stop();
  assert.deepEqual(
    (await mine()).map(({ detail }) => detail.requests),
    [1, 1, 6],
  );
});

test('after the quiet time a flood is recorded by its number, without another call', async () => {
  const { audit } = await auditedTools(service.pool);
  const refused = auditRefusedAccess(audit, assert.ifError, 50);
  const caller = {
    merchantId: 'scoped',
    credentialId: 'flood',
    userName: 'flood-01',
    accountNumber: '1001',
    scopes: ['recurrence'],
    softDescriptor: null,
    tokenId: '0123456789ab',
  } as const;
  await Promise.all(Array.from({ length: 30 }, () => refused.report(caller, 'payByCard', '203.0.113.7')));
  await until('all were told', async () => {
    const mine = (await service.reported('access.refuse')).filter(({ actor }) => actor === 'flood-01');
    return mine.reduce((sum, { detail }) => sum + Number(detail.requests), 0) === 30;
  });
  await refused.close();
});

test('reading and verifying the log are recorded, with what was asked for', async () => {
  await service.reported('card.read');
  await verify(service.pool);
  const [read] = (await service.reported('audit.read'))
    .filter(({ detail }) => detail.action === 'card.read')
    .slice(-1);
  assert.deepEqual([read?.actor, read?.outcome, read?.detail.limit], ['ana', 'success', 1000]);
  const [verified] = (await service.reported('audit.verify')).slice(-1);
  assert.deepEqual([verified?.actor, verified?.outcome, verified?.resource], ['ana', 'success', 'audit']);
});

test('every entry has user, kind, time in UTC, outcome, origin and what it was about', async () => {
  const rows = await service.auditor.query(
    `select actor, action, occurred_at between now() - interval '1 hour' and now() as is_now, outcome, origin, resource
     from audit_entries`,
  );
  assert.ok(rows.length > 40);
  for (const { actor, action, is_now, outcome, origin, resource } of rows) {
    for (const text of [actor, origin, resource]) assert.match(String(text), /^[^\p{Cc}]+$/u);
    assert.ok((AUDIT_ACTIONS as readonly unknown[]).includes(action));
    assert.equal(is_now, true);
    assert.ok(['success', 'failure'].includes(String(outcome)));
  }
});

test('each entry goes to the log of the service with its seal, which verifies it later', async () => {
  const { gateway } = await service.demo();
  await logIn(service.gatewayUrl, gateway);
  const [accepted] = (await service.reported('login.accept')).slice(-1);
  const line = await until('the line is in the log', async () =>
    service.log
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ auditEntry }) => auditEntry === accepted?.entryNumber),
  );
  assert.deepEqual(
    [line.auditSeal, line.action, line.actor],
    [accepted?.seal, 'login.accept', gateway.userName],
  );
  const verdict = await verify(
    service.pool,
    '--number',
    String(line.auditEntry),
    '--seal',
    String(line.auditSeal),
  );
  assert.equal(verdict.isWhole, true);
});

test('the command line as a process of its own: recorded by the account of the machine, shown as a table', async () => {
  const made = await runParcela(service.database, service.folder, [
    'credential',
    'create',
    '--merchant',
    'told',
    '--scope',
    'gateway',
    '--user-name',
    'by-process',
  ]);
  assert.equal(made.exitCode, 0, made.errors);
  const list = await runParcela(service.database, service.folder, [
    'audit',
    'list',
    '--action',
    'credential.create',
    '--actor',
    userInfo().username,
  ]);
  assert.equal(list.exitCode, 0, list.errors);
  assert.match(list.printed, /^NUMBER +TIME +ACTOR +ACTION +OUTCOME +ORIGIN +RESOURCE +DETAIL$/m);
  assert.match(
    list.printed,
    new RegExp(
      `^\\d+ +2\\S+Z +${userInfo().username} +credential.create +success +${hostname()} .*by-process`,
      'm',
    ),
  );
  const whole = await runParcela(service.database, service.folder, ['audit', 'verify']);
  assert.equal(whole.exitCode, 0, whole.errors);
  assert.match(whole.printed, /^The audit log is whole: \d+ entries\.$/m);
  const password = /^password {3}(\S{32})$/m.exec(made.printed)?.[1] ?? 'none';
  const [row] = await service.auditor.query(`select string_agg(e::text, ' ') as all from audit_entries e`);
  assert.ok(!String(row?.all).includes(password));
});

test('entries are found by time, action, actor and page', async () => {
  const list = async (...words: string[]) => {
    const { items } = await operator<{ items: AuditedEntry[] }>(service.pool, ['audit', 'list', ...words]);
    return items;
  };
  const first = await list('--limit', '3');
  assert.deepEqual(
    first.map(({ entryNumber }) => entryNumber),
    [1, 2, 3],
  );
  const next = await list('--limit', '2', '--after', '3');
  assert.deepEqual(
    next.map(({ entryNumber }) => entryNumber),
    [4, 5],
  );
  assert.deepEqual(await list('--to', '2020-01-01'), []);
  assert.deepEqual(await list('--from', '2999-01-01'), []);
  const until = next[1]?.occurredAt ?? '';
  const early = await list('--from', first[0]?.occurredAt ?? '', '--to', until);
  assert.ok(early.length >= 1 && early.every(({ occurredAt }) => occurredAt < until));
  assert.ok((await list('--actor', 'ana')).every(({ actor }) => actor === 'ana'));
});

test('what somebody typed can neither break an entry nor forge one', async () => {
  const { audit } = await auditedTools(service.pool);
  const typed = `a\u0000b\r\nc\u202e\ud800${'𝒜'.repeat(400)}`;
  await audit.record({
    action: 'card.read',
    outcome: 'success',
    actor: typed,
    origin: typed,
    resource: typed,
    detail: { [typed]: typed, more: 'x'.repeat(5_000), number: 1, ...lotsOf(typed) },
  });
  await audit.record({ action: 'card.read', outcome: 'success', actor: '', origin: '', resource: '' });
  const [long, empty] = (await service.reported('card.read')).slice(-2);
  assert.match(long?.actor ?? '', /^a\ufffdb\ufffd\ufffdc\ufffd\ufffd𝒜+…$/u);
  assert.deepEqual(
    [long?.actor, long?.origin, long?.resource].map((text) => [...(text ?? '')].length),
    [100, 200, 300],
  );
  assert.deepEqual([empty?.actor, empty?.origin, empty?.resource], ['-', '-', '-']);
  const { printed } = await command(service.pool, ['audit', 'list', '--action', 'card.read']);
  assert.equal(printed.split('\n').length, (await service.reported('card.read')).length + 1);
  assert.equal((await verify(service.pool)).isWhole, true);
});

function lotsOf(value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field${index}`, value]));
}
