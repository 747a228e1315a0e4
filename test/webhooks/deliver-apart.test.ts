import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  type DeliverySetup,
  type MerchantSystem,
  openDeliverySetup,
  openMerchantSystem,
} from './delivery-setup.ts';

const HOUR = 3_600_000;
const signal = new AbortController().signal;

let service: DeliverySetup;
let system: MerchantSystem;

beforeEach(async () => {
  service = await openDeliverySetup();
  system = await openMerchantSystem();
});

afterEach(async () => {
  await service.close();
  await system.close();
});

/** Locks the row of a target until the given function is called. */
async function lockEndpoint(endpoint: string): Promise<() => Promise<void>> {
  const locked = service.auditor
    .query(
      `with held as materialized (select endpoint from webhook_endpoints where endpoint = $1 for update)
       select pg_sleep(600) from held`,
      [endpoint],
    )
    .catch(() => {});
  const sleeper = `from pg_stat_activity where query like '%pg_sleep(600) from held%' and wait_event = 'PgSleep'`;
  await until('it is locked', async () => (await service.auditor.query(`select ${sleeper}`)).length === 1);
  return async () => {
    const [{ pid } = {}] = await service.auditor.query(`select pg_cancel_backend(pid), pid ${sleeper}`);
    await locked;
    // The error is sent before the lock is released.
    const isBusy = `select from pg_stat_activity where pid = $1 and state = 'active'`;
    await until('it is released', async () => (await service.auditor.query(isBusy, [pid])).length === 0);
  };
}

test('a target whose registration is being changed keeps nobody else waiting', async () => {
  const away = await service.register('1', 'http://127.0.0.1:9/');
  const returned = await service.register('2', system.url);
  const other = await service.register('3', system.url);
  await service.auditor.query(
    `update webhook_endpoints set failing_since = now(), opened_until = case when endpoint = $1 then now() end,
       returned_at = case when endpoint = $2 then now() end where endpoint in ($1, $2)`,
    [away, returned],
  );
  await service.write([{ account: '1' }, { account: '2' }, { account: '3' }]);
  const engine = service.startEngine({ isIdle: true });
  const unlock = [await lockEndpoint(away)];
  try {
    await engine.runDueOf('loja', signal);
    assert.equal(await service.countIn('delivered', other), 1);
    assert.equal((await service.endpoint(away)).openings, 0, 'nobody probed the one that is locked');
  } finally {
    for (const end of unlock) await end();
  }
  await engine.runDueOf('loja', signal);
  assert.equal((await service.endpoint(away)).openings, 1, 'it had its probe afterwards');
});

test('what is new is sent at once after another process found the system well, however long it had asked for', async () => {
  const endpoint = await service.register('1', system.url);
  system.answer({ status: 503, headers: { 'retry-after': '86400' } });
  const engine = service.startEngine();
  await service.write(Array.from({ length: 10 }, () => ({})));
  await until('its breaker is open for long', async () => {
    const { openMillisecondsLeft } = await service.endpoint(endpoint);
    return (openMillisecondsLeft ?? 0) > HOUR;
  });
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  system.answer(200);
  await service.auditor.query(
    `update deliveries set state = 'givenUp', due_at = null, ended_at = now() where state = 'waiting'`,
  );
  await service.auditor.query('update webhook_endpoints set opened_until = null, failing_since = null');
  await service.pass(10_000);
  const deliveries = await service.writeForNow([{}], 600_000);
  engine.deliverer.sendNow(deliveries);
  const [{ deliveryNumber } = { deliveryNumber: 0 }] = deliveries;
  assert.equal((await service.untilTries(deliveryNumber, 1)).state, 'delivered');
});

test('merchants with very many servers that hang keep no other merchant from being notified, and that at once', async () => {
  const other = await openMerchantSystem();
  try {
    await service.auditor.query(
      `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses)
       select n.id, n.cnpj, legal_name, contact_name, contact_email, contact_phone, '{}' from merchants,
         (values ('outra', '11444777000161'), ('terceira', '11222333000181')) n (id, cnpj)`,
    );
    system.answer('nothing');
    // One after the other in the round; each hangs until long after the test.
    for (let server = 1; server <= 80; server += 1) await service.register(`h${server}`, system.url);
    await service.write(Array.from({ length: 160 }, (_, index) => ({ account: `h${(index % 80) + 1}` })));
    const engine = service.startEngine({ tryMilliseconds: 600_000 });
    await until('very many hang', async () => system.received.length >= 20);
    engine.deliverer.sendNow(
      await service.writeForNow(Array.from({ length: 80 }, (_, index) => ({ account: `h${index + 1}` }))),
    );
    await until('more hang', async () => system.received.length >= 60);
    await service.auditor.query(
      `insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
       select 'terceira', endpoint, url, created_by from webhook_endpoints`,
    );
    await service.auditor.query(
      `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
       select 'terceira', nextval('movement_ids'), kind, endpoint, account_number, body, now(), now() from deliveries`,
    );
    engine.deliverer.notify();
    await until('those of another merchant hang too', async () => system.received.length >= 84);
    await service.auditor.query(
      `insert into webhook_endpoints (merchant_id, endpoint, url, created_by) values ('outra', 'account:1', $1, 'test')`,
      [other.url],
    );
    await until('slots are free', async () => engine.deliverer.leaseForNow() > 0);
    engine.deliverer.sendNow(await service.writeForNow([{}, {}, {}], 600_000, 'outra'));
    const isWaiting = `select from deliveries where merchant_id = 'outra' and state = 'waiting'`;
    await until('it is told', async () => (await service.auditor.query(isWaiting)).length === 0);
    const [{ claims } = {}] = await service.auditor.query(
      `select sum(fence)::int as claims from deliveries where merchant_id = 'outra'`,
    );
    assert.equal(claims, 0, 'the direct way: nothing was handed back');
    await service.auditor.query(
      `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
       select 'outra', nextval('movement_ids'), 'movement', 'account:1', '1', '{}', now(), now() from generate_series(1, 30)`,
    );
    engine.deliverer.notify();
    await until('it is told everything', async () => other.received.length === 33, 60_000);
    assert.ok(system.mostAtOnce() <= 2 * 60, `${system.mostAtOnce()} hang at once`);
  } finally {
    system.answer(200);
    await other.close();
  }
});
