import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Chooser, countPlaces, FairQueue, placeKey } from './fair-queue.ts';

type Task = { readonly merchantId: string; readonly endpoint: string; readonly number: number };

const LATER = 1_000;

function task(number: number, merchantId = 'shop', endpoint = 'account:1'): Task {
  return { merchantId, endpoint, number };
}

function queueOf(tasks: readonly Task[], ofMerchant = 100, ofMerchantAlone = ofMerchant) {
  const queue = new FairQueue<Task>({ ofMerchant, ofMerchantAlone, slow: 0 });
  for (const one of tasks) queue.add(one, LATER);
  return queue;
}

/** Takes until none may begin, with `ofEndpoint` slots at each endpoint; gives the numbers in order. */
function takeAll(
  queue: FairQueue<Task>,
  {
    ofEndpoint = 100,
    now = 0,
    isUnwanted = () => false,
  }: Partial<Chooser<Task>> & { ofEndpoint?: number } = {},
): number[] {
  const hasCapacityAt = (one: Task) =>
    [...queue.underWay].filter((other) => placeKey(other) === placeKey(one)).length < ofEndpoint;
  const taken: number[] = [];
  for (let one = queue.take({ now, hasCapacityAt, isUnwanted }); one !== null; ) {
    taken.push(one.number);
    one = queue.take({ now, hasCapacityAt, isUnwanted });
  }
  return taken;
}

const numbers = (tasks: readonly Task[]) => tasks.map(({ number }) => number);

test('of one merchant the first that came is the first to begin', () => {
  const queue = queueOf([task(1), task(2), task(3)]);
  assert.deepEqual(takeAll(queue), [1, 2, 3]);
  assert.equal(queue.length, 0);
});

test('merchants take turns, however many tasks one of them has', () => {
  const giant = [1, 2, 3, 4, 5].map((number) => task(number, 'giant'));
  const queue = queueOf([...giant, task(6, 'small'), task(7, 'other')]);
  assert.deepEqual(takeAll(queue), [1, 6, 7, 2, 3, 4, 5]);
});

test('an endpoint or a merchant without a free slot is passed over, and keeps its place', () => {
  const queue = queueOf(
    [task(1), task(2), task(3, 'shop', 'account:2'), task(4, 'shop', 'account:3'), task(5, 'other')],
    2,
  );
  assert.deepEqual(takeAll(queue, { ofEndpoint: 1 }), [1, 5, 3]);
  assert.deepEqual(numbers(queue.waiting()), [2, 4]);
  const [first] = queue.underWay;
  assert.ok(first !== undefined && queue.end(first));
  assert.deepEqual(takeAll(queue, { ofEndpoint: 1 }), [2]);
});

test('a merchant may have more than its share only while no other can be served', () => {
  const giant = [1, 2, 3, 4].map((number) => task(number, 'giant'));
  assert.deepEqual(takeAll(queueOf([...giant, task(5, 'small')], 2, 3)), [1, 5, 2, 3]);
  assert.deepEqual(takeAll(queueOf(giant, 2, 2)), [1, 2]);
});

test('what ends twice is counted once', () => {
  const one = task(1);
  const queue = queueOf([task(2), task(3)], 1);
  queue.begin(one);
  assert.deepEqual(takeAll(queue), []);
  assert.equal(queue.end(one), true);
  assert.equal(queue.end(one), false);
  assert.deepEqual(takeAll(queue), [2]);
});

test('a probe goes before the tasks of all merchants', () => {
  const queue = queueOf([task(1), task(2, 'other')]);
  queue.addFirst(task(3, 'shop', 'account:2'), LATER);
  queue.addFirst(task(4, 'third'), LATER);
  assert.deepEqual(takeAll(queue), [4, 3, 2, 1]);
});

test('what has waited too long, or whose endpoint has begun to fail, is not begun', () => {
  const queue = queueOf([task(2, 'shop', 'failing'), task(4)]);
  queue.add(task(1), 50);
  queue.add(task(3, 'shop', 'failing'), LATER, { isExempt: true });
  const isUnwanted = ({ endpoint }: Task) => endpoint === 'failing';
  assert.deepEqual(takeAll(queue, { now: 50, isUnwanted }), [4, 3]);
  assert.deepEqual(numbers(queue.takeExpired()), [2, 1]);
  assert.deepEqual([queue.length, queue.takeExpired()], [0, []]);
});

test('emptied, it gives everything and holds nothing', () => {
  const queue = queueOf([task(1), task(2, 'other')]);
  assert.deepEqual(numbers(queue.empty()), [1, 2]);
  assert.equal(queue.length, 0);
});

test('places are counted together by merchant and endpoint', () => {
  assert.deepEqual(countPlaces([task(1), task(2), task(3, 'other'), { merchantId: 'shop' }]), [
    { merchantId: 'shop', endpoint: 'account:1', underWay: 2 },
    { merchantId: 'other', endpoint: 'account:1', underWay: 1 },
    { merchantId: 'shop', endpoint: '', underWay: 1 },
  ]);
});

const TASKS = fc
  .array(
    fc.record({ merchantId: fc.constantFrom('a', 'b', 'c'), endpoint: fc.constantFrom('1', '2', '3') }),
    {
      maxLength: 60,
    },
  )
  .map((places) => places.map((place, number) => ({ ...place, number })));

test('whatever waits: nothing is lost, shares are kept, and what may begin does', () => {
  fc.assert(
    fc.property(
      TASKS,
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 6 }),
      (tasks, ofMerchant, ofEndpoint) => {
        const queue = queueOf(tasks, ofMerchant);
        const taken = takeAll(queue, { ofEndpoint });
        const waiting = queue.waiting();
        assert.equal(queue.length, waiting.length);
        assert.deepEqual(
          [...taken, ...numbers(waiting)].toSorted((a, b) => a - b),
          numbers(tasks),
        );
        const underWay = [...queue.underWay];
        const ofPlace = new Map(countPlaces(underWay).map((busy) => [placeKey(busy), busy.underWay]));
        const of = (merchantId: string) => underWay.filter((one) => one.merchantId === merchantId).length;
        for (const count of ofPlace.values()) assert.ok(count <= ofEndpoint);
        for (const one of underWay) assert.ok(of(one.merchantId) <= ofMerchant);
        for (const one of waiting)
          assert.ok(of(one.merchantId) === ofMerchant || ofPlace.get(placeKey(one)) === ofEndpoint);
      },
    ),
  );
});

test('whatever waits: while two merchants may begin, neither begins twice before the other begins once', () => {
  fc.assert(
    fc.property(TASKS, (tasks) => {
      const order = takeAll(queueOf(tasks)).map((number) => tasks[number] as Task);
      const left = new Map<string, number>();
      for (const { merchantId } of tasks) left.set(merchantId, (left.get(merchantId) ?? 0) + 1);
      const lastAt = new Map<string, number>();
      for (const [at, { merchantId }] of order.entries()) {
        const before = lastAt.get(merchantId);
        if (before !== undefined)
          for (const [other, count] of left)
            if (other !== merchantId && count > 0) assert.ok((lastAt.get(other) ?? -1) > before);
        left.set(merchantId, (left.get(merchantId) ?? 0) - 1);
        lastAt.set(merchantId, at);
      }
    }),
  );
});
