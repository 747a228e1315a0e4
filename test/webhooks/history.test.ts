import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { instant, saoPauloDay } from '../../src/values/instant.ts';
import { DELIVERY_STATES, type DeliveryState, deliveryId } from '../../src/webhooks/deliveries/delivery.ts';
import { listRecordedDeliveries } from '../../src/webhooks/history/recorded-deliveries.sql.ts';
import { DELIVERY_FIELDS } from '../../src/webhooks/history/recorded-delivery.ts';
import {
  daysAgo,
  deliveryRow,
  FOREIGN_ACCOUNT,
  FOREIGN_MERCHANT,
  type HistoryService,
  openHistoryService,
  plantDelivery,
  plantEndpoint,
} from './history-service.ts';

let service: HistoryService;

before(async () => {
  service = await openHistoryService();
  await plantEndpoint(service, service.accountNumber, 'https://loja.example/webhooks', { state: 'disabled' });
});
after(() => service.close());

const LIST = '/api/webhooks/deliveries';
const list = (query: Record<string, string>, ask = service.ask) =>
  ask(`${LIST}?${new URLSearchParams(query)}`);
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

/** An account that no other test looks at, so that totals are exact. */
async function newAccount(merchantId = service.merchantId): Promise<string> {
  const accountNumber = `9${Math.random().toString().slice(2, 12)}`;
  await service.auditor.query(
    `insert into accounts (merchant_id, account_number, position)
     select merchant_id, $2, max(position) + 1 from accounts where merchant_id = $1 group by merchant_id`,
    [merchantId, accountNumber],
  );
  return accountNumber;
}

test('an account sees its deliveries newest first, each as it stands, and no other account’s', async () => {
  const accountNumber = await newAccount();
  await plantEndpoint(service, accountNumber, 'https://loja.example/a?b=c', { state: 'disabled' });
  const moment = new Date('2026-11-20T13:00:00.123Z');
  const transactionId = randomUUID();
  const waiting = await plantDelivery(service, accountNumber, {
    state: 'waiting',
    transaction_id: transactionId,
    installment_number: 2,
    nsu: '77',
    tries: 3,
    created_at: moment,
    due_at: new Date('2026-11-20T15:00:00Z'),
  });
  const callback = await plantDelivery(service, accountNumber, {
    kind: 'callback',
    endpoint: 'origin:https://loja.example',
    url: 'https://loja.example/retorno',
    installment_number: 0,
    nsu: null,
    created_at: moment,
    ended_at: new Date('2026-11-20T13:00:05Z'),
  });
  const given = await plantDelivery(service, accountNumber, {
    state: 'givenUp',
    created_at: new Date('2026-11-21T13:00:00Z'),
  });
  await plantDelivery(service, service.accountNumber);
  const { status, body } = await list({ accountNumber, from: '2026-11-01', to: '2026-11-30' });
  assert.equal(status, 200);
  assert.deepEqual(
    { ...body, items: idsOf(body.items) },
    {
      items: [given, callback, waiting],
      page: 1,
      limit: 20,
      total: 3,
    },
  );
  const row = await deliveryRow(service, waiting);
  assert.deepEqual(body.items[2], {
    id: waiting,
    kind: 'Movement',
    movementId: Number(row.delivery_number),
    nsu: '77',
    installmentNumber: 2,
    paymentId: transactionId,
    noticeOf: null,
    url: 'https://loja.example/a?b=c',
    status: 'Waiting',
    createdAt: '2026-11-20T10:00:00.123-03:00',
    nextTryAt: '2026-11-20T12:00:00.000-03:00',
    endedAt: null,
    tries: 3,
  });
  const { kind, movementId, nsu, installmentNumber, url, nextTryAt, endedAt } = body.items[1];
  assert.deepEqual(
    { kind, movementId, nsu, installmentNumber, url, nextTryAt, endedAt },
    {
      kind: 'Callback',
      movementId: null,
      nsu: null,
      installmentNumber: null,
      url: 'https://loja.example/retorno',
      nextTryAt: null,
      endedAt: '2026-11-20T10:00:05.000-03:00',
    },
  );
});

