import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createTestDatabase } from '../kit/database.ts';
import { call, logIn } from '../kit/merchant.ts';
import {
  databaseSettings,
  openAuditor,
  openService,
  openTestService,
  type TestService,
  until,
} from '../kit/service.ts';

const PATH = '/v1/antifraud/sessions';
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let setup: TestService;
let token: string;
let merchantId: string;

before(async () => {
  setup = await openTestService();
  const demo = await setup.demo();
  merchantId = demo.merchantId;
  token = await logIn(setup.gatewayUrl, demo.gateway);
});
after(() => setup.close());

async function newCode(body?: unknown): Promise<string> {
  const reply = await call(setup.gatewayUrl, PATH, { method: 'POST', token, body });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(Object.keys(reply.body), ['codeAntiFraud']);
  assert.match(reply.body.codeAntiFraud, GUID);
  return reply.body.codeAntiFraud as string;
}

async function rowOf(code: string) {
  const [row] = await setup.auditor.query(
    `select merchant_id, address_fingerprints, device_fingerprints, transaction_id,
       extract(epoch from expires_at - now())::float8 as seconds from anti_fraud_codes where code = $1`,
    [code],
  );
  assert.ok(row !== undefined);
  return row;
}

test('a page gets a code for its merchant, good for an hour', async () => {
  const row = await rowOf(await newCode());
  assert.equal(row.merchant_id, merchantId);
  assert.equal(row.transaction_id, null);
  const seconds = row.seconds as number;
  assert.ok(seconds > 3_500 && seconds <= 3_600, `${seconds}`);
});

test('the body may be left out, be empty, or name the buyer; what it does not know is ignored', async () => {
  for (const body of [undefined, {}, { ipAddress: null }, { merchantId: 'LOJA2', code: 'x', expiresAt: 0 }]) {
    const row = await rowOf(await newCode(body));
    assert.equal(row.merchant_id, merchantId);
    assert.deepEqual([row.address_fingerprints, row.device_fingerprints], [null, null]);
  }
});

test('of the buyer only prints are kept, and one buyer has one print', async () => {
  const reported = { ipAddress: '203.0.113.7', deviceId: 'aparelho-1' };
  const first = await rowOf(await newCode(reported));
  const again = await rowOf(await newCode({ IpAddress: '203.0.113.7', DeviceId: ' aparelho-1 ' }));
  const other = await rowOf(await newCode({ ipAddress: '203.0.113.8', deviceId: 'aparelho-2' }));
  for (const column of ['address_fingerprints', 'device_fingerprints'] as const) {
    assert.equal((first[column] as Buffer).length, 32);
    assert.deepEqual(first[column], again[column]);
    assert.notDeepEqual(first[column], other[column]);
  }
});

test('every code is another, also when many pages ask at once', async () => {
  const codes = await Promise.all(Array.from({ length: 200 }, () => newCode({})));
  assert.equal(new Set(codes).size, 200);
  const rows = await setup.auditor.query('select 1 from anti_fraud_codes where code = any($1)', [codes]);
  assert.equal(rows.length, 200, 'each was on record before it was told');
});

test('all faults of a body are reported at once, and nothing is given', async () => {
  const before = await setup.auditor.query('select count(*) from anti_fraud_codes');
  const reply = await call(setup.gatewayUrl, PATH, {
    token,
    body: { ipAddress: 'x'.repeat(49), DeviceId: 7 },
    headers: { 'accept-language': 'en' },
  });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.map(({ tag }: { tag: string }) => tag).sort(), ['DeviceId', 'ipAddress']);
  for (const raw of ['"code"', '{', '{"ipAddress":"a\\u0000"}', '{"deviceId":"a","deviceId":"b"}']) {
    assert.equal((await call(setup.gatewayUrl, PATH, { token, raw })).status, 400, raw);
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal(
    (await call(setup.gatewayUrl, PATH, { token, raw: 'ipAddress=1', headers: form })).status,
    415,
  );
  assert.equal((await call(setup.gatewayUrl, PATH, { token, raw: ' '.repeat(70_000) })).status, 413);
  assert.deepEqual(await setup.auditor.query('select count(*) from anti_fraud_codes'), before);
});

test('only a credential of the gateway gets codes', async () => {
  const demo = await setup.demo();
  const asked = async (given: string | null) =>
    (await call(setup.gatewayUrl, PATH, { method: 'POST', token: given })).status;
  const integration = await logIn(setup.integrationUrl, demo.integration, '/api/authentication/login');
  assert.equal(await asked(null), 401);
  assert.equal(await asked('nobody'), 401);
  assert.equal(await asked(integration), 401);
  assert.equal(await asked(await logIn(setup.gatewayUrl, demo.recurrence)), 403);
  assert.equal((await call(setup.gatewayUrl, PATH, { method: 'GET', token })).status, 405);
});

test('what is over is forgotten by the running service', async () => {
  const database = await createTestDatabase({ migrated: true });
  const auditor = openAuditor(database.address);
  const folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  const count = async () => {
    const [row] = await auditor.query(
      `select (select count(*) from anti_fraud_codes) + (select count(*) from velocity_events) as count`,
    );
    return Number(row?.count);
  };
  await auditor.query(
    `with codes as (
       insert into anti_fraud_codes (merchant_id, code, expires_at)
       select 'LOJA1', gen_random_uuid(), now() + n * interval '5 minutes' from unnest(array[-2, -1, 10]) n
     )
     insert into velocity_events (merchant_id, transaction_id, expires_at, card_fingerprint)
     select 'LOJA1', gen_random_uuid(), now() + n * interval '1 hour', '\\x00' from unnest(array[-2, -1, 24]) n`,
  );
  assert.equal(await count(), 6);
  const service = await openService({ folder, settings: databaseSettings(database) });
  await until('all but one code and one attempt are gone', async () => (await count()) === 2);
  await service.stop();
  await auditor.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test('settings of anti-fraud that mean nothing refuse to start, and are named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  for (const [settings, wanted] of [
    [{ PARCELA_ANTIFRAUD_RULES: 'card/hour/attempts/10=reject card/often' }, /"card\/often"/],
    [{ PARCELA_ANTIFRAUD_RULES: 'none card/hour/attempts/10=reject' }, /"none"/],
    [
      { PARCELA_ANTIFRAUD_WHEN_SILENT: 'maybe' },
      /PARCELA_ANTIFRAUD_WHEN_SILENT: must be one of accept, review/,
    ],
    [{ PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS: '0' }, /PARCELA_ANTIFRAUD_TIMEOUT_MILLISECONDS: must be/],
  ] as const) {
    await assert.rejects(openService({ folder, settings }), wanted);
  }
  await rm(folder, { recursive: true, force: true });
});
