import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { BILLING_STATES } from '../../src/recurrence/billings/billing.ts';
import { BILLING_ORDERS } from '../../src/recurrence/billings/billing-search.ts';
import { BILLING_STATE_WORDS } from '../../src/recurrence/billings/contract.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { plantBilling, plantCharge, plantDecline, plantSubscription } from './billing-rows.ts';
import { type BillingService, openBillingService } from './billing-service.ts';

const PATH = '/v1/recurrences/billing';

type Known = {
  id: string;
  status: string;
  expireAt: string;
  amount: number;
  installment: number;
  createdBy: string;
  createdDate: string;
  modifiedBy?: string;
  modifiedDate?: string;
};

let service: BillingService;
const known: Known[] = [];
/** Whose billings all are but the open ones. */
let manyOf: string;

const FIRST_DAY = '2026-11-28' as Day;
const USERS = ['ana', 'Bia', 'system'];

/** 40 billings: equal days, amounts, makers and moments among them, so that ids must decide. */
async function plantMany(): Promise<void> {
  const { subscriptionId } = await plantSubscription(service);
  manyOf = subscriptionId;
  for (let index = 0; index < 40; index += 1) {
    const state = BILLING_STATES[index % 5] as (typeof BILLING_STATES)[number];
    // One is open at a time.
    const ofIt = state === 'opened' ? (await plantSubscription(service)).subscriptionId : subscriptionId;
    const dueOn = addDays(FIRST_DAY, state === 'opened' ? index % 7 : index);
    const second = String(index % 6).padStart(2, '0');
    const isModified = index % 3 === 0;
    const row = {
      state,
      is_skipped: state === 'canceled' && index % 2 === 0,
      due_on: dueOn,
      installment: index + 1,
      amount: 4_990 + (index % 4) * 105,
      created_by: USERS[index % 3],
      created_at: `2026-11-01T13:00:${second}.500Z`,
      modified_by: isModified ? USERS[(index + 1) % 3] : null,
      modified_at: isModified ? `2026-11-02T03:0${index % 4}:00.000Z` : null,
    };
    const id = await plantBilling(service, ofIt, row);
    known.push({
      id,
      status: BILLING_STATE_WORDS[state],
      expireAt: `${dueOn}T00:00:00`,
      amount: row.amount / 100,
      installment: row.installment,
      createdBy: row.created_by as string,
      createdDate: `2026-11-01T10:00:${second}.500`,
      ...(isModified && {
        modifiedBy: row.modified_by as string,
        modifiedDate: `2026-11-02T00:0${index % 4}:00.000`,
      }),
    });
  }
}

before(async () => {
  service = await openBillingService();
  await plantMany();
  const foreign = { ...service, merchantId: FOREIGN_MERCHANT };
  await plantBilling(foreign, (await plantSubscription(foreign)).subscriptionId);
});
after(() => service.close());

const search = (query: Record<string, string | number>, ask = service.ask) =>
  ask(`${PATH}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`);

/** What has no value comes last, whatever the direction. */
function inOrder(items: readonly Known[], field: keyof Known, isDescending: boolean): string[] {
  const key = (item: Known) => item[field] ?? '';
  const sorted = items.toSorted((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === b) return one.id < other.id ? -1 : 1;
    return a < b ? -1 : 1;
  });
  const ordered = isDescending ? sorted.reverse() : sorted;
  const isThere = (item: Known) => item[field] !== undefined;
  return [...ordered.filter(isThere), ...ordered.filter((item) => !isThere(item))].map(({ id }) => id);
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('without filters all billings of the merchant are found, newest first, page after page', async () => {
  const seen: string[] = [];
  for (let page = 1; page <= 5; page += 1) {
    const { body, status } = await search({ page, limit: 9 });
    assert.equal(status, 200);
    assert.deepEqual([body.page, body.limit, body.total], [page, 9, 40]);
    assert.equal(body.items.length, page < 5 ? 9 : 4);
    seen.push(...idsOf(body.items));
  }
  assert.deepEqual(seen, inOrder(known, 'createdDate', true));
  const beyond = await search({ page: 1_000_000, limit: 100 });
  assert.deepEqual(beyond.body, { items: [], page: 1_000_000, limit: 100, total: 40 });
  assert.deepEqual((await search({})).body.limit, 20);
});

test('every order puts all, and what a filter leaves, in that order', async () => {
  const filters: [Record<string, string>, (item: Known) => boolean][] = [
    [{}, () => true],
    [{ status: 'Paid' }, ({ status }) => status === 'Paid'],
    [{ subscriptionId: manyOf.toUpperCase() }, ({ status }) => status !== 'Opened'],
    [
      { expirationDateRangeStartDate: '2026-12-01', expirationDateRangeEndDate: '2026-12-20' },
      ({ expireAt }) => expireAt >= '2026-12-01T00:00:00' && expireAt <= '2026-12-20T00:00:00',
    ],
  ];
  for (const field of BILLING_ORDERS) {
    for (const [filter, isFound] of filters) {
      for (const direction of ['', ' asc', ' desc']) {
        const { body } = await search({ ...filter, orderBy: `${field}${direction}`, limit: 100 });
        const expected = inOrder(known.filter(isFound), field, direction === ' desc');
        assert.deepEqual(idsOf(body.items), expected, `${field}${direction} ${JSON.stringify(filter)}`);
        assert.equal(body.total, expected.length);
        const second = await search({ ...filter, orderBy: `${field}${direction}`, limit: 3, page: 2 });
        assert.deepEqual(idsOf(second.body.items), expected.slice(3, 6));
      }
    }
  }
});

