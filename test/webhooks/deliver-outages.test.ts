import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { until } from '../running-service.ts';
import {
  type DeliveryHouse,
  type Engine,
  type MerchantSystem,
  openDeliveryHouse,
  openMerchantSystem,
} from './delivery-house.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ENDPOINT = 'account:1';
const signal = new AbortController().signal;

let house: DeliveryHouse;
let system: MerchantSystem;

beforeEach(async () => {
  house = await openDeliveryHouse();
  system = await openMerchantSystem();
  await house.register('1', system.url);
});

afterEach(async () => {
  await house.close();
  await system.close();
});

const many = (count: number) => Array.from({ length: count }, () => ({ transactionId: randomUUID() }));
const newsOf = ({ news }: Engine) => news.map(({ change }) => change);
const isOpen = async () => (await house.endpoint(ENDPOINT)).isOpen;

/** Writes ten that fail, so that the breaker opens. */
async function breakDown(engine: Engine, answer: 500 | 503 = 500): Promise<void> {
  system.answer(answer);
  await house.write(many(10));
  engine.deliverer.notify();
  await until('the breaker is open', isOpen);
}

test('what a system refuses with 400 counts against that message only', async () => {
  system.answer((body) => (body === 'bad' ? 400 : 200));
  const engine = house.startEngine();
  await house.write(Array.from({ length: 30 }, () => ({ body: 'bad' })));
  await until('all were refused', async () => engine.outcomes.length >= 30);
  const [number = 0] = await house.write([{ body: 'good' }]);
  engine.deliverer.notify();
  assert.equal((await house.untilTries(number, 1)).state, 'delivered');
  const { state, isOpen, isFailing } = await house.endpoint(ENDPOINT);
  assert.deepEqual([state, isOpen, isFailing], ['active', false, false]);
  assert.equal(await house.countIn('waiting', ENDPOINT), 30);
});

test('ten failures in a row open the breaker: then nothing is sent but one probe, by one process', async () => {
  const one = house.startEngine();
  await breakDown(one);
  const heard = () => system.received.length;
  await until('what was under way has ended', async () => one.outcomes.length === heard());
  const before = heard();
  assert.ok(before >= 10 && before <= 17, `${before} were sent before it opened`);
  const other = house.startEngine({ isIdle: true });
  await house.write(many(20));
  assert.equal(await other.runDueOf('loja', signal), 0, 'a skip is no try');
  system.answer('nothing');
  await house.pass(5_000);
  one.deliverer.notify();
  await until('the probe is there', async () => heard() === before + 1);
  assert.equal(await other.runDueOf('loja', signal), 0);
  system.answer(500);
  await until('it opened again', async () => (await house.endpoint(ENDPOINT)).openings === 2);
  const left = (await house.endpoint(ENDPOINT)).openMillisecondsLeft ?? 0;
  assert.ok(left > 5_000 && left <= 10_000, `${left} ms, twice as long`);
  assert.equal(heard(), before + 1);
  assert.deepEqual(newsOf(one).slice(-2), ['opened', 'stillAway']);
});

test('what is sent from memory respects the breaker too', async () => {
  const engine = house.startEngine();
  await breakDown(engine);
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  const before = system.received.length;
  engine.deliverer.sendNow(await house.writeForNow(many(5)));
  assert.equal(await engine.runDueOf('loja', signal), 0);
  assert.equal(system.received.length, before);
});

test('what is written after somebody else found the system back is sent at once, though this process remembers an open breaker', async () => {
  const engine = house.startEngine();
  await breakDown(engine);
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  await house.auditor.query(`update deliveries set state = 'givenUp', due_at = null, ended_at = now()
    where state = 'waiting'`);
  // What a test that was taken, or the probe of another process, writes.
  await house.auditor.query(
    'update webhook_endpoints set opened_until = null, openings = 0, failing_since = null, returned_at = now()',
  );
  system.answer(200);
  const before = system.received.length;
  const sent = await house.writeForNow(many(3), HOUR);
  engine.deliverer.sendNow(sent);
  await until('all were told', async () => system.received.length === before + 3);
});