test('pages never overlap, whatever the states, and the total is that of all', async () => {
  const accountNumber = await newAccount();
  const ids: string[] = [];
  const states = ['delivered', 'waiting', 'givenUp'];
  const moment = new Date();
  for (let index = 0; index < 7; index += 1) {
    // Two of each pair at the very same moment: the number decides.
    const created_at = new Date(moment.getTime() + Math.floor(index / 2) * 5);
    ids.unshift(await plantDelivery(service, accountNumber, { state: states[index % 3], created_at }));
  }
  const seen: string[] = [];
  for (const page of ['1', '2', '3', '4', '5']) {
    const { body } = await list({ accountNumber, page, limit: '2' });
    assert.equal(body.total, 7);
    seen.push(...idsOf(body.items));
  }
  assert.deepEqual(seen, ids);
  const beyond = await list({ accountNumber, page: '1000000', limit: '100' });
  assert.deepEqual([beyond.status, beyond.body.items, beyond.body.total], [200, [], 7]);
});

test('a status shows only what has it', async () => {
  const accountNumber = await newAccount();
  const [waiting, delivered, givenUp] = [
    await plantDelivery(service, accountNumber, { state: 'waiting' }),
    await plantDelivery(service, accountNumber),
    await plantDelivery(service, accountNumber, { state: 'givenUp' }),
  ];
  for (const [status, id] of [
    ['Waiting', waiting],
    ['Delivered', delivered],
    ['GivenUp', givenUp],
  ] as const) {
    const { body } = await list({ accountNumber, status });
    assert.deepEqual([idsOf(body.items), body.total, body.items[0].status], [[id], 1, status]);
  }
});

test('days are those of São Paulo, both included, and each may stand alone', async () => {
  const accountNumber = await newAccount();
  const at = (text: string) => plantDelivery(service, accountNumber, { created_at: new Date(text) });
  const eve = await at('2026-10-10T02:59:59.999Z');
  const first = await at('2026-10-10T03:00:00Z');
  const last = await at('2026-10-12T02:59:59.999Z');
  const morrow = await at('2026-10-12T03:00:00Z');
  const found = async (query: Record<string, string>) => {
    const { body } = await list({ accountNumber, ...query });
    assert.equal(body.total, body.items.length);
    return idsOf(body.items);
  };
  assert.deepEqual(await found({ from: '2026-10-10', to: '2026-10-11' }), [last, first]);
  assert.deepEqual(await found({ from: '2026-10-10', to: '2026-10-10' }), [first]);
  assert.deepEqual(await found({ from: '2026-10-10' }), [morrow, last, first]);
  assert.deepEqual(await found({ to: '2026-10-11' }), [last, first, eve]);
  // Alone a day reaches 31 days, itself included.
  assert.deepEqual(await found({ from: '2026-09-09' }), [eve]);
  assert.deepEqual(await found({ to: '2026-11-10' }), [morrow, last]);
});

test('without days the last 31 are shown, and all that is kept of one nsu', async () => {
  const accountNumber = await newAccount();
  const nsu = '4711';
  const old = await plantDelivery(service, accountNumber, {
    nsu,
    created_at: daysAgo(40),
    ended_at: new Date(),
  });
  const recent = await plantDelivery(service, accountNumber, { nsu, created_at: daysAgo(29) });
  const other = await plantDelivery(service, accountNumber, { nsu: '4712' });
  assert.deepEqual(idsOf((await list({ accountNumber })).body.items), [other, recent]);
  const ofNsu = await list({ accountNumber, nsu });
  assert.deepEqual([idsOf(ofNsu.body.items), ofNsu.body.total], [[recent, old], 2]);
  const day = saoPauloDay(instant(daysAgo(40).getTime()));
  assert.deepEqual(idsOf((await list({ accountNumber, nsu, from: day, to: day })).body.items), [old]);
  assert.deepEqual(idsOf((await list({ accountNumber, nsu, status: 'Waiting' })).body.items), []);
  const second = await list({ accountNumber, nsu, page: '2', limit: '1' });
  assert.deepEqual([idsOf(second.body.items), second.body.total], [[old], 2]);
});

