import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  type DeliverySetup,
  type Engine,
  type MerchantSystem,
  openDeliverySetup,
  openMerchantSystem,
} from './delivery-setup.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ENDPOINT = 'account:1';
const signal = new AbortController().signal;

let service: DeliverySetup;
let system: MerchantSystem;

beforeEach(async () => {
  service = await openDeliverySetup();
  system = await openMerchantSystem();
  await service.register('1', system.url);
});

afterEach(async () => {
  await service.close();
  await system.close();
});

const many = (count: number) => Array.from({ length: count }, () => ({ transactionId: randomUUID() }));
const newsOf = ({ news }: Engine) => news.map(({ change }) => change);
const isOpen = async () => (await service.endpoint(ENDPOINT)).isOpen;

/** Writes ten that fail, so that the breaker opens. */
async function breakDown(engine: Engine, answer: 500 | 503 = 500): Promise<void> {
  system.answer(answer);
  await service.write(many(10));
  engine.deliverer.notify();
  await until('the breaker is open', isOpen);
}

test('what a system refuses with 400 counts against that message only', async () => {
  system.answer((body) => (body === 'bad' ? 400 : 200));
  const engine = service.startEngine();
  await service.write(Array.from({ length: 30 }, () => ({ body: 'bad' })));
  await until('all were refused', async () => engine.outcomes.length >= 30);
  const [number = 0] = await service.write([{ body: 'good' }]);
  engine.deliverer.notify();
  assert.equal((await service.untilTries(number, 1)).state, 'delivered');
  const { state, isOpen, isFailing } = await service.endpoint(ENDPOINT);
  assert.deepEqual([state, isOpen, isFailing], ['active', false, false]);
  assert.equal(await service.countIn('waiting', ENDPOINT), 30);
});

test('ten failures in a row open the breaker: then nothing is sent but one probe, by one process', async () => {
  const one = service.startEngine();
  await breakDown(one);
  const arrived = () => system.received.length;
  await until('what was under way has ended', async () => one.outcomes.length === arrived());
  const before = arrived();
  assert.ok(before >= 10 && before <= 17, `${before} were sent before it opened`);
  const other = service.startEngine({ isIdle: true });
  await service.write(many(20));
  assert.equal(await other.runDueOf('loja', signal), 0, 'a skip is no try');
  system.answer('nothing');
  await service.pass(5_000);
  one.deliverer.notify();
  await until('the probe is there', async () => arrived() === before + 1);
  assert.equal(await other.runDueOf('loja', signal), 0);
  system.answer(500);
  await until('it opened again', async () => (await service.endpoint(ENDPOINT)).openings === 2);
  const left = (await service.endpoint(ENDPOINT)).openMillisecondsLeft ?? 0;
  assert.ok(left > 5_000 && left <= 10_000, `${left} ms, twice as long`);
  assert.equal(arrived(), before + 1);
  assert.deepEqual(newsOf(one).slice(-2), ['opened', 'stillAway']);
});

test('what is sent from memory respects the breaker too', async () => {
  const engine = service.startEngine();
  await breakDown(engine);
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  const before = system.received.length;
  engine.deliverer.sendNow(await service.writeForNow(many(5)));
  assert.equal(await engine.runDueOf('loja', signal), 0);
  assert.equal(system.received.length, before);
});

test('what is written after somebody else found the system back is sent at once, though this process remembers an open breaker', async () => {
  const engine = service.startEngine();
  await breakDown(engine);
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  await service.auditor.query(`update deliveries set state = 'givenUp', due_at = null, ended_at = now()
    where state = 'waiting'`);
  // What a test that was taken, or the probe of another process, writes.
  await service.auditor.query(
    'update webhook_endpoints set opened_until = null, openings = 0, failing_since = null, returned_at = now()',
  );
  system.answer(200);
  const before = system.received.length;
  const sent = await service.writeForNow(many(3), HOUR);
  engine.deliverer.sendNow(sent);
  await until('all were told', async () => system.received.length === before + 3);
});

