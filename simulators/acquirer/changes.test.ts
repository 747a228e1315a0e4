import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { authorization, type RunningSimulator, startSimulator } from './running-simulator.ts';

const SOLD_AT = '2026-01-01T12:00:00.000Z';

/** So many days of 24 hours after the sale, and milliseconds. */
function after(days: number, milliseconds = 0): string {
  return new Date(Date.parse(SOLD_AT) + days * 86_400_000 + milliseconds).toISOString();
}

async function sell(simulator: RunningSimulator, reference: string, changed: object = {}): Promise<void> {
  const request = authorization(reference, { soldAt: SOLD_AT, ...changed });
  assert.equal((await simulator.post('/authorizations', request)).status, 200);
}

type Item = { changeId: string; reference: string; installmentNumber: number; type: string; at: string };

async function page(simulator: RunningSimulator, until: string, more = ''): Promise<Item[]> {
  const { status, body } = await simulator.get(`/changes?merchantId=M1&until=${until}${more}`);
  assert.equal(status, 200);
  return body.items as Item[];
}

const told = (items: readonly Item[]) =>
  items.map(({ reference, installmentNumber, type, at }) => [reference, installmentNumber, type, at]);

function book(simulator: RunningSimulator, type: string, at: string, reference = 'a', installmentNumber = 1) {
  return simulator.post('/changes', { merchantId: 'M1', reference, installmentNumber, type, at });
}

function takeBack(simulator: RunningSimulator, amount: unknown, type = 'chargeback') {
  const change = { merchantId: 'M1', reference: 'a', installmentNumber: 1, type, at: after(1), amount };
  return simulator.post('/changes', change);
}

test('installment n is settled at n times 30 days after the sale, to the millisecond', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { installments: 3 });
  assert.deepEqual(await page(simulator, after(30, -1)), []);
  assert.deepEqual(told(await page(simulator, after(30))), [['a', 1, 'settled', after(30)]]);
  assert.deepEqual(told(await page(simulator, after(90))), [
    ['a', 1, 'settled', after(30)],
    ['a', 2, 'settled', after(60)],
    ['a', 3, 'settled', after(90)],
  ]);
  assert.equal((await page(simulator, after(10_000))).length, 3, 'and nothing else happens');
});

test('what falls due is booked in order of time, then of reference and number, page by page', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'b', { installments: 2 });
  await sell(simulator, 'c', { soldAt: after(-30), installments: 2 });
  await sell(simulator, 'a', { installments: 2 });
  const expected = [
    ['c', 1, 'settled', after(0)],
    ['a', 1, 'settled', after(30)],
    ['b', 1, 'settled', after(30)],
    ['c', 2, 'settled', after(30)],
    ['a', 2, 'settled', after(60)],
    ['b', 2, 'settled', after(60)],
  ];
  const items: Item[] = [];
  let hasMore = true;
  for (let next = 0; hasMore; ) {
    const { body } = await simulator.get(`/changes?merchantId=M1&until=${after(60)}&after=${next}&limit=2`);
    items.push(...body.items);
    next = body.next;
    hasMore = body.hasMore;
  }
  assert.deepEqual(told(items), expected);
  assert.deepEqual(told(await page(simulator, after(60))), expected);
  assert.equal(new Set(items.map(({ changeId }) => changeId)).size, 6);
});

test('a sale without a time of its own is counted from when it was charged', async (t) => {
  const simulator = await startSimulator(t);
  const before = Date.now();
  await simulator.post('/authorizations', authorization('a'));
  assert.deepEqual(await page(simulator, new Date(before + 29 * 86_400_000).toISOString()), []);
  assert.equal((await page(simulator, new Date(Date.now() + 30 * 86_400_000).toISOString())).length, 1);
});

test('one merchant sees its own changes only, and without a merchant all are reported', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a');
  await sell(simulator, 'b', { merchantId: 'M2', soldAt: after(-1) });
  assert.deepEqual(told(await page(simulator, after(30))), [['a', 1, 'settled', after(30)]]);
  const { body } = await simulator.get(`/changes?until=${after(30)}`);
  assert.deepEqual(
    (body.items as (Item & { merchantId: string })[]).map((item) => [item.merchantId, item.reference]),
    [
      ['M1', 'a'],
      ['M2', 'b'],
    ],
  );
});

test('a look at the next change books nothing', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { installments: 2 });
  const next = async (until: string, cursor = 0) =>
    (await simulator.get(`/changes/next?merchantId=M1&until=${until}&after=${cursor}`)).body.at;
  assert.equal(await next(after(29)), null);
  assert.equal(await next(after(90)), after(30));
  assert.equal((await book(simulator, 'blocked', after(20))).status, 200);
  assert.equal(await next(after(90)), after(20));
  const [blocked] = await page(simulator, after(20));
  assert.equal(await next(after(90), Number(blocked?.changeId)), after(60));
});

test('what was voided, canceled, blocked or taken back is not settled', async (t) => {
  const simulator = await startSimulator(t);
  for (const reference of ['undone', 'canceled', 'blocked', 'takenBack', 'inPart'])
    await sell(simulator, reference, { amount: 1_000, installments: 3 });
  await simulator.post('/undos', { merchantId: 'M1', reference: 'undone' });
  const cancel = (reference: string, amount: number) =>
    simulator.post('/cancellations', {
      cancellationReference: reference,
      reference,
      merchantId: 'M1',
      amount,
    });
  await cancel('canceled', 1_000);
  await cancel('inPart', 334);
  await book(simulator, 'blocked', after(1), 'blocked', 2);
  await book(simulator, 'chargeback', after(1), 'takenBack', 2);
  // Cancellations have the acquirer's own time, which is later than that of these sales.
  const settled = (await page(simulator, '2099-01-01T00:00:00Z'))
    .filter(({ type }) => type === 'settled')
    .map(({ reference, installmentNumber }) => `${reference} ${installmentNumber}`);
  assert.deepEqual(settled.sort(), [
    'blocked 1',
    'blocked 3',
    'inPart 1',
    'inPart 2',
    'takenBack 1',
    'takenBack 3',
  ]);
});

