import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import type { Keyring } from '../../src/keys/open-keyring.ts';
import { batchWrites } from '../../src/platform/postgres/batched-writes.ts';
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts';
import { accountEndpoint, type SealedText } from '../../src/webhooks/deliveries/delivery.ts';
import { rememberCallbackEndpoint } from '../../src/webhooks/endpoints/register-endpoint.ts';
import { callbackEndpointsWrite } from '../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { prepareTest } from '../../src/webhooks/history/resends.sql.ts';
import { openEndpointSecrets } from '../../src/webhooks/secrets/create-secret.ts';

import { auditedTools } from '../kit/keys.ts';
import { databaseSettings, openService, until } from '../kit/service.ts';
import {
  base64,
  type EndpointsService,
  endpointRow,
  FOREIGN_MERCHANT,
  makeSecret,
  openEndpointsService,
  register,
  URL_OF_SHOP,
} from './endpoints-service.ts';

let service: EndpointsService;
let pool: Database;
let keyring: Keyring;

before(async () => {
  service = await openEndpointsService();
  pool = openDatabase(service.database.runtime, () => {});
  ({ keyring } = await auditedTools(pool));
});
after(async () => {
  await pool?.close();
  await service?.close();
});
beforeEach(async () => {
  await service.auditor.query('delete from webhook_secrets');
  await service.auditor.query('delete from webhook_endpoints');
});

async function secretRow(): Promise<Record<string, unknown>> {
  const [row] = await service.auditor.query(
    `select *, previous_valid_until between now() + interval '23 hours 59 minutes' and now() + interval '24 hours' as is_a_day
     from webhook_secrets where merchant_id = $1 and account_number = $2`,
    [service.merchantId, service.accountNumber],
  );
  if (row === undefined) throw new Error('there is no secret');
  return row;
}

/** What signs now, as whoever sends a delivery opens it. */
async function opened(change: { merchantId?: string } = {}) {
  const row = await secretRow();
  const sealed = [
    [row.sealed_secret, row.data_key_id],
    [row.previous_sealed_secret, row.previous_data_key_id],
  ].filter(([bytes]) => bytes !== null);
  const endpoint = accountEndpoint(service.accountNumber);
  return openEndpointSecrets(keyring, {
    merchantId: service.merchantId,
    endpoint,
    accountNumber: service.accountNumber,
    basicAuth: null,
    secrets: sealed.map(([bytes, dataKeyId]) => ({ bytes, dataKeyId }) as SealedText),
    ...change,
  });
}

const bytesOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