test('a system that was down for six hours receives everything when it is back, though nothing was due', async () => {
  const engine = service.startEngine();
  await breakDown(engine);
  // All that was written meanwhile was tried some times and has its next try hours from now.
  await service.write(many(300));
  await service.auditor.query(
    `update deliveries set tries = 7, due_at = due_at + interval '11 hours' where state = 'waiting'`,
  );
  await service.pass(6 * HOUR);
  await until('a probe failed', async () => newsOf(engine).includes('stillAway'));
  const failed = await service.auditor.query('select from deliveries where tries > 7');
  assert.equal(failed.length, 0, 'a probe before its time is none of the tries');
  system.answer(200);
  await service.pass(60_000);
  await until('all were told', async () => (await service.countIn('waiting', ENDPOINT)) === 0);
  assert.equal(await service.countIn('delivered', ENDPOINT), 310);
  assert.ok(system.mostAtOnce() <= 8);
  const { isOpen, isFailing } = await service.endpoint(ENDPOINT);
  assert.deepEqual([isOpen, isFailing], [false, false]);
  assert.ok(newsOf(engine).includes('returned'));
  await until('the return is over', async () => {
    const [row] = await service.auditor.query('select returned_at from webhook_endpoints');
    engine.deliverer.notify();
    await service.write(many(1));
    return row?.returned_at === null;
  });
});

test('a system that comes and goes does not use up the tries of what waits', async () => {
  const engine = service.startEngine();
  await breakDown(engine);
  await service.auditor.query(
    `update deliveries set tries = 7, due_at = due_at + interval '11 hours' where state = 'waiting'`,
  );
  for (let times = 1; times <= 3; times += 1) {
    let taken = 0;
    system.answer(() => (taken++ === 0 ? 200 : 500));
    await service.pass(70_000);
    await until(
      'it came back',
      async () => newsOf(engine).filter((change) => change === 'returned').length >= times,
    );
    await service.write(many(20));
    engine.deliverer.notify();
    await until('it went again', isOpen);
  }
  const tries = await service.auditor.query(
    'select distinct tries from deliveries where tries >= 7 and tries < 12',
  );
  assert.ok(tries.length > 0);
  assert.deepEqual(
    tries.map((row) => row.tries).filter((count) => count !== 7 && count !== 8),
    [],
  );
  const givenUp = await service.countIn('givenUp', ENDPOINT);
  assert.equal(givenUp, 0);
  assert.ok((await service.endpoint(ENDPOINT)).openings >= 3, 'and its breaker opens for longer each time');
});

test('a system that says three times in a row that it is gone receives nothing more', async () => {
  const engine = service.startEngine();
  system.answer(410);
  const [first = 0] = await service.write(many(1));
  await service.untilTries(first, 1);
  system.answer(200);
  const [second = 0] = await service.write(many(1));
  await service.untilTries(second, 1);
  assert.equal((await service.endpoint(ENDPOINT)).state, 'active');
  system.answer(410);
  await service.write(many(3));
  await until('it is held', async () => (await service.endpoint(ENDPOINT)).state === 'disabled');
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  const before = system.received.length;
  await service.write(many(3));
  await service.pass(DAY);
  assert.equal(await engine.runDueOf('loja', signal), 0);
  assert.equal(await engine.earliestDueOf('loja'), null);
  assert.equal(system.received.length, before);
  assert.ok(newsOf(engine).includes('disabled'));
});

test('a system that fails for five days is held, and a new registration sends what waits', async () => {
  const engine = service.startEngine({ isIdle: true });
  system.answer(503);
  await service.write(many(1));
  await engine.runDueOf('loja', signal);
  for (let days = 1; days <= 6; days += 1) {
    // So that it has a try each day: what counts is since when nothing succeeded, not how often it was tried.
    await service.auditor.query(`update deliveries set tries = 4 where state = 'waiting'`);
    await service.pass(DAY);
    assert.equal(await engine.runDueOf('loja', signal), 1);
    const { state, isFailing } = await service.endpoint(ENDPOINT);
    if (days < 6) assert.deepEqual([state, isFailing], ['active', true], `after ${days} days`);
  }
  assert.equal((await service.endpoint(ENDPOINT)).state, 'disabled');
  system.answer(200);
  await service.register('1', system.url);
  assert.equal(await engine.runDueOf('loja', signal), 1);
  assert.equal(await service.countIn('delivered', ENDPOINT), 1);
});