test('a list is put in order by any field, what has no value last', async () => {
  const accountNumber = await newAccount();
  const ids: string[] = [];
  for (let index = 0; index < 9; index += 1) {
    const state = ['delivered', 'waiting', 'givenUp'][index % 3] as string;
    const change =
      index % 4 === 3
        ? { kind: 'callback', installment_number: 0, nsu: null, url: `https://loja.example/${index}` }
        : { nsu: `${index % 2}7` };
    const created_at = new Date(Date.UTC(2026, 10, 20, 13, 0, 0, (index * 7) % 5));
    ids.push(await plantDelivery(service, accountNumber, { state, tries: index % 5, created_at, ...change }));
  }
  const period = { from: '2026-11-01', to: '2026-11-30', limit: '100' };
  const { body: newest } = await list({ accountNumber, ...period });
  const items = newest.items as Record<string, string | number | null>[];
  const numbers = new Map(ids.map((id, index) => [id, index]));
  for (const field of DELIVERY_FIELDS) {
    for (const sign of [1, -1]) {
      const isAbove = (one: unknown, other: unknown) =>
        (one === other ? 0 : (one as string) < (other as string) ? -1 : 1) * sign;
      const expected = items.toSorted(
        (one, other) =>
          Number(one[field] === null) - Number(other[field] === null) ||
          isAbove(one[field], other[field]) ||
          isAbove(numbers.get(one.id as string), numbers.get(other.id as string)),
      );
      const orderBy = `${field} ${sign === 1 ? 'asc' : 'desc'}`;
      const { body } = await list({ accountNumber, ...period, orderBy });
      assert.deepEqual([idsOf(body.items), body.total], [expected.map(({ id }) => id), 9], orderBy);
      const { body: second } = await list({ accountNumber, ...period, orderBy, limit: '4', page: '2' });
      assert.deepEqual(
        idsOf(second.items),
        expected.slice(4, 8).map(({ id }) => id),
      );
    }
  }
  const of17 = await list({ accountNumber, ...period, nsu: '17', orderBy: 'tries' });
  assert.deepEqual(
    of17.body.items.map(({ tries }: { tries: number }) => tries),
    [0, 1],
  );
  const unknown = await list({ accountNumber, orderBy: 'body' });
  assert.deepEqual([unknown.status, unknown.body[0].tag], [400, 'orderBy']);
});

test('a period that holds more than can be counted is not counted halfway', async () => {
  const accountNumber = await newAccount();
  for (const state of ['waiting', 'delivered', 'givenUp', 'delivered'])
    await plantDelivery(service, accountNumber, { state });
  const database = openDatabase(service.database.runtime, () => {});
  const period = { from: instant(daysAgo(1).getTime()), to: instant(daysAgo(-1).getTime()) };
  const filter = {
    accountNumber,
    states: DELIVERY_STATES,
    nsu: null,
    period,
    page: 1,
    limit: 20,
    order: { field: 'createdAt', isDescending: true } as const,
  };
  const listed = (mostCounted: number, states: readonly DeliveryState[] = DELIVERY_STATES) =>
    listRecordedDeliveries(
      database,
      service.merchantId,
      { ...filter, states },
      { mostCounted, mostSorted: 2 },
    );
  try {
    assert.equal(await listed(3), 'periodTooFull');
    const tried = { ...filter, order: { field: 'tries', isDescending: false } } as const;
    const bounds = { mostCounted: 4, mostSorted: 3 };
    assert.equal(await listRecordedDeliveries(database, service.merchantId, tried, bounds), 'tooManyToOrder');
    const whole = await listed(4);
    assert.ok(whole !== null && typeof whole !== 'string');
    assert.deepEqual([whole.total, whole.items.length], [4, 4]);
    assert.notEqual(await listed(2, ['delivered']), 'periodTooFull', 'a status is counted alone');
  } finally {
    await database.close();
  }
});

