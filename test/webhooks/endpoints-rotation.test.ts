import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accountEndpoint } from '../../src/webhooks/deliveries/delivery.ts';
import { openEndpointSecrets } from '../../src/webhooks/secrets/create-secret.ts';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';
import type { AuditedTools } from '../kit/keys.ts';
import { logIn } from '../kit/merchant.ts';
import { type OpenedService, until } from '../kit/service.ts';
import { base64, makeSecret, register, URL_OF_SHOP } from './endpoints-service.ts';

const LOGIN = 'loja:senha';

let setup: KeySetup;
let tools: AuditedTools;
let service: OpenedService;
let door: { integrationUrl: string; token: string; accountNumber: string };
let merchantId: string;

before(async () => {
  setup = await openKeySetup();
  const { demo, tools: opened } = await setup.makeDemo();
  tools = opened;
  merchantId = demo.merchantId;
  service = await setup.openService();
  const token = await logIn(service.integrationUrl, demo.integration, '/api/authentication/login');
  door = { integrationUrl: service.integrationUrl, token, accountNumber: demo.accountNumber as string };
});
after(() => setup.close());

/** How many sealed columns are under retired keys, and how many in all. */
async function sealedColumns(): Promise<{ underRetired: number; all: number }> {
  const [row] = await setup.auditor.query(
    `select count(*) filter (where k.retired_at is not null)::int as retired, count(*)::int as total
     from (select basic_auth_key_id as data_key_id from webhook_endpoints union all select data_key_id from webhook_secrets
           union all select previous_data_key_id from webhook_secrets) s join data_keys k using (data_key_id)`,
  );
  return { underRetired: row?.retired as number, all: row?.total as number };
}

async function open() {
  await tools.keyring.reload();
  const [row] = await setup.auditor.query(
    `select sealed_basic_auth, basic_auth_key_id, sealed_secret, data_key_id, previous_sealed_secret, previous_data_key_id
     from webhook_endpoints e join webhook_secrets s using (merchant_id)
     where e.merchant_id = $1 and e.endpoint = $2 and s.account_number = $3`,
    [merchantId, accountEndpoint(door.accountNumber), door.accountNumber],
  );
  const sealed = (bytes: unknown, dataKeyId: unknown) => ({
    bytes: bytes as Buffer,
    dataKeyId: dataKeyId as number,
  });
  return openEndpointSecrets(tools.keyring, {
    merchantId,
    endpoint: accountEndpoint(door.accountNumber),
    accountNumber: door.accountNumber,
    basicAuth: sealed(row?.sealed_basic_auth, row?.basic_auth_key_id),
    secrets: [
      sealed(row?.sealed_secret, row?.data_key_id),
      sealed(row?.previous_sealed_secret, row?.previous_data_key_id),
    ],
  });
}

const bytesOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** Two secrets and a login of the account. */
async function sealAll(): Promise<{ basicAuth: string; secrets: Buffer[] }> {
  assert.equal((await register(door, { url: URL_OF_SHOP, basicAuth: base64(LOGIN) })).status, 200);
  const made = [await makeSecret(door), await makeSecret(door)];
  return { basicAuth: base64(LOGIN), secrets: made.map(({ body }) => bytesOf(body.secret)).reverse() };
}

test('the key of secrets is rotated while merchants register: nothing fails, and nothing stays under the old key', async () => {
  const load = { isOver: false, refused: [] as string[], done: 0 };
  const busy = [1, 2].map(async () => {
    while (!load.isOver) {
      for (const ask of [
        () => register(door, { url: URL_OF_SHOP, basicAuth: base64(LOGIN) }),
        () => makeSecret(door),
      ]) {
        const reply = await ask();
        if (reply.status === 200) load.done += 1;
        // A request that waited for a lock too long on a busy machine is sent again.
        else if (reply.status !== 503) load.refused.push(`${reply.status} ${reply.text}`);
      }
    }
  });
  for (const kind of ['secret', 'all', 'secret']) {
    const before = load.done;
    await until('something was registered', async () => load.done > before);
    const { code, said } = await setup.parcela(['key', 'rotate', '--kind', kind]);
    assert.equal(code, 0, said);
  }
  load.isOver = true;
  await Promise.all(busy);
  assert.deepEqual(load.refused, []);
  assert.deepEqual(await sealedColumns(), { underRetired: 0, all: 3 });
  const { basicAuth, secrets } = await open();
  assert.equal(basicAuth, base64(LOGIN));
  assert.equal(secrets.length, 2);
});

test('login and both secrets are sealed again by a rotation, and the old key is deleted after an hour', async () => {
  const sealed = await sealAll();
  const [before] = await setup.auditor.query('select sealed_secret, data_key_id from webhook_secrets');
  const { code, said, printed } = await setup.parcela(['key', 'rotate', '--kind', 'secret']);
  assert.equal(code, 0, said);
  // The service does its part of them beside the command.
  assert.match(printed, /secret: [0-3] rows were sealed again under data key \d+, 0 are under old keys/);
  assert.deepEqual(await sealedColumns(), { underRetired: 0, all: 3 });
  const [after] = await setup.auditor.query('select sealed_secret, data_key_id from webhook_secrets');
  assert.ok((after?.data_key_id as number) > (before?.data_key_id as number));
  assert.notDeepEqual(after?.sealed_secret, before?.sealed_secret);
  assert.deepEqual(await open(), sealed);
  const status = await setup.parcela(['key', 'status', '--json']);
  const { items } = JSON.parse(status.printed) as {
    items: { purpose: string; state: string; rows: number }[];
  };
  const inUse = items.find(({ purpose, state }) => purpose === 'secret' && state === 'in use');
  assert.equal(inUse?.rows, 3);
  await setup.auditor.query(
    `update data_keys set retired_at = now() - interval '61 minutes' where purpose = 'secret' and retired_at is not null`,
  );
  const again = await setup.openService();
  await until('the old keys are gone', async () => {
    const rows = await setup.auditor.query(
      `select 1 from data_keys where purpose = 'secret' and retired_at is not null`,
    );
    return rows.length === 0;
  });
  await again.stop();
  assert.deepEqual(await open(), sealed);
});

test('a rotation that was killed after its first commit is finished by the service alone', async () => {
  const sealed = await sealAll();
  const { ended, child } = setup.runParcela(['key', 'rotate', '--kind', 'secret']);
  const isRotated = `select 1 from data_keys where purpose = 'secret' and retired_at is not null`;
  await until('the old key is retired', async () => (await setup.auditor.query(isRotated)).length > 0);
  child.kill('SIGKILL');
  await ended;
  await until('everything is sealed again', async () => (await sealedColumns()).underRetired === 0);
  assert.deepEqual(await sealedColumns(), { underRetired: 0, all: 3 });
  assert.deepEqual(await open(), sealed);
});

test('a row that does not open stays where it is, and the command says what to do', async () => {
  await sealAll();
  await setup.auditor.query(`update webhook_endpoints set sealed_basic_auth = '\\x00'`);
  const { code, said } = await setup.parcela(['key', 'rotate', '--kind', 'secret']);
  assert.equal(code, 1);
  assert.match(
    said,
    new RegExp(`webhook target\\|${merchantId}\\|account:${door.accountNumber}.* does not open`),
  );
  assert.match(said, /have their merchants register again/);
  const sealed = await sealAll();
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'secret'])).code, 0);
  assert.deepEqual(await open(), sealed);
});
