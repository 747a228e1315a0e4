import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TestDatabase } from '../kit/database.ts';
import {
  type Auditor,
  databaseSettings,
  furnishedDatabase,
  type OpenedService,
  openAuditor,
  openService,
  type Service,
  startService,
  until,
} from '../kit/service.ts';
import { type MerchantSystem, openMerchantSystem } from './delivery-setup.ts';

let database: TestDatabase;
let auditor: Auditor;
let folder: string;
/** The one that is killed, and whoever works. */
let killed: Service;
let service: OpenedService;
let system: MerchantSystem;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-test-'));
  database = await furnishedDatabase(folder, {});
  auditor = openAuditor(database.address);
  system = await openMerchantSystem();
  killed = await startService({ folder, settings: databaseSettings(database) });
  service = killed;
  await auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
     select merchant_id, 'account:' || account_number, $1, 'test' from accounts where position = 1`,
    [`${system.url}?token=hidden-in-the-query`],
  );
});

after(async () => {
  await service.stop();
  await auditor.close();
  await system.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(body: string): Promise<void> {
  await auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
     select merchant_id, nextval('movement_ids'), 'movement', endpoint, substr(endpoint, 9), $1, now(), now() from webhook_endpoints
     limit 1`,
    [body],
  );
}

const stateOf = async (body: string) =>
  (await auditor.query('select state, tries from deliveries where body = $1', [body]))[0];

test('a running service reports what is waiting, and counts it', async () => {
  await write('{"movementId":1}');
  await until('it was told', async () => (await stateOf('{"movementId":1}'))?.state === 'delivered');
  assert.equal(system.received.length, 1);
  assert.match(String(system.received[0]?.headers['user-agent']), /^Parcela\/\d/);
  // What is counted follows the commit.
  const text = await until('it is counted', async () => {
    const reported = await (await fetch(service.metricsUrl)).text();
    return /parcela_webhook_deliveries_total\{outcome="delivered"\} 1/.test(reported) ? reported : null;
  });
  assert.match(text, /parcela_webhook_try_duration_seconds_count\{result="taken"\} 1/);
  assert.match(text, /parcela_webhook_endpoints\{state="working"\} \d/);
});

test('what a killed process was sending is sent again by the next one, under the same id', async () => {
  system.answer('nothing');
  await write('{"movementId":2}');
  const arrived = () => system.received.filter(({ body }) => body === '{"movementId":2}');
  await until('it is under way', async () => arrived().length === 1);
  await killed.kill();
  system.answer(200);
  service = await openService({ folder, settings: databaseSettings(database) });
  await write('{"movementId":3}');
  await until('the next is told', async () => (await stateOf('{"movementId":3}'))?.state === 'delivered');
  assert.equal(arrived().length, 1, 'what may still be under way elsewhere is left alone');
  // The lease is real time: the thirty seconds of the dead process are over.
  await auditor.query(`update deliveries set lease_expires_at = now() where state = 'waiting'`);
  await until('it was told', async () => (await stateOf('{"movementId":2}'))?.state === 'delivered');
  const [first, second] = arrived();
  assert.equal(first?.id, second?.id);
  assert.equal((await stateOf('{"movementId":2}'))?.tries, 1);
});

test('the log records a target that fails, and nothing of its address', async () => {
  system.answer(503);
  for (let number = 10; number < 30; number += 1) await write(`{"movementId":${number}}`);
  await until('its breaker opened', async () =>
    service.log.some((line) => line.includes('a webhook endpoint fails too often')),
  );
  assert.ok(!service.log.some((line) => line.includes('hidden-in-the-query')));
});
