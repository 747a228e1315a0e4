import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DISPATCH, type DispatchLimits } from './dispatch-policy.ts';
import type { Dispatched } from './dispatched.ts';
import { Dispatcher } from './dispatcher.ts';
import { openOutageWatch } from './outage-watch.ts';
import { createWakeSignal } from './wake-signal.ts';

type Task = { readonly merchantId: string; readonly endpoint: string; readonly number: number };

const task = (number: number, merchantId = 'shop', endpoint = `account:${number}`): Task => ({
  merchantId,
  endpoint,
  number,
});

const lane = { slots: 2, ofMerchant: 2, ofMerchantAlone: 2, slow: 0, queued: 3 };
/** Two slots for claimed tasks, two for tasks written now, three in all; three more of either may wait. */
const SMALL: DispatchLimits = {
  slots: 3,
  ofEndpoint: 1,
  claimed: lane,
  now: lane,
  atOnce: 5,
  longLineMilliseconds: Infinity,
  longestWaitMilliseconds: 60_000,
};

function openDispatcher(options: Partial<Dispatched<Task, string>> = {}) {
  const due: Task[] = [];
  const begun: number[] = [];
  const recorded: number[] = [];
  const handedBack: number[] = [];
  const limits: number[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const step = (name: string) =>
    new Promise<void>((resolve, reject) => {
      ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
    });
  const dispatcher = new Dispatcher<Task, string>({
    name: 'test',
    limits: SMALL,
    wakeSignal: createWakeSignal(),
    async claim(limit) {
      limits.push(limit);
      const tasks = due.splice(0, limit);
      return { tasks, isEnd: tasks.length < limit };
    },
    async send({ number }, _, asking) {
      begun.push(number);
      await asking(step(`send ${number}`));
      return 'sent';
    },
    async record({ number }) {
      await step(`record ${number}`);
      recorded.push(number);
    },
    async handBack(tasks) {
      handedBack.push(...tasks.map(({ number }) => number));
    },
    piece: { name: 'test', text: '' },
    ...options,
  });
  const end = async (...names: string[]) => {
    for (const name of names) {
      const ended = ends.get(name);
      assert.ok(ended, `${name} has begun`);
      ended();
      await turn();
    }
  };
  const fail = async (name: string, error: Error) => {
    ends.get(name)?.(error);
    await turn();
  };
  return { dispatcher, due, begun, recorded, handedBack, limits, end, fail };
}

const running = () => new AbortController();

test('a free slot takes what waits at once, a slow one holds nothing but its own slot', async () => {
  const { dispatcher, due, begun, limits, end } = openDispatcher();
  due.push(task(1), task(2), task(3), task(4));
  assert.equal(await dispatcher.runDue(running().signal), 4);
  assert.deepEqual([begun, limits], [[1, 2], [5]]);
  await end('send 2', 'record 2', 'send 3', 'record 3');
  assert.deepEqual(begun, [1, 2, 3, 4]);
});

test('a slot is free when the message is taken, where its record keeps nothing waiting', async () => {
  const { dispatcher, due, begun, recorded, end } = openDispatcher({
    isFreeWhenSent: ({ number }) => number === 1,
  });
  due.push(task(1), task(2), task(3), task(4));
  await dispatcher.runDue(running().signal);
  await end('send 1', 'send 2');
  assert.deepEqual([begun, recorded], [[1, 2, 3], []]);
  assert.deepEqual(
    dispatcher.inHand().map(({ number }) => number),
    [2, 3, 4],
  );
  await end('record 1');
  assert.deepEqual(recorded, [1]);
});

test('once a run is stopped nothing that waits begins, until the next run', async () => {
  const { dispatcher, due, begun, end } = openDispatcher();
  due.push(task(1), task(2), task(3));
  const first = running();
  await dispatcher.runDue(first.signal);
  first.abort();
  await end('send 1', 'record 1');
  assert.deepEqual(begun, [1, 2]);
  await dispatcher.runDue(running().signal);
  assert.deepEqual(begun, [1, 2, 3]);
});

test('what was claimed under a lease and cannot wait begins although the run is stopped meanwhile', async () => {
  const stopping = running();
  const { dispatcher, begun } = openDispatcher({
    limits: DISPATCH.unresolvedCharges,
    async claim() {
      stopping.abort();
      return { tasks: [task(1)], isEnd: true };
    },
  });
  await dispatcher.runDue(stopping.signal);
  assert.deepEqual(begun, [1]);
});

test('want of free slots ends a run, and the end of a task wakes the next one', async () => {
  const { dispatcher, due, begun, limits, end } = openDispatcher({
    limits: { ...SMALL, claimed: { ...lane, queued: 0 } },
  });
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  assert.deepEqual([begun, limits], [[1, 2], [2]]);
  assert.equal(dispatcher.millisecondsUntilDue(7), null, 'it need not look before a slot is free');
  const before = dispatcher.wakeSignal.count();
  await end('send 1', 'record 1');
  assert.ok(dispatcher.wakeSignal.count() > before);
  await dispatcher.runDue(running().signal);
  assert.deepEqual(begun, [1, 2, 3]);
  assert.equal(dispatcher.millisecondsUntilDue(7), null);
});

test('while the other side is away one is asked at a time, and its return pulls forward what waits for long', async () => {
  const pulled: number[] = [];
  const limits = { unresolvedInRow: 1, probePauseMilliseconds: 0, returnPauseMilliseconds: 0 };
  const outage = openOutageWatch(
    limits,
    () => ['default'],
    () => {},
  );
  outage.observe(false, { merchantId: 'shop', provider: 'default' });
  outage.observe(false, { merchantId: 'other', provider: 'default' });
  const { dispatcher, due, begun, end } = openDispatcher({
    limits: DISPATCH.unresolvedCharges,
    outage,
    async pullForward(limit) {
      pulled.push(limit);
      return pulled.length === 1 ? limit : 0;
    },
  });
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  assert.deepEqual([begun, pulled], [[1], []]);
  outage.observe(true, { merchantId: 'shop', provider: 'default' });
  await end('send 1', 'record 1');
  await dispatcher.runDue(running().signal);
  assert.deepEqual([begun, pulled], [[1, 2, 3], [1_000]]);
  await dispatcher.runDue(running().signal);
  await dispatcher.runDue(running().signal);
  assert.deepEqual(pulled, [1_000, 1_000], 'one statement for each claim, until nothing waits any more');
});

test('where look-ups are answered, and what is sent behind them is not, all slots are taken as ever', async () => {
  const asked = { merchantId: 'silent', provider: 'default' };
  const outage = openOutageWatch(
    { unresolvedInRow: 1, probePauseMilliseconds: 60_000, returnPauseMilliseconds: 0 },
    () => ['default'],
    () => {},
  );
  outage.observePart('one', asked);
  const { dispatcher, due, begun } = openDispatcher({ limits: DISPATCH.unresolvedCharges, outage });
  due.push(task(1, 'silent'), task(2, 'shop'), task(3, 'other'));
  await dispatcher.runDue(running().signal);
  assert.deepEqual([outage.isAway('default'), begun], [true, [1, 2, 3]]);
});

test('while only one merchant is not answered its tasks begin one at a time, and all others', async () => {
  const outage = openOutageWatch(
    { unresolvedInRow: 1, probePauseMilliseconds: 0, returnPauseMilliseconds: 0 },
    () => ['default'],
    () => {},
  );
  outage.observe(false, { merchantId: 'silent', provider: 'default' });
  const { dispatcher, due, begun } = openDispatcher({
    limits: {
      ...SMALL,
      slots: 9,
      claimed: { slots: 9, ofMerchant: 9, ofMerchantAlone: 9, slow: 0, queued: 9 },
    },
    outage,
    piece: { name: 'test', text: '' },
    pieceValues: (passedOver) => [passedOver],
  });
  due.push(task(1, 'silent'), task(2, 'silent'), task(3, 'shop'), task(4, 'other'));
  await dispatcher.runDue(running().signal);
  assert.deepEqual(begun, [1, 3, 4]);
  assert.equal(dispatcher.millisecondsUntilDue(7), 7);
  assert.deepEqual(dispatcher.look.values?.(), [['silent']]);
});

test('what is written now has slots of its own; what finds none free is handed back', async () => {
  const { dispatcher, due, begun, handedBack, end } = openDispatcher();
  due.push(task(1), task(2));
  assert.equal(dispatcher.capacityForNow(), 0, 'it is run elsewhere, if at all');
  await dispatcher.runDue(running().signal);
  assert.equal(dispatcher.capacityForNow(), 1);
  dispatcher.sendNow([11, 12, 13, 14, 15].map((number) => task(number)));
  assert.deepEqual(
    [begun, handedBack],
    [
      [1, 2, 11],
      [14, 15],
    ],
  );
  assert.equal(dispatcher.capacityForNow(), 0);
  await end('send 1', 'record 1');
  assert.deepEqual(begun, [1, 2, 11, 12]);
});

test('an endpoint that has begun to fail gets nothing of what waits, unless it was claimed knowing that', async () => {
  const troubled = new Set(['known']);
  const { dispatcher, due, begun, handedBack, end } = openDispatcher({
    isUnwanted: ({ endpoint }) => troubled.has(endpoint),
  });
  due.push(task(1), task(2), task(3, 'shop', 'soon'), task(4, 'shop', 'known'));
  await dispatcher.runDue(running().signal);
  troubled.add('soon');
  await end('send 1', 'record 1');
  assert.deepEqual([begun, handedBack], [[1, 2, 4], [3]]);
});

test('a probe goes before what waits', async () => {
  const { dispatcher, due, begun } = openDispatcher({ isProbe: ({ number }) => number === 3 });
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  assert.deepEqual(begun, [3, 1]);
});

test('a jump claims in its turn and begins beside the slots, before anything else does', async () => {
  const { dispatcher, due, begun, end } = openDispatcher();
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  const claimed = Promise.withResolvers<{ tasks: Task[] }>();
  const aside = dispatcher.sendAside(() => claimed.promise, 2);
  await end('send 1', 'record 1');
  assert.deepEqual(begun, [1, 2], 'the free slot waits for what the jump claims');
  claimed.resolve({ tasks: [task(21), task(22), task(23)] });
  await turn();
  assert.deepEqual(begun, [1, 2, 21, 22, 3]);
  await end('send 21', 'record 21', 'send 22', 'record 22', 'send 23', 'record 23');
  assert.equal((await aside).tasks.length, 3);
});

test('an error of a task is thrown by the next run, once, and keeps nothing else from being sent', async () => {
  const { dispatcher, due, begun, fail } = openDispatcher();
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  await fail('send 1', new Error('away'));
  assert.deepEqual(begun, [1, 2, 3]);
  await assert.rejects(dispatcher.runDue(running().signal), /away/);
  assert.equal(await dispatcher.runDue(running().signal), 0);
});

test('the end hands back what waits, waits for what is under way, and takes nothing more', async () => {
  const { dispatcher, due, begun, recorded, handedBack, end } = openDispatcher();
  due.push(task(1), task(2), task(3));
  await dispatcher.runDue(running().signal);
  dispatcher.sendNow([task(11), task(12)]);
  const finished = dispatcher.finish();
  assert.deepEqual(handedBack, [12, 3]);
  await end('send 1', 'record 1', 'send 2', 'record 2', 'send 11');
  dispatcher.sendNow([task(13)]);
  assert.equal(dispatcher.capacityForNow(), 0);
  assert.equal(await Promise.race([finished.then(() => 'finished'), turn('under way')]), 'under way');
  await end('record 11');
  await finished;
  assert.deepEqual(
    [begun, recorded],
    [
      [1, 2, 11],
      [1, 2, 11],
    ],
  );
});

test('the end waits no longer than it may', async () => {
  const { dispatcher, due } = openDispatcher({ stopMilliseconds: 1 });
  due.push(task(1));
  await dispatcher.runDue(running().signal);
  await dispatcher.finish();
});

test('a place is free when the message is taken, also for what is written now and still to be recorded', async () => {
  const { dispatcher, begun, recorded, end } = openDispatcher({ isFreeWhenSent: () => true });
  dispatcher.sendNow([task(1, 'shop', 'account:1'), task(2, 'shop', 'account:1')]);
  await turn();
  assert.deepEqual(begun, [1]);
  await end('send 1');
  assert.deepEqual([begun, recorded], [[1, 2], []]);
  assert.equal(dispatcher.isBusyAt(task(9, 'shop', 'account:1')), true);
  await end('send 2');
  assert.equal(dispatcher.isBusyAt(task(9, 'shop', 'account:1')), false);
  await end('record 1', 'record 2');
});

test('what stands in line for a full place or a busy merchant takes no slot from others', async () => {
  const lane = { slots: 4, ofMerchant: 3, ofMerchantAlone: 3, slow: 0, queued: 8 };
  const limits = { ...SMALL, slots: 8, ofEndpoint: 1, claimed: lane, now: lane };
  const { dispatcher, begun, handedBack } = openDispatcher({ limits });
  await dispatcher.runDue(running().signal);
  dispatcher.sendNow([1, 2, 3, 4, 5].map((number) => task(number, 'shop', 'hanging')));
  assert.equal(dispatcher.capacityForNow(), 3, 'four wait for one endpoint, and three slots are free');
  dispatcher.sendNow([6, 7].map((number) => task(number, 'shop', `hanging too ${number}`)));
  dispatcher.sendNow([task(8, 'shop', 'over its share')]);
  assert.equal(dispatcher.capacityForNow(), 1, 'the merchant has its share; the last slot is for others');
  dispatcher.sendNow([task(9, 'other', 'well')]);
  assert.deepEqual([begun, handedBack], [[1, 6, 7, 9], []]);
  assert.equal(dispatcher.capacityForNow(), 0);
  dispatcher.sendNow([10, 11].map((number) => task(number, 'shop', 'hanging')));
  assert.deepEqual(handedBack, [11], 'at most half of the line and one more stand for one place');
});

test('what waits long for its answer leaves its slot to others at once, up to a limit, until it has one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lane = { slots: 2, ofMerchant: 2, ofMerchantAlone: 2, slow: 3, queued: 8 };
  const { dispatcher, begun, end } = openDispatcher({
    limits: { ...SMALL, slots: 4, claimed: lane, now: lane },
  });
  const longPasses = () => {
    t.mock.timers.tick(250);
    return turn();
  };
  await dispatcher.runDue(running().signal);
  dispatcher.sendNow([1, 2, 3].map((number) => task(number, 'one', `hanging ${number}`)));
  dispatcher.sendNow([4, 5].map((number) => task(number, 'two', `hanging ${number}`)));
  assert.deepEqual([begun, dispatcher.capacityForNow()], [[1, 2], 0]);
  await longPasses();
  assert.deepEqual(begun, [1, 2, 4, 5], 'it still counts for its merchant');
  await longPasses();
  assert.equal(dispatcher.capacityForNow(), 1, 'three are the most that hold none');
  dispatcher.sendNow([task(6, 'three'), task(7, 'three'), task(8, 'four')]);
  assert.deepEqual(begun, [1, 2, 4, 5, 6]);
  await end('send 1', 'send 2');
  await end('record 1');
  assert.equal(begun.length, 5, 'what is answered and still recorded holds a slot');
  await end('record 2');
  assert.deepEqual(begun, [1, 2, 4, 5, 6, 3]);
});