test('a system that was down for six hours hears everything when it is back, though nothing was due', async () => {
  const engine = house.startEngine();
  await breakDown(engine);
  // All that was written meanwhile was tried some times and has its next try hours from now.
  await house.write(many(300));
  await house.auditor.query(
    `update deliveries set tries = 7, due_at = due_at + interval '11 hours' where state = 'waiting'`,
  );
  await house.pass(6 * HOUR);
  await until('a probe failed', async () => newsOf(engine).includes('stillAway'));
  const failed = await house.auditor.query('select from deliveries where tries > 7');
  assert.equal(failed.length, 0, 'a probe before its time is none of the tries');
  system.answer(200);
  await house.pass(60_000);
  await until('all were told', async () => (await house.countIn('waiting', ENDPOINT)) === 0);
  assert.equal(await house.countIn('delivered', ENDPOINT), 310);
  assert.ok(system.mostAtOnce() <= 8);
  const { isOpen, isFailing } = await house.endpoint(ENDPOINT);
  assert.deepEqual([isOpen, isFailing], [false, false]);
  assert.ok(newsOf(engine).includes('returned'));
  await until('the return is over', async () => {
    const [row] = await house.auditor.query('select returned_at from webhook_endpoints');
    engine.deliverer.notify();
    await house.write(many(1));
    return row?.returned_at === null;
  });
});

test('a system that comes and goes does not use up the tries of what waits', async () => {
  const engine = house.startEngine();
  await breakDown(engine);
  await house.auditor.query(
    `update deliveries set tries = 7, due_at = due_at + interval '11 hours' where state = 'waiting'`,
  );
  for (let times = 1; times <= 3; times += 1) {
    let taken = 0;
    system.answer(() => (taken++ === 0 ? 200 : 500));
    await house.pass(70_000);
    await until(
      'it came back',
      async () => newsOf(engine).filter((change) => change === 'returned').length >= times,
    );
    await house.write(many(20));
    engine.deliverer.notify();
    await until('it went again', isOpen);
  }
  const tries = await house.auditor.query(
    'select distinct tries from deliveries where tries >= 7 and tries < 12',
  );
  assert.ok(tries.length > 0);
  assert.deepEqual(
    tries.map((row) => row.tries).filter((count) => count !== 7 && count !== 8),
    [],
  );
  const givenUp = await house.countIn('givenUp', ENDPOINT);
  assert.equal(givenUp, 0);
  assert.ok((await house.endpoint(ENDPOINT)).openings >= 3, 'and its breaker opens for longer each time');
});

test('a system that says three times in a row that it is gone hears nothing more', async () => {
  const engine = house.startEngine();
  system.answer(410);
  const [first = 0] = await house.write(many(1));
  await house.untilTries(first, 1);
  system.answer(200);
  const [second = 0] = await house.write(many(1));
  await house.untilTries(second, 1);
  assert.equal((await house.endpoint(ENDPOINT)).state, 'active');
  system.answer(410);
  await house.write(many(3));
  await until('it is held', async () => (await house.endpoint(ENDPOINT)).state === 'disabled');
  await until('what was under way has ended', async () => engine.outcomes.length === system.received.length);
  const before = system.received.length;
  await house.write(many(3));
  await house.pass(DAY);
  assert.equal(await engine.runDueOf('loja', signal), 0);
  assert.equal(await engine.earliestDueOf('loja'), null);
  assert.equal(system.received.length, before);
  assert.ok(newsOf(engine).includes('disabled'));
});

test('a system that fails for five days is held, and a new registration sends what waits', async () => {
  const engine = house.startEngine({ isIdle: true });
  system.answer(503);
  await house.write(many(1));
  await engine.runDueOf('loja', signal);
  for (let days = 1; days <= 6; days += 1) {
    // So that it has a try each day: what counts is since when nothing succeeded, not how often it was tried.
    await house.auditor.query(`update deliveries set tries = 4 where state = 'waiting'`);
    await house.pass(DAY);
    assert.equal(await engine.runDueOf('loja', signal), 1);
    const { state, isFailing } = await house.endpoint(ENDPOINT);
    if (days < 6) assert.deepEqual([state, isFailing], ['active', true], `after ${days} days`);
  }
  assert.equal((await house.endpoint(ENDPOINT)).state, 'disabled');
  system.answer(200);
  await house.register('1', system.url);
  assert.equal(await engine.runDueOf('loja', signal), 1);
  assert.equal(await house.countIn('delivered', ENDPOINT), 1);
});