test('a server of callbacks is never held, for nobody could release it: it receives what waits when it is back', async () => {
  const engine = service.startEngine({ isIdle: true });
  const endpoint = 'origin:http://callbacks.example';
  await service.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, created_by) values ('loja', $1, 'test')`,
    [endpoint],
  );
  await service.write(many(3));
  await service.auditor.query(`update deliveries set kind = 'callback', endpoint = $1, url = $2`, [
    endpoint,
    system.url,
  ]);
  for (const answer of [503, 410] as const) {
    system.answer(answer);
    for (let days = 1; days <= 7; days += 1) {
      await service.auditor.query(`update deliveries set tries = 4 where state = 'waiting'`);
      await service.pass(DAY);
      await engine.runDueOf('loja', signal);
    }
    assert.equal((await service.endpoint(endpoint)).state, 'active', `after seven days of ${answer}`);
  }
  assert.ok(!newsOf(engine).includes('disabled'));
  system.answer(200);
  await service.pass(DAY);
  await engine.runDueOf('loja', signal);
  assert.equal(await service.countIn('delivered', endpoint), 3);
});

test('what is found out about an address that was replaced meanwhile changes nothing for the new one', async () => {
  const engine = service.startEngine();
  system.answer('nothing');
  await service.write(many(8));
  await until('eight are under way', async () => system.received.length === 8);
  const other = await openMerchantSystem();
  try {
    await service.register('1', other.url);
    system.answer(410);
    await until('they have ended', async () => engine.outcomes.length >= 8);
    assert.equal((await service.endpoint(ENDPOINT)).state, 'active');
    await until('the new address was told', async () => (await service.countIn('delivered', ENDPOINT)) === 8);
  } finally {
    await other.close();
  }
});

test('twenty thousand that wait for a dead system keep nobody else from being notified', async () => {
  await service.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, body, due_at,
       scheduled_at)
     select 'loja', nextval('movement_ids'), 'movement', 'account:1', '1', gen_random_uuid(), '{}', now(), now()
     from generate_series(1, 20000)`,
  );
  await system.close();
  const other = await openMerchantSystem();
  try {
    await service.register('2', other.url);
    const engine = service.startEngine();
    const numbers = await service.write(Array.from({ length: 200 }, () => ({ account: '2' })));
    engine.deliverer.notify();
    await until(
      'the others were told',
      async () => (await service.countIn('delivered', 'account:2')) === 200,
    );
    assert.equal(numbers.length, other.received.length);
    assert.ok((await service.countIn('waiting', ENDPOINT)) >= 19_990, 'while those still wait');
    await until('the breaker is open', isOpen);
    const sent = engine.outcomes.length - 200;
    assert.ok(sent <= 30, `${sent} tries at a dead system`);
  } finally {
    await other.close();
    system = await openMerchantSystem();
  }
});

test('many that wait behind one that is refused do not keep others of the same target waiting', async () => {
  system.answer((body) => (body === 'bad' ? 400 : 200));
  const engine = service.startEngine();
  const transactions = Array.from({ length: 60 }, () => randomUUID());
  await service.write(transactions.map((transactionId) => ({ transactionId, body: 'bad' })));
  await until('all were refused', async () => engine.outcomes.length >= 60);
  const blocked = await service.write(
    transactions.map((transactionId) => ({ transactionId, body: 'later' })),
  );
  const [free = 0] = await service.write([{ body: 'free' }]);
  engine.deliverer.notify();
  assert.equal((await service.untilTries(free, 1)).state, 'delivered');
  assert.equal((await service.delivery(blocked[0] ?? 0)).state, 'waiting');
  system.answer(200);
  await service.pass(10 * 60_000);
  await until('all were told', async () => (await service.countIn('waiting', ENDPOINT)) === 0, 60_000);
  const laterFirst = system.received.findIndex(({ body }) => body === 'later');
  assert.ok(laterFirst > 60);
});

test('a backlog flows while five hundred other targets wait for their time', async () => {
  await service.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
     select 'loja', 'account:w' || n, 'http://127.0.0.1:9/', 'test' from generate_series(1, 500) n`,
  );
  await service.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
     select 'loja', nextval('movement_ids'), 'movement', 'account:w' || n, 'w' || n, '{}', now() + interval '1 day', now()
     from generate_series(1, 500) n`,
  );
  await service.register('zz', system.url);
  await service.write(Array.from({ length: 400 }, () => ({ account: 'zz' })));
  const engine = service.startEngine();
  await until('all were told', async () => (await service.countIn('delivered', 'account:zz')) === 400);
  await until('all is counted', async () => engine.outcomes.length === 400);
  assert.ok(system.mostAtOnce() <= 8);
  assert.equal(await service.countIn('waiting', 'account:w1'), 1);
});

test('a single message at a system that was down for hours finds within a minute that it is back', async () => {
  const engine = service.startEngine();
  system.answer(500);
  const [number = 0] = await service.write(many(1));
  engine.deliverer.notify();
  for (const [tries, milliseconds] of [5_500, 33_000, 132_000].entries()) {
    await service.untilTries(number, tries + 1);
    await service.pass(milliseconds);
    engine.deliverer.notify();
  }
  await service.untilTries(number, 4);
  await until('the breaker is open, though little is sold there', isOpen);
  system.answer(200);
  // Its own next try is ten minutes away.
  await service.pass(60_000);
  engine.deliverer.notify();
  await until('it was told', async () => (await service.delivery(number)).state === 'delivered');
});