test('what was answered while the process stood still, and what does not ask yet, holds its slot', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lane = { slots: 2, ofMerchant: 9, ofMerchantAlone: 9, slow: 3, queued: 8 };
  const limits = { ...SMALL, slots: 2, claimed: lane, now: lane };
  const { dispatcher, begun, end } = openDispatcher({ limits });
  const readsOnly = openDispatcher({ limits, send: () => new Promise(() => {}) });
  await dispatcher.runDue(running().signal);
  await readsOnly.dispatcher.runDue(running().signal);
  dispatcher.sendNow([task(1), task(2), task(3)]);
  readsOnly.dispatcher.sendNow([task(1), task(2)]);
  t.mock.timers.tick(60_000);
  await Promise.all([end('send 1'), end('send 2')]);
  assert.deepEqual([begun, readsOnly.dispatcher.capacityForNow()], [[1, 2], 0]);
});

test('what is not answered fills the line of what was claimed for nobody else, and no more is in hand', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lane = { slots: 4, ofMerchant: 3, ofMerchantAlone: 3, slow: 8, queued: 28 };
  const { dispatcher, due, begun, handedBack, limits } = openDispatcher({
    limits: { ...SMALL, slots: 4, claimed: lane, now: lane, atOnce: 32, longLineMilliseconds: 0 },
  });
  const tasks = (from: number, count: number, merchantId: string) =>
    Array.from({ length: count }, (_, index) => task(from + index, merchantId));
  due.push(...tasks(100, 20, 'one'), ...tasks(200, 12, 'two'), ...tasks(300, 2, 'well'));
  await dispatcher.runDue(running().signal);
  assert.deepEqual([dispatcher.inHand().length, due.length], [32, 2]);
  const wakes = dispatcher.wakeSignal.count();
  for (let times = 0; times < 2; times += 1) {
    t.mock.timers.tick(250);
    await turn();
  }
  assert.deepEqual(begun, [100, 200, 101, 201, 102, 202]);
  assert.ok(dispatcher.wakeSignal.count() > wakes, 'the next run comes at once');
  const inHand = () => dispatcher.claimedOf(100).map(({ merchantId, underWay }) => [merchantId, underWay]);
  const before = [
    ['one', 20],
    ['two', 12],
  ];
  assert.deepEqual(inHand(), before);
  await dispatcher.runDue(running().signal);
  assert.deepEqual(begun.slice(6), [300, 301]);
  assert.deepEqual(handedBack.length, 20 - 3 - 8 + (12 - 3 - 8), 'a few of each still wait');
  assert.deepEqual(limits, [32, 32 - 6 - 16]);
  assert.deepEqual(
    inHand(),
    [
      ['one', 100],
      ['two', 100],
      ['well', 2],
    ],
    'no more are claimed for those',
  );
});