test('a block that outlasts the day of settlement puts it off to its end', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { installments: 2 });
  await book(simulator, 'blocked', after(10));
  assert.equal((await page(simulator, after(40))).length, 1);
  await book(simulator, 'unblocked', after(45));
  await book(simulator, 'blocked', after(50), 'a', 2);
  await book(simulator, 'unblocked', after(55), 'a', 2);
  assert.deepEqual(told(await page(simulator, after(60))), [
    ['a', 1, 'blocked', after(10)],
    ['a', 1, 'unblocked', after(45)],
    ['a', 1, 'settled', after(45)],
    ['a', 2, 'blocked', after(50)],
    ['a', 2, 'unblocked', after(55)],
    ['a', 2, 'settled', after(60)],
  ]);
});

test('what cannot happen to an installment is not booked', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { installments: 2 });
  const statuses = async (...types: string[]) => {
    const answers: number[] = [];
    for (const type of types) answers.push((await book(simulator, type, after(1))).status);
    return answers;
  };
  assert.deepEqual(await statuses('unblocked', 'settled', 'settled', 'unblocked'), [409, 200, 409, 409]);
  assert.deepEqual(await statuses('blocked', 'blocked', 'chargeback'), [200, 409, 200]);
  assert.deepEqual(await statuses('settled', 'blocked', 'unblocked', 'chargeback'), [409, 409, 409, 409]);
  assert.equal((await book(simulator, 'settled', after(1), 'a', 3)).status, 404);
  assert.equal((await book(simulator, 'settled', after(1), 'nobody')).status, 404);
  assert.deepEqual((await book(simulator, 'refunded', after(1))).body, { error: 'malformed', field: 'type' });
  assert.equal((await page(simulator, after(1))).length, 3);
});

test('a chargeback takes its installment off what can be canceled', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { amount: 1_000, installments: 3 });
  await book(simulator, 'chargeback', after(1), 'a', 2);
  const cancel = async (cancellationReference: string, amount: number) =>
    (
      await simulator.post('/cancellations', {
        cancellationReference,
        reference: 'a',
        merchantId: 'M1',
        amount,
      })
    ).body.outcome;
  assert.equal(await cancel('c1', 668), 'refused');
  assert.equal(await cancel('c2', 667), 'canceled');
  const { body } = await simulator.get('/ledger?merchantId=M1&reference=a');
  assert.deepEqual([body.items[0].canceledAmount, body.items[0].status], [1_000, 'canceled']);
});

test('every change that was reported outlives kill -9, and none is reported differently after', async (t) => {
  const data = temporaryFolder(t);
  const first = await startSimulator(t, { data });
  for (const reference of ['a', 'b', 'c']) await sell(first, reference, { installments: 4 });
  await book(first, 'blocked', after(10));
  await page(first, after(40));
  await book(first, 'unblocked', after(45));
  const before = await page(first, after(70));
  const nextOf = async (simulator: RunningSimulator) =>
    (await simulator.get(`/changes/next?merchantId=M1&until=${after(500)}&after=${before.at(-1)?.changeId}`))
      .body;
  const next = await nextOf(first);
  await first.end('SIGKILL');
  const second = await startSimulator(t, { data });
  assert.deepEqual(await nextOf(second), next);
  const later = await page(second, after(200));
  assert.deepEqual(later.slice(0, before.length), before);
  assert.equal(later.filter(({ type }) => type === 'settled').length, 12);
});

test('a chargeback of a part leaves the rest, which is settled and taken back in its turn', async (t) => {
  const data = temporaryFolder(t);
  const simulator = await startSimulator(t, { data });
  await sell(simulator, 'a', { amount: 1_000, installments: 2 });
  assert.equal((await takeBack(simulator, 501)).status, 409, 'no more than is left');
  assert.equal((await takeBack(simulator, 100)).body.amount, 100);
  assert.equal((await takeBack(simulator, null)).body.amount, 400);
  assert.equal((await takeBack(simulator, 1)).status, 409, 'nothing is left');
  const read = async (running: RunningSimulator) =>
    (await running.get('/ledger?merchantId=M1')).body.items[0];
  assert.deepEqual(
    [(await read(simulator)).canceledAmount, (await read(simulator)).status],
    [500, 'approved'],
  );
  await simulator.end('SIGTERM');
  const again = await startSimulator(t, { data });
  assert.equal((await read(again)).canceledAmount, 500, 'a start reads the parts back');
  assert.deepEqual(told(await page(again, after(90))).slice(-1), [['a', 2, 'settled', after(60)]]);
});

test('only a chargeback has an amount', async (t) => {
  const simulator = await startSimulator(t);
  await sell(simulator, 'a', { amount: 1_000 });
  for (const [amount, type] of [
    [0, 'chargeback'],
    [1.5, 'chargeback'],
    ['1', 'chargeback'],
    [1, 'settled'],
  ] as const) {
    const { status, body } = await takeBack(simulator, amount, type);
    assert.deepEqual([status, body], [400, { error: 'malformed', field: 'amount' }]);
  }
});