test('the billings of a subscription are found, also with other filters, and none by an id that is not yours', async () => {
  const all = await search({ subscriptionId: manyOf });
  assert.equal(all.body.total, 32);
  assert.ok(
    all.body.items.every(({ subscription }: { subscription: { id: string } }) => subscription.id === manyOf),
  );
  const days = { expirationDateRangeStartDate: '2026-12-01', expirationDateRangeEndDate: '2026-12-20' };
  const canceled = await search({
    subscriptionId: manyOf,
    status: 'Canceled',
    ...days,
    orderBy: 'expireAt',
  });
  const expected = known.filter(
    ({ status, expireAt }) => status === 'Canceled' && expireAt >= '2026-12-01' && expireAt < '2026-12-21',
  );
  assert.deepEqual(idsOf(canceled.body.items), inOrder(expected, 'expireAt', false));
  for (const id of [randomUUID(), 'x'])
    assert.deepEqual((await search({ subscriptionId: id })).body.items, []);
  assert.equal((await search({ subscriptionId: manyOf }, service.askAsForeign)).body.total, 0);
});

test('a status and days of the due day filter, each by itself and together, both days included', async () => {
  for (const status of Object.values(BILLING_STATE_WORDS)) {
    const { body } = await search({ status, limit: 100 });
    assert.equal(body.total, 8);
    assert.ok(body.items.every((item: Known) => item.status === status));
  }
  const [from, to] = ['2026-11-30', '2026-12-09'];
  const cases: [Record<string, string>, (item: Known) => boolean][] = [
    [{ expirationDateRangeStartDate: from }, ({ expireAt }) => expireAt.slice(0, 10) >= from],
    [{ expirationDateRangeEndDate: to }, ({ expireAt }) => expireAt.slice(0, 10) <= to],
    [
      { expirationDateRangeStartDate: to, expirationDateRangeEndDate: to },
      ({ expireAt }) => expireAt.slice(0, 10) === to,
    ],
    [
      { status: 'Denied', expirationDateRangeStartDate: from, expirationDateRangeEndDate: to },
      ({ expireAt, status }) =>
        status === 'Denied' && expireAt.slice(0, 10) >= from && expireAt.slice(0, 10) <= to,
    ],
  ];
  for (const [query, isFound] of cases) {
    const { body } = await search({ ...query, limit: 100 });
    const expected = inOrder(known.filter(isFound), 'createdDate', true);
    assert.ok(expected.length > 0);
    assert.deepEqual(idsOf(body.items), expected);
    assert.equal(body.total, expected.length);
  }
});

test('days that are none, a range that ends before it begins and unknown words are refused by name', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ expirationDateRangeStartDate: '2026-02-30' }, 'expirationDateRangeStartDate'],
    [{ expirationDateRangeEndDate: '2026-12-01T00:00:00' }, 'expirationDateRangeEndDate'],
    [{ expirationDateRangeEndDate: '01/12/2026' }, 'expirationDateRangeEndDate'],
    [
      { expirationDateRangeStartDate: '2026-12-02', expirationDateRangeEndDate: '2026-12-01' },
      'expirationDateRangeEndDate',
    ],
    [{ status: 'opened' }, 'status'],
    [{ orderBy: 'vaultId' }, 'orderBy'],
    [{ limit: '101' }, 'limit'],
    [{ page: '0' }, 'page'],
    [{ mid: 'x'.repeat(101) }, 'mid'],
  ];
  for (const [query, tag] of cases) {
    const reply = await search(query);
    assert.equal(reply.status, 400, JSON.stringify(query));
    assert.deepEqual(
      reply.body.map((error: { tag: string }) => error.tag),
      [tag],
    );
  }
});

test('the own merchant number changes nothing, and that of another gives an empty page', async () => {
  assert.equal((await search({ mid: service.merchantId })).body.total, 40);
  for (const mid of [FOREIGN_MERCHANT, 'NINGUEM']) {
    const { body, status } = await search({ mid, page: 2, limit: 7 });
    assert.deepEqual([status, body], [200, { items: [], page: 2, limit: 7, total: 0 }]);
  }
  assert.equal((await search({}, service.askAsForeign)).body.total, 1);
});

