import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { SUBSCRIPTION_SEARCH_REFUSALS } from '../../src/recurrence/subscriptions/endpoints.ts';
import { searchSubscriptions } from '../../src/recurrence/subscriptions/searches.sql.ts';
import {
  SUBSCRIPTION_FIELDS,
  SUBSCRIPTION_STATES,
  type SubscriptionField,
} from '../../src/recurrence/subscriptions/subscription.ts';
import { call } from '../kit/merchant.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

const PATH = '/v1/recurrences/subscriptions';
let service: RecurrenceService;
let cards: readonly [string, string];
let coffee: string;
let club: string;

type Item = Record<string, unknown> & { readonly id: string; readonly plan: { readonly id: string } };

before(async () => {
  service = await openRecurrenceService();
  cards = [await storeCard(service), await storeCard(service)];
  coffee = await insertPlan(service, { name: 'Café da Manhã', search_name: 'cafe da manha' });
  club = await insertPlan(service, { name: 'Clube_100%', search_name: 'clube_100%', amount: '0.123456' });
  const foreign = await insertPlan({ ...service, merchantId: service.foreignMerchantId });
  await service.auditor.query(
    `insert into vault_cards select (jsonb_populate_record(v, $2)).* from vault_cards v where vault_id = $1`,
    [cards[0], JSON.stringify({ merchant_id: service.foreignMerchantId })],
  );
  await insertSubscriptions(service.merchantId, 120, [coffee, club], cards);
  await insertSubscriptions(service.foreignMerchantId, 7, [foreign], [cards[0]]);
});
after(() => service.close());

/** Of every state, order number and card some, several of one moment, so that ties are met. */
async function insertSubscriptions(
  merchantId: string,
  count: number,
  plans: readonly string[],
  vaultIds: readonly string[],
): Promise<void> {
  await service.auditor.query(
    `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state, reason,
       amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at,
       modified_by, modified_at)
     select $1, gen_random_uuid(), ($3::uuid[])[1 + n % cardinality($3::uuid[])],
       ($4::uuid[])[1 + (n / 3) % cardinality($4::uuid[])], 'N-' || n % 10, '1', s.state,
       case when s.state <> 'active' then 'user' end, 0.123456, 'monthly', 0, 30, 0, 0, '2026-01-01',
       case when n % 3 = 0 then 'Ana' else 'bia' end, timestamptz '2026-01-01Z' + (n / 4) * interval '1 hour',
       case when n % 5 = 0 then 'caio' end, case when n % 5 = 0 then timestamptz '2026-02-01Z' + n * interval '1 hour' end
     from generate_series(0, $2::integer - 1) n,
       lateral (select (array['active', 'active', 'canceled', 'blocked', 'completed'])[1 + n % 5] as state) s`,
    [merchantId, count, plans, vaultIds],
  );
}

async function search(query: string, token = service.token) {
  const reply = await call(service.url, `${PATH}${query}`, { token });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as { items: Item[]; page: number; limit: number; total: number };
}

/** All that fits, page by page. */
async function searchAll(query: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const part = await search(`?${query}&page=${page}&limit=${limit}`);
    items.push(...part.items);
    assert.deepEqual([part.page, part.limit], [page, limit]);
    if (part.items.length < limit) {
      assert.equal(items.length, part.total);
      return items;
    }
  }
}

test('without a filter there are all of the merchant, twenty a page, newest first', async () => {
  const { items, page, limit, total } = await search('');
  assert.deepEqual([items.length, page, limit, total], [20, 1, 20, 120]);
  const dates = items.map(({ createdDate }) => createdDate as string);
  assert.deepEqual(dates, dates.toSorted().reverse());
  assert.equal((await search('', service.foreignToken)).total, 7);
});

test('each is shown with its plan, every digit of the amount', async () => {
  const reply = await call(service.url, `${PATH}?planName=clube&limit=1`, { token: service.token });
  assert.ok(reply.text.includes('"amount":0.123456'), reply.text);
  const [item] = reply.body.items as [Item];
  const one = await call(service.url, `${PATH}/${item.id}`, { token: service.token });
  const { timeline, ...alike } = one.body;
  assert.deepEqual(alike, item);
});

test('by status, and completed ones among the canceled', async () => {
  for (const [status, total] of [
    ['Active', 48],
    ['Blocked', 24],
    ['Canceled', 48],
  ] as const) {
    const items = await searchAll(`status=${status}`, 7);
    assert.equal(items.length, total);
    assert.ok(items.every((item) => item.status === status));
  }
});

