import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { arrive } from '../kit/clock.ts';
import type { TestDatabase } from '../kit/database.ts';
import { keyFileIn } from '../kit/keys.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { logIn, pay } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  demoIn,
  furnishedDatabase,
  type OpenedService,
  openAuditor,
  openService,
  openSimulator,
  type Simulator,
  until,
} from '../kit/service.ts';

const BOOKED_AND_SILENT = 1_002;

let folder: string;
let database: TestDatabase;
let simulator: Simulator;
let auditor: Auditor;
let merchant: Listener;
let checkout: OpenedService;
let token: string;

const start = (settings: Readonly<Record<string, string>>) =>
  openService({
    folder,
    settings: {
      ...databaseSettings(database),
      PARCELA_ACQUIRER_URL: simulator.url,
      PARCELA_KEY_FILE: keyFileIn(folder),
      PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '500',
      PARCELA_REQUEST_DEADLINE_MILLISECONDS: '3000',
      ...settings,
    },
  });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-roles-'));
  database = await furnishedDatabase(folder, {});
  simulator = await openSimulator(join(folder, 'ledger'));
  auditor = openAuditor(database.address);
  merchant = await startListener(200);
  const demo = await demoIn(folder);
  checkout = await start({ PARCELA_ROLES: 'http' });
  token = await logIn(checkout.gatewayUrl, demo.gateway);
});

after(async () => {
  await checkout.stop();
  await merchant.close();
  await auditor.close();
  await simulator.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function stateOf(reference: string): Promise<unknown> {
  const text = 'select state from transactions where reference_transaction = $1';
  return (await auditor.query(text, [reference]))[0]?.state;
}

test('what a process for callers leaves is worked off by one that nobody calls', async () => {
  const paid = await pay(checkout.gatewayUrl, token, 2_000, { urlCallBack: `${merchant.url}/avisos` });
  assert.equal(paid.reply.status, 200, paid.reply.text);
  const silent = await pay(checkout.gatewayUrl, token, BOOKED_AND_SILENT);
  assert.equal(silent.reply.status, 500, silent.reply.text);
  assert.equal(await stateOf(silent.request.referenceTransaction), 'unresolved');

  const [moment] = await auditor.query('select now() as before');
  const rest = await start({ PARCELA_ROLES: 'charging,webhooks,resolving,reconciliation' });
  try {
    const tries = await until('the notification came', async () => {
      const found = await auditor.query('select tried_at > $1 as is_later from delivery_tries', [
        moment?.before,
      ]);
      return found.length > 0 && found;
    });
    assert.deepEqual(tries, [{ is_later: true }], 'the process for callers delivered nothing');
    assert.equal(merchant.received.length, 1);
    const end = await until('the charge is decided', async () => {
      const state = await stateOf(silent.request.referenceTransaction);
      return state !== 'charging' && state !== 'unresolved' && state;
    });
    assert.equal(end, 'voided');

    const statusOf = async (path: string) => (await fetch(rest.gatewayUrl + path)).status;
    assert.equal(await statusOf('/health/ready'), 200);
    assert.equal(await statusOf('/health/live'), 200);
    assert.equal((await fetch(rest.metricsUrl)).status, 200);
    for (const path of ['/v1/payments', '/api/auth/token', '/docs', '/openapi.json'])
      assert.equal(await statusOf(path), await statusOf('/no-such-path'), path);
  } finally {
    assert.deepEqual(await rest.stop(), []);
  }
});

test('a jump of the clock leaves to others what is not of the roles of its process', async () => {
  const tries = async () => (await auditor.query('select from delivery_tries')).length;
  const before = await tries();
  const paid = await pay(checkout.gatewayUrl, token, 2_000, { urlCallBack: `${merchant.url}/avisos` });
  assert.equal(paid.reply.status, 200, paid.reply.text);
  // Long enough for the acquirer to pay.
  const { ran } = await arrive(checkout.gatewayUrl, token, { advanceDays: 40 });
  assert.deepEqual([...new Set(Object.values(ran))], [0], JSON.stringify(ran));
  assert.equal(await tries(), before);
});

test('what is no role is refused by its name, and so is none', async () => {
  await assert.rejects(start({ PARCELA_ROLES: 'http,paying' }), /PARCELA_ROLES: must be some of .*"paying"/);
  await assert.rejects(start({ PARCELA_ROLES: ',' }), /PARCELA_ROLES: names no role/);
});