test('what is no day, no period, no status or no page is refused by name', async () => {
  const { accountNumber } = service;
  const tagsOf = async (query: Record<string, string>) => {
    const { status, body } = await list(query);
    assert.equal(status, 400, JSON.stringify(query));
    return body.map(({ tag }: { tag: string }) => tag);
  };
  assert.deepEqual(await tagsOf({}), ['accountNumber']);
  assert.deepEqual(await tagsOf({ accountNumber, from: '2026-02-30' }), ['from']);
  assert.deepEqual(await tagsOf({ accountNumber, from: '21/11/2026', to: 'hoje' }), ['from', 'to']);
  assert.deepEqual(await tagsOf({ accountNumber, from: '2026-11-02', to: '2026-11-01' }), ['to']);
  assert.deepEqual(await tagsOf({ accountNumber, from: '2026-10-01', to: '2026-11-01' }), ['to']);
  assert.deepEqual(await tagsOf({ accountNumber, status: 'waiting' }), ['status']);
  assert.deepEqual(await tagsOf({ accountNumber, page: '0', limit: '101' }), ['page', 'limit']);
  assert.equal((await list({ accountNumber, from: '2026-10-01', to: '2026-10-31' })).status, 200);
});

test('an account of another merchant is as unknown as one that nobody has', async () => {
  const foreign = { auditor: service.auditor, merchantId: FOREIGN_MERCHANT };
  const theirs = await plantDelivery(foreign, FOREIGN_ACCOUNT);
  const unknown = await list({ accountNumber: '3333333' });
  const other = await list({ accountNumber: FOREIGN_ACCOUNT });
  assert.equal(unknown.status, 404);
  assert.deepEqual([other.status, other.text], [404, unknown.text]);
  const own = await list({ accountNumber: FOREIGN_ACCOUNT }, service.askAsForeign);
  assert.deepEqual(idsOf(own.body.items), [theirs]);
});

test('a delivery is read with its tries in order and the very body that is sent', async () => {
  const { accountNumber, auditor, merchantId } = service;
  const body = '{"movementId":1,"nsu":"é"}';
  const id = await plantDelivery(service, accountNumber, { state: 'givenUp', tries: 2, body });
  const { delivery_number: number } = await deliveryRow(service, id);
  await auditor.query(
    `insert into delivery_tries values ($1, $2, 2, '2026-11-21T13:00:05.5Z', 15000, null, 'timeout', null),
       ($1, $2, 1, '2026-11-21T13:00:00Z', 12, 500, 'status', 'Oops')`,
    [merchantId, number],
  );
  const read = await service.ask(`${LIST}/${id}`);
  assert.equal(read.status, 200);
  const { tries, body: sent, ...rest } = read.body;
  const [listed] = (await list({ accountNumber })).body.items;
  assert.deepEqual({ ...rest, tries: 2 }, listed, 'as it is listed');
  assert.equal(sent, body);
  assert.deepEqual(tries, [
    {
      number: 1,
      at: '2026-11-21T10:00:00.000-03:00',
      milliseconds: 12,
      status: 500,
      failure: 'status',
      answer: 'Oops',
    },
    {
      number: 2,
      at: '2026-11-21T10:00:05.500-03:00',
      milliseconds: 15_000,
      status: null,
      failure: 'timeout',
      answer: null,
    },
  ]);
  assert.deepEqual((await service.ask(`${LIST}/${id.toUpperCase()}`)).body, read.body);
});

test('an id that is another merchant’s, or nobody’s, or nearly right, finds nothing alike', async () => {
  const { accountNumber } = service;
  const id = await plantDelivery(service, accountNumber);
  const number = Number((await deliveryRow(service, id)).delivery_number);
  const createdAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  const unknown = await service.ask(
    `${LIST}/${deliveryId({ createdAt, deliveryNumber: number + 1_000_000 })}`,
  );
  assert.equal(unknown.status, 404);
  for (const wrong of [
    randomUUID(),
    'x',
    id.slice(1),
    // The right number, and another time.
    deliveryId({ createdAt: createdAt + 1, deliveryNumber: number }),
  ]) {
    for (const [method, path] of [
      ['GET', `${LIST}/${wrong}`],
      ['POST', `${LIST}/${wrong}/resend`],
    ] as const) {
      const reply = await service.ask(path, { method });
      assert.deepEqual([reply.status, reply.text], [404, unknown.text], `${method} ${path}`);
    }
  }
  const before = await deliveryRow(service, id);
  assert.equal((await service.askAsForeign(`${LIST}/${id}`)).text, unknown.text);
  assert.equal((await service.askAsForeign(`${LIST}/${id}/resend`, { method: 'POST' })).text, unknown.text);
  assert.deepEqual(await deliveryRow(service, id), before);
});