test('by a part of the name of the plan, whatever its capitals and accents; no character is a wildcard', async () => {
  for (const name of ['cafe', 'CAFÉ', 'fé da man', 'da manhã']) {
    const { items, total } = await search(`?planName=${encodeURIComponent(name)}&limit=100`);
    assert.equal(total, 60, name);
    assert.ok(items.every(({ plan }) => plan.id === coffee));
  }
  for (const [name, total] of [
    ['_100%', 60],
    ['c_f', 0],
    ['%', 60],
    ['livro', 0],
  ] as const) {
    assert.equal((await search(`?planName=${encodeURIComponent(name)}`)).total, total, name);
  }
  assert.equal((await search('?planName=cafe&status=Active')).total, 24);
});

test('by order number and stored card, exactly, alone and together with the others', async () => {
  assert.equal((await search('?orderNumber=N-3')).total, 12);
  assert.equal((await search('?orderNumber=N')).total, 0);
  assert.equal((await search(`?vaultId=${cards[0].toUpperCase()}`)).total, 60);
  assert.equal((await search(`?vaultId=${randomUUID()}`)).total, 0);
  assert.equal((await search('?vaultId=nobody')).total, 0);
  const all = (await search('?limit=100')).items.concat((await search('?limit=100&page=2')).items);
  const wanted = all.filter(
    (item) =>
      item.orderNumber === 'N-1' &&
      item.vaultId === cards[1] &&
      item.status === 'Active' &&
      item.plan.id === club,
  );
  const found = await search(`?orderNumber=N-1&vaultId=${cards[1]}&status=Active&planName=clube&limit=100`);
  assert.deepEqual(found.items.map(({ id }) => id).sort(), wanted.map(({ id }) => id).sort());
  assert.ok(wanted.length > 0);
});

/** Absent fields last, whichever way the order goes; ties by id. */
function compare(one: Item, other: Item, field: string, sign: number): number {
  const [left, right] = [one[field], other[field]] as [string | undefined, string | undefined];
  if (left !== right) {
    if (left === undefined) return 1;
    if (right === undefined) return -1;
    return left < right ? -sign : sign;
  }
  return one.id < other.id ? -sign : sign;
}

test('every field orders the list both ways, and its pages never overlap', async () => {
  for (const filter of [
    '',
    'status=Canceled&',
    'planName=cafe&',
    'orderNumber=N-3&',
    `vaultId=${cards[0]}&`,
  ]) {
    for (const field of SUBSCRIPTION_FIELDS) {
      for (const [direction, sign] of [
        [filter === '' ? ' asc' : '', 1],
        [' desc', -1],
      ] as const) {
        const query = `${filter}orderBy=${encodeURIComponent(`${field}${direction}`)}`;
        const items = await searchAll(query, 50);
        assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
        assert.deepEqual(
          items.map(({ id }) => id),
          items.toSorted((one, other) => compare(one, other, field, sign)).map(({ id }) => id),
          query,
        );
      }
    }
  }
});

test('beyond the last page there is nothing, and the total stays exact', async () => {
  for (const query of [
    'page=1000000',
    'page=99&planName=cafe',
    'page=99&orderBy=id',
    'page=99&orderNumber=N-3',
  ]) {
    const { items, total } = await search(`?${query}`);
    assert.deepEqual(items, []);
    assert.ok(total > 0, query);
  }
});

test('an order that no index has is given up to a bound, and those that have one beyond it', async () => {
  const database = openDatabase(service.proxy.address, () => {});
  const every = {
    states: SUBSCRIPTION_STATES,
    planName: null,
    orderNumber: null,
    vaultId: null,
    documentNumber: null,
    email: null,
  };
  const found = (change: object, field: SubscriptionField, bound: number) => {
    const wanted = { page: 1, limit: 2, order: { field, isDescending: false } };
    return searchSubscriptions(database, service.merchantId, { ...every, ...change }, wanted, bound);
  };
  try {
    assert.equal(await found({}, 'orderNumber', 119), 'tooManyToOrder');
    assert.equal(await found({ planName: 'cafe' }, 'orderNumber', 59), 'tooManyToOrder');
    for (const [change, field, total] of [
      [{}, 'orderNumber', 120],
      [{ planName: 'cafe' }, 'orderNumber', 60],
      [{}, 'createdDate', 120],
      [{ planName: 'cafe' }, 'createdDate', 60],
    ] as const) {
      const page = await found(change, field, field === 'createdDate' ? 0 : total);
      assert.ok(page !== 'tooManyToOrder');
      assert.deepEqual([page.total, page.items.length], [total, 2]);
    }
  } finally {
    await database.close();
  }
  const { status, tag } = SUBSCRIPTION_SEARCH_REFUSALS.tooManyToOrder;
  assert.deepEqual([status, tag], [400, 'orderBy']);
});

test('a query that means nothing is refused, every fault of it', async () => {
  const reply = await call(
    service.url,
    `${PATH}?status=Paid&orderBy=amount&page=0&limit=101&orderNumber=12345678901`,
    {
      token: service.token,
    },
  );
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.body.map(({ tag }: { tag: string }) => tag).sort(), [
    'limit',
    'orderBy',
    'orderNumber',
    'page',
    'status',
  ]);
});