test('a billing is shown with its subscription and plan: the terms are those of the enrolment', async () => {
  const made = { created_by: 'maria', created_at: '2026-11-03T02:59:59.123Z' };
  const { planId, subscriptionId, vaultId } = await plantSubscription(service, made, {
    amount: '123456789012.123456',
  });
  await service.auditor.query('update plans set amount = 1, name = $2 where plan_id = $1', [planId, 'Novo']);
  const id = await plantBilling(service, subscriptionId, { ...made, amount: 12_345_678_901_212 });
  const { body, text } = await service.ask(`${PATH}/${id.toUpperCase()}`);
  const { subscription, ...billing } = body;
  const stamps = { createdBy: 'maria', createdDate: '2026-11-02T23:59:59.123' };
  assert.deepEqual(billing, {
    id,
    status: 'Opened',
    expireAt: '2026-12-01T00:00:00',
    amount: 123456789012.12,
    installment: 1,
    paymentId: null,
    nsu: null,
    ...stamps,
    nextChargeOn: '2026-12-01',
    timeline: [{ at: '2026-11-02T23:59:59.123', type: 'Opened', by: 'maria' }],
  });
  assert.match(text, /"amount":123456789012\.12,/);
  assert.match(text, /"amount":123456789012\.123456,/);
  const { plan, ...rest } = subscription;
  assert.deepEqual(rest, {
    id: subscriptionId,
    vaultId,
    orderNumber: 'P-1001',
    status: 'Active',
    ...stamps,
  });
  assert.deepEqual([plan.id, plan.name, plan.merchantId], [planId, 'Novo', service.merchantId]);
  const [item] = (await search({ status: 'Opened', limit: 1, orderBy: 'amount desc' })).body.items;
  const { nextChargeOn, timeline, ...listed } = body;
  assert.deepEqual(item, listed);
});

test('amounts are reported with their cents and no needless zeros', async () => {
  const { subscriptionId } = await plantSubscription(service);
  for (const [index, [amount, reported]] of (
    [
      [0, '0'],
      [5, '0.05'],
      [50, '0.5'],
      [100, '1'],
      [10_000, '100'],
      [4_990, '49.9'],
    ] as const
  ).entries()) {
    const row = { state: 'paid', amount, installment: index + 1, due_on: addDays(FIRST_DAY, 100 + index) };
    const id = await plantBilling(service, subscriptionId, row);
    assert.match((await service.ask(`${PATH}/${id}`)).text, new RegExp(`"amount":${reported},"installment"`));
  }
});

test('the timeline records each charge and what was made of it, in order', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const made = { created_by: 'maria', created_at: '2026-11-03T10:00:00Z' };
  const waiting = await plantBilling(service, subscriptionId, {
    ...made,
    charge_on: '2026-12-03',
    charges_made: 1,
  });
  const paymentId = await plantDecline(service);
  const failed = {
    attempt_number: 1,
    transaction_id: paymentId,
    started_at: '2026-12-01T03:00:03.120Z',
    ended_at: '2026-12-01T03:00:04Z',
    outcome: 'funds',
    response_code: '51',
    rule: 'retry',
    next_charge_on: '2026-12-03',
  };
  await plantCharge(service, waiting, { ...failed, charge_number: 2 });
  await plantCharge(service, waiting, {
    ...failed,
    charge_number: 1,
    outcome: 'voided',
    response_code: null,
    transaction_id: null,
    rule: 'sentAgain',
    next_charge_on: null,
  });
  const charged = { type: 'Charged', by: 'system', attempt: 1, at: '2026-12-01T00:00:03.120' };
  const { body } = await service.ask(`${PATH}/${waiting}`);
  assert.equal(body.nextChargeOn, '2026-12-03');
  assert.deepEqual(body.timeline, [
    { at: '2026-11-03T07:00:00.000', type: 'Opened', by: 'maria' },
    {
      ...charged,
      outcome: 'Undone',
      code: null,
      meaning: null,
      paymentId: null,
      rule: 'SentAgain',
      nextChargeOn: null,
      description: 'A adquirente não respondeu; nada desta tentativa ficou, e ela é feita de novo.',
    },
    {
      ...charged,
      outcome: 'InsufficientFunds',
      code: '51',
      meaning: 'Saldo ou limite insuficiente',
      paymentId,
      rule: 'Retry',
      nextChargeOn: '2026-12-03',
      description: 'Sem saldo; nova tentativa em 2026-12-03.',
    },
  ]);
  await plantCharge(service, waiting, {
    charge_number: 3,
    attempt_number: 2,
    started_at: '2026-12-03T03:00:00Z',
  });
  const under = (await service.ask(`${PATH}/${waiting}`)).body.timeline[3];
  assert.deepEqual([under.outcome, under.rule, under.attempt], [null, null, 2]);
});

test('a billing of another merchant, an unknown and a malformed one are not found alike', async () => {
  const replies = await Promise.all([
    service.askAsForeign(`${PATH}/${known[0]?.id}`),
    service.ask(`${PATH}/${randomUUID()}`),
    service.ask(`${PATH}/123`),
    service.askAsForeign(`${PATH}/${known[0]?.id}/cancel`, { method: 'POST' }),
    service.ask(`${PATH}/${randomUUID()}/cancel`, { method: 'POST' }),
    service.ask(`${PATH}/123/cancel`, { method: 'POST' }),
  ]);
  for (const reply of replies) assert.deepEqual([reply.status, reply.text], [404, replies[0]?.text]);
});