test('the line of what is written now is no longer for all full places than it may be', async () => {
  const lane = { slots: 8, ofMerchant: 8, ofMerchantAlone: 8, slow: 0, queued: 4 };
  const { dispatcher, begun, handedBack } = openDispatcher({
    limits: { ...SMALL, slots: 9, claimed: lane, now: lane },
  });
  await dispatcher.runDue(running().signal);
  for (let place = 0; place < 6; place += 1)
    for (const numbers of [[0, 1, 2], [3]])
      dispatcher.sendNow(numbers.map((number) => task(10 * place + number, `m${place}`, 'hanging')));
  assert.deepEqual(
    [begun, handedBack],
    [
      [0, 10, 20, 30, 40, 50],
      [41, 42, 51, 52],
    ],
  );
  dispatcher.sendNow([task(60, 'well')]);
  assert.deepEqual(begun.slice(6), [60]);
});

test('what waits for too long is handed back although no slot is free', async () => {
  const limits = { ...SMALL, longestWaitMilliseconds: 0 };
  const { dispatcher, due, handedBack } = openDispatcher({ limits });
  // Tasks that begin at once do not wait.
  const ofShop = { ...SMALL.claimed, queued: 0 };
  const eager = openDispatcher({ limits: { ...limits, claimed: ofShop } });
  eager.due.push(task(1), task(2));
  await eager.dispatcher.runDue(running().signal);
  eager.dispatcher.sendNow([task(3), task(4)]);
  await turn();
  assert.deepEqual(eager.handedBack, [3, 4]);
  await eager.end('send 1', 'record 1', 'send 2', 'record 2');
  due.push(task(1));
  await dispatcher.runDue(running().signal);
  await turn();
  assert.deepEqual(handedBack, [1]);
});

test('an aborted jump begins nothing, and one error of a jump keeps no other from being tried', async () => {
  const { dispatcher, begun, end, fail } = openDispatcher();
  const aborted = AbortSignal.abort();
  await dispatcher.sendAside(async () => ({ tasks: [task(1), task(2)] }), 2, aborted);
  assert.deepEqual(begun, []);
  const jump = dispatcher.sendAside(async () => ({ tasks: [task(3), task(4), task(5)] }), 1);
  const rejected = assert.rejects(jump, /the third/);
  await turn();
  await fail('send 3', new Error('the third'));
  await end('send 4', 'record 4', 'send 5', 'record 5');
  await rejected;
  assert.deepEqual(begun, [3, 4, 5]);
});
