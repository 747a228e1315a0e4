import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import { deliveryId } from '../../src/webhooks/deliveries/delivery.ts';
import { until } from '../kit/service.ts';
import {
  type DeliverySetup,
  type MerchantSystem,
  openDeliverySetup,
  openMerchantSystem,
} from './delivery-setup.ts';

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

const bodies = () => system.received.map(({ body }) => body);

test('a change is notified once, and what came of it is on record', async () => {
  await service.register('1', system.url);
  const engine = service.startEngine();
  const [number = 0] = await service.write([{ body: '{"movementId":1}' }]);
  const row = await service.untilTries(number, 1);
  assert.deepEqual([row.state, row.tries, row.millisecondsLeft], ['delivered', 1, null]);
  await engine.stop();
  assert.deepEqual(bodies(), ['{"movementId":1}']);
  const [reported] = await service.auditor.query(
    'select *, (select created_at from deliveries) from delivery_tries',
  );
  assert.deepEqual([reported?.try_number, reported?.status, reported?.failure], [1, 200, null]);
  const [got] = system.received;
  const createdAt = Number(reported?.created_at);
  assert.equal(got?.id, deliveryId({ createdAt, deliveryNumber: number }));
  assert.equal(got?.headers['content-type'], 'application/json; charset=utf-8');
});

test('a try whose record was lost behind the commit is on record once', async () => {
  await service.register('1', system.url);
  system.answer(500);
  const engine = service.startEngine({ losesRecord: true });
  const [number = 0] = await service.write([{ body: '{"movementId":1}' }]);
  await service.untilTries(number, 1);
  // It waits for the record that is sent again.
  await engine.stop();
  const row = await service.delivery(number);
  assert.deepEqual([row.state, row.tries, bodies().length], ['waiting', 1, 1]);
  const [reported] = await service.auditor.query('select count(*)::integer as count from delivery_tries');
  assert.equal(reported?.count, 1);
});

test('changes of one installment come in order, and those of others overtake one that fails', async () => {
  await service.register('1', system.url);
  system.answer((body) => (body === 'first' ? 500 : 200));
  const transactionId = randomUUID();
  const [first = 0, second = 0, third = 0] = await service.write([
    { transactionId, body: 'first' },
    { transactionId, body: 'second' },
    { transactionId, body: 'third' },
    { transactionId, installmentNumber: 2, body: 'other installment' },
    { transactionId: randomUUID(), body: 'other payment' },
  ]);
  service.startEngine();
  await until('the others were told', async () => bodies().includes('other payment'));
  await until('the other installment was told', async () => bodies().includes('other installment'));
  await service.untilTries(first, 1);
  assert.ok(!bodies().includes('second'), 'what comes later waits');
  system.answer(200);
  await service.pass(6_000);
  await service.untilTries(third, 1);
  const ofOne = bodies().filter((body) => ['first', 'second', 'third'].includes(body));
  assert.deepEqual(ofOne, ['first', 'first', 'second', 'third']);
  assert.equal((await service.delivery(second)).state, 'delivered');
});

test('a later change is notified at once when the earlier one is given up', async () => {
  await service.register('1', system.url);
  system.answer((body) => (body === 'first' ? 400 : 200));
  const transactionId = randomUUID();
  const [first = 0, second = 0] = await service.write([
    { transactionId, body: 'first' },
    { transactionId, body: 'second' },
  ]);
  await service.auditor.query('update deliveries set tries = 10 where delivery_number = $1', [first]);
  const engine = service.startEngine();
  await service.untilTries(first, 11);
  await until('the later one waits behind the earlier one', async () => {
    const { millisecondsLeft } = await service.delivery(second);
    return (millisecondsLeft ?? 0) > 23 * 3_600_000;
  });
  // Only the earlier one's time comes, by hand: the later one was put behind it, a day from now.
  await service.auditor.query('update deliveries set due_at = now() where delivery_number = $1', [first]);
  engine.deliverer.notify();
  await service.untilTries(first, 12);
  assert.equal((await service.delivery(first)).state, 'givenUp');
  await service.untilTries(second, 1);
});

const SCHEDULE_SECONDS = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test('a system that answers 500 is tried twelve times, ever more slowly, and then it is given up', async () => {
  await service.register('1', system.url);
  system.answer(500);
  const engine = service.startEngine({ isIdle: true });
  const [number = 0] = await service.write([{}]);
  const signal = new AbortController().signal;
  for (const [index, seconds] of SCHEDULE_SECONDS.entries()) {
    assert.equal(await engine.runDueOf('loja', signal), 1, `try ${index + 1}`);
    const { tries, state, millisecondsLeft } = await service.delivery(number);
    assert.deepEqual([tries, state], [index + 1, 'waiting']);
    const left = (millisecondsLeft ?? 0) / 1_000;
    assert.ok(left <= seconds && left > seconds - 30, `${left} s of ${seconds} s are left`);
    assert.equal(await engine.runDueOf('loja', signal), 0, 'nothing is due before');
    await service.pass(seconds * 1_000);
  }
  await engine.runDueOf('loja', signal);
  const { tries, state } = await service.delivery(number);
  assert.deepEqual([tries, state], [12, 'givenUp']);
  assert.equal(await engine.earliestDueOf('loja'), null);
  const reported = await service.auditor.query(
    'select status, failure from delivery_tries order by try_number',
  );
  assert.deepEqual(reported, Array(12).fill({ status: 500, failure: 'serverError' }));
  const ids = system.received.map(({ id }) => id);
  assert.deepEqual([ids.length, new Set(ids).size], [12, 1], 'each try has the same webhook-id');
});