test('a secret has the form of Standard Webhooks, and is another one each time', async () => {
  const [one, other] = [await makeSecret(service), await makeSecret(service)];
  for (const { status, body } of [one, other]) {
    assert.equal(status, 200);
    assert.match(body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(bytesOf(body.secret).length, 32);
  }
  assert.notEqual(one.body.secret, other.body.secret);
});

test('the secret before signs too for 24 hours, and a third ends the first at once', async () => {
  const first = await makeSecret(service);
  assert.equal(first.body.previousValidUntil, null);
  assert.deepEqual((await opened()).secrets, [bytesOf(first.body.secret)]);
  const second = await makeSecret(service);
  const row = await secretRow();
  assert.equal(row.is_a_day, true);
  assert.equal(second.body.previousValidUntil, (row.previous_valid_until as Date).toISOString());
  assert.deepEqual((await opened()).secrets, [bytesOf(second.body.secret), bytesOf(first.body.secret)]);
  const third = await makeSecret(service);
  assert.deepEqual((await opened()).secrets, [bytesOf(third.body.secret), bytesOf(second.body.secret)]);
});

test('the secret before signs up to its end and not behind it, also while nobody has forgotten it', async () => {
  await register(service, { url: URL_OF_SHOP });
  await makeSecret(service);
  await makeSecret(service);
  const { merchantId, accountNumber } = service;
  const signing = async () =>
    (await prepareTest(pool, merchantId, accountNumber, accountEndpoint(accountNumber)))?.secrets.length;
  const leave = (seconds: number) =>
    service.auditor.query(
      `update webhook_secrets set previous_valid_until = now() + $1 * interval '1 second'`,
      [seconds],
    );
  await leave(30);
  assert.equal(await signing(), 2);
  await leave(-1);
  assert.equal(await signing(), 1);
});

test('of secrets that are made at once each is shown, and the last two sign', async () => {
  const made = await Promise.all(Array.from({ length: 12 }, () => makeSecret(service)));
  for (const { status, text } of made) assert.equal(status, 200, text);
  const shown = made.map(({ body }) => body.secret as string);
  const { secrets } = await opened();
  assert.equal(secrets.length, 2);
  for (const secret of secrets) assert.ok(shown.some((text) => bytesOf(text).equals(secret)));
});

test('a secret whose 24 hours are over is forgotten', async () => {
  await makeSecret(service);
  const { body } = await makeSecret(service);
  await service.auditor.query(
    `update webhook_secrets set previous_valid_until = now() - interval '1 second'`,
  );
  const settings = { ...databaseSettings(service.database), PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9' };
  const beside = await openService({ folder: service.folder, settings });
  await until('it is gone', async () => (await secretRow()).previous_sealed_secret === null, 60_000);
  assert.deepEqual((await opened()).secrets, [bytesOf(body.secret)]);
  await beside.stop();
});

test('a login is opened as it was registered, also from memory, and never for another merchant', async () => {
  await register(service, { url: URL_OF_SHOP, basicAuth: `Basic ${base64('josé:coração:2')}` });
  const row = await endpointRow(service);
  const delivery = {
    merchantId: service.merchantId,
    endpoint: accountEndpoint(service.accountNumber),
    accountNumber: service.accountNumber,
    basicAuth: { bytes: row.sealed_basic_auth as Buffer, dataKeyId: row.basic_auth_key_id as number },
    secrets: [],
  };
  for (let turn = 0; turn < 2; turn += 1)
    assert.deepEqual(await openEndpointSecrets(keyring, delivery), {
      basicAuth: base64('josé:coração:2'),
      secrets: [],
    });
  for (const moved of [{ merchantId: FOREIGN_MERCHANT }, { endpoint: accountEndpoint('1') }])
    await assert.rejects(openEndpointSecrets(keyring, { ...delivery, ...moved }), /does not open/);
});

test('nothing is sent with a secret that was altered or moved, until two others are made', async () => {
  await makeSecret(service);
  assert.equal((await opened()).secrets.length, 1);
  await assert.rejects(opened({ merchantId: FOREIGN_MERCHANT }), /does not open/);
  await service.auditor.query('update webhook_secrets set sealed_secret = $1', [randomBytes(60)]);
  await assert.rejects(opened(), /does not open/);
  const made = [await makeSecret(service), await makeSecret(service)];
  assert.deepEqual((await opened()).secrets, made.map(({ body }) => bytesOf(body.secret)).reverse());
});

test('the server of a callback address gets its row once, whatever the path and however many ask', async () => {
  let asked = 0;
  const options = callbackEndpointsWrite(pool);
  const tools = {
    writeCallbackEndpoint: batchWrites({
      ...options,
      write: (rows, deadlines) => {
        asked += rows.length;
        return options.write(rows, deadlines);
      },
    }),
    knownCallbackEndpoints: new Set<string>(),
  };
  const remember = (merchantId: string, url: string) =>
    rememberCallbackEndpoint(tools, merchantId, url, performance.now() + 20_000);
  const urls = Array.from({ length: 40 }, (_, index) => `https://loja.example/${index}?pedido=${index}`);
  await Promise.all([
    ...urls.map((url) => remember(service.merchantId, url)),
    remember(service.merchantId, 'https://loja.example:8443/a'),
    remember(FOREIGN_MERCHANT, 'https://loja.example/a'),
  ]);
  const rows = await service.auditor.query(
    'select merchant_id, endpoint, url, state, created_by from webhook_endpoints order by merchant_id desc, endpoint',
  );
  const row = { url: null, state: 'active', created_by: 'system' };
  assert.deepEqual(rows, [
    { ...row, merchant_id: FOREIGN_MERCHANT, endpoint: 'origin:https://loja.example' },
    { ...row, merchant_id: service.merchantId, endpoint: 'origin:https://loja.example' },
    { ...row, merchant_id: service.merchantId, endpoint: 'origin:https://loja.example:8443' },
  ]);
  const askedBefore = asked;
  await Promise.all(urls.map((url) => remember(service.merchantId, url)));
  assert.equal(asked, askedBefore, 'what is known asks nobody');
  const another = { ...tools, knownCallbackEndpoints: new Set<string>() };
  await rememberCallbackEndpoint(
    another,
    service.merchantId,
    'https://loja.example/',
    performance.now() + 20_000,
  );
  assert.equal((await service.auditor.query('select 1 from webhook_endpoints')).length, 3);
});