test('a server of callbacks is never held, for nobody could release it: it hears what waits when it is back', async () => {
  const engine = house.startEngine({ isIdle: true });
  const endpoint = 'origin:http://callbacks.example';
  await house.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, created_by) values ('loja', $1, 'test')`,
    [endpoint],
  );
  await house.write(many(3));
  await house.auditor.query(`update deliveries set kind = 'callback', endpoint = $1, url = $2`, [
    endpoint,
    system.url,
  ]);
  for (const answer of [503, 410] as const) {
    system.answer(answer);
    for (let days = 1; days <= 7; days += 1) {
      await house.auditor.query(`update deliveries set tries = 4 where state = 'waiting'`);
      await house.pass(DAY);
      await engine.runDueOf('loja', signal);
    }
    assert.equal((await house.endpoint(endpoint)).state, 'active', `after seven days of ${answer}`);
  }
  assert.ok(!newsOf(engine).includes('disabled'));
  system.answer(200);
  await house.pass(DAY);
  await engine.runDueOf('loja', signal);
  assert.equal(await house.countIn('delivered', endpoint), 3);
});

test('what is found out about an address that was replaced meanwhile changes nothing for the new one', async () => {
  const engine = house.startEngine();
  system.answer('nothing');
  await house.write(many(8));
  await until('eight are under way', async () => system.received.length === 8);
  const other = await openMerchantSystem();
  try {
    await house.register('1', other.url);
    system.answer(410);
    await until('they have ended', async () => engine.outcomes.length >= 8);
    assert.equal((await house.endpoint(ENDPOINT)).state, 'active');
    await until('the new address was told', async () => (await house.countIn('delivered', ENDPOINT)) === 8);
  } finally {
    await other.close();
  }
});

test('twenty thousand that wait for a dead system keep nobody else from hearing', {
  timeout: 300_000,
}, async () => {
  await house.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, transaction_id, body, due_at,
       scheduled_at)
     select 'loja', nextval('movement_ids'), 'movement', 'account:1', '1', gen_random_uuid(), '{}', now(), now()
     from generate_series(1, 20000)`,
  );
  await system.close();
  const other = await openMerchantSystem();
  try {
    await house.register('2', other.url);
    const engine = house.startEngine();
    const numbers = await house.write(Array.from({ length: 200 }, () => ({ account: '2' })));
    engine.deliverer.notify();
    await until('the others were told', async () => (await house.countIn('delivered', 'account:2')) === 200);
    assert.equal(numbers.length, other.received.length);
    assert.ok((await house.countIn('waiting', ENDPOINT)) >= 19_990, 'while those still wait');
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
  const engine = house.startEngine();
  const transactions = Array.from({ length: 60 }, () => randomUUID());
  await house.write(transactions.map((transactionId) => ({ transactionId, body: 'bad' })));
  await until('all were refused', async () => engine.outcomes.length >= 60);
  const blocked = await house.write(transactions.map((transactionId) => ({ transactionId, body: 'later' })));
  const [free = 0] = await house.write([{ body: 'free' }]);
  engine.deliverer.notify();
  assert.equal((await house.untilTries(free, 1)).state, 'delivered');
  assert.equal((await house.delivery(blocked[0] ?? 0)).state, 'waiting');
  system.answer(200);
  await house.pass(10 * 60_000);
  await until('all were told', async () => (await house.countIn('waiting', ENDPOINT)) === 0, 60_000);
  const laterFirst = system.received.findIndex(({ body }) => body === 'later');
  assert.ok(laterFirst > 60);
});

test('a backlog flows while five hundred other targets wait for their time', async () => {
  await house.auditor.query(
    `insert into webhook_endpoints (merchant_id, endpoint, url, created_by)
     select 'loja', 'account:w' || n, 'http://127.0.0.1:9/', 'test' from generate_series(1, 500) n`,
  );
  await house.auditor.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
     select 'loja', nextval('movement_ids'), 'movement', 'account:w' || n, 'w' || n, '{}', now() + interval '1 day', now()
     from generate_series(1, 500) n`,
  );
  await house.register('zz', system.url);
  await house.write(Array.from({ length: 400 }, () => ({ account: 'zz' })));
  const engine = house.startEngine();
  await until('all were told', async () => (await house.countIn('delivered', 'account:zz')) === 400);
  await until('all is counted', async () => engine.outcomes.length === 400);
  assert.ok(system.mostAtOnce() <= 8);
  assert.equal(await house.countIn('waiting', 'account:w1'), 1);
});

test('a single message at a system that was down for hours finds within a minute that it is back', async () => {
  const engine = house.startEngine();
  system.answer(500);
  const [number = 0] = await house.write(many(1));
  engine.deliverer.notify();
  for (const [tries, milliseconds] of [5_500, 33_000, 132_000].entries()) {
    await house.untilTries(number, tries + 1);
    await house.pass(milliseconds);
    engine.deliverer.notify();
  }
  await house.untilTries(number, 4);
  await until('the breaker is open, though little is sold there', isOpen);
  system.answer(200);
  // Its own next try is ten minutes away.
  await house.pass(60_000);
  engine.deliverer.notify();
  await until('it was told', async () => (await house.delivery(number)).state === 'delivered');
});