test('a system that asks to be left alone for an hour is', async () => {
  await service.register('1', system.url);
  system.answer({ status: 503, headers: { 'retry-after': '3600' } });
  service.startEngine();
  const [number = 0] = await service.write([{}]);
  const { millisecondsLeft } = await service.untilTries(number, 1);
  assert.ok((millisecondsLeft ?? 0) > 3_500_000 && (millisecondsLeft ?? 0) <= 3_600_000);
});

test('a test is not tried again', async () => {
  await service.register('1', system.url);
  system.answer(500);
  service.startEngine();
  const [number = 0] = await service.write([{ kind: 'test' }]);
  assert.equal((await service.untilTries(number, 1)).state, 'givenUp');
});

test('what was written under a lease is sent at once by who wrote it', async () => {
  await service.register('1', system.url);
  const engine = service.startEngine({ isIdle: true });
  assert.equal(engine.deliverer.leaseForNow(), 0, 'another process sends it');
  await engine.work.runDue(new AbortController().signal);
  assert.equal(engine.deliverer.leaseForNow(), 30_000);
  const deliveries = await service.writeForNow([{ body: 'one' }, { body: 'two' }]);
  engine.deliverer.sendNow(deliveries);
  for (const { deliveryNumber } of deliveries) await service.untilTries(deliveryNumber, 1);
  assert.deepEqual(bodies().sort(), ['one', 'two']);
});

test('a target is called eight times at once at most, and one that hangs leaves slots to another', async () => {
  const slow = await openMerchantSystem('nothing');
  try {
    await service.register('1', slow.url);
    await service.register('2', system.url);
    const engine = service.startEngine();
    const forNow = await service.writeForNow(Array.from({ length: 40 }, () => ({ account: '1' })));
    await service.write(Array.from({ length: 40 }, () => ({ account: '1' })));
    engine.deliverer.sendNow(forNow);
    await until('the slow one has its eight', async () => slow.received.length >= 8);
    const numbers = await service.write(Array.from({ length: 20 }, () => ({ account: '2' })));
    engine.deliverer.notify();
    for (const number of numbers) await service.untilTries(number, 1);
    assert.equal(slow.received.length, 8);
    slow.answer(200);
    await until('all were told', async () => (await service.countIn('delivered', 'account:1')) === 80);
    assert.equal(slow.mostAtOnce(), 8);
  } finally {
    await slow.close();
  }
});

test('a process has sixty tries of one merchant under way at most, and keeps the other slots for others', async () => {
  system.answer('nothing');
  const accounts = Array.from({ length: 20 }, (_, index) => String(index));
  for (const account of accounts) await service.register(account, system.url);
  const engine = service.startEngine();
  const rows = accounts.flatMap((account) => Array.from({ length: 8 }, () => ({ account })));
  await service.write(rows);
  await until('the waiting ones have theirs', async () => system.received.length >= 24);
  engine.deliverer.sendNow(await service.writeForNow(rows));
  await until('all its slots are taken', async () => system.received.length >= 60);
  assert.equal(engine.deliverer.leaseForNow(), 30_000, 'what it has in line is in nobody else’s way');
  assert.equal(system.received.length, 60);
  system.answer(200);
  const left = async () =>
    (
      await service.auditor.query(
        `select from deliveries where state = 'waiting' and lease_expires_at is null`,
      )
    ).length;
  await until('all that waited were told', async () => (await left()) === 0);
  assert.equal(system.mostAtOnce(), 60);
});

test('the deliveries of a process that died are taken over, and it changes nothing when it comes back', async () => {
  await service.register('1', system.url);
  const stuck = Promise.withResolvers<void>();
  const first = service.startEngine({ isIdle: true, beforePost: () => stuck.promise });
  const [number = 0] = await service.write([{}]);
  const signal = new AbortController().signal;
  const running = first.runDueOf('loja', signal);
  await until('the first one holds it', async () => (await service.delivery(number)).fence === 1);
  const second = service.startEngine({ isIdle: true });
  assert.equal(await second.runDueOf('loja', signal), 0, 'it is leased');
  await service.auditor.query(`update deliveries set lease_expires_at = now() - interval '1 second'`);
  system.answer(500);
  assert.equal(await second.runDueOf('loja', signal), 1);
  const before = await service.delivery(number);
  assert.deepEqual([before.state, before.tries, before.fence], ['waiting', 1, 2]);
  // A third one is at it when the first comes back.
  await service.auditor.query(
    `update deliveries set fence = fence + 1, lease_expires_at = now() + interval '1 minute'`,
  );
  system.answer(200);
  stuck.resolve();
  await running;
  const afterwards = await service.delivery(number);
  assert.deepEqual([afterwards.state, afterwards.tries, afterwards.fence], ['waiting', 1, 3]);
  assert.deepEqual(first.outcomes, ['takenOver']);
});

test('two processes share the work, and each delivery is sent by one of them', async () => {
  await service.register('1', system.url);
  await service.register('2', system.url);
  const rows = Array.from({ length: 100 }, (_, index) => ({
    account: String(1 + (index % 2)),
    body: `${index}`,
  }));
  await service.write(rows);
  service.startEngine();
  service.startEngine();
  await until('all were told', async () => {
    const reported =
      (await service.countIn('delivered', 'account:1')) + (await service.countIn('delivered', 'account:2'));
    return reported === 100;
  });
  assert.equal(new Set(bodies()).size, 100);
  assert.equal(bodies().length, 100);
});
