import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { declaredStatements, openDatabase } from '../../src/platform/postgres/database.ts';
import type { WantedBillings } from '../../src/recurrence/billings/billing-search.ts';
import { listFoundBillings } from '../../src/recurrence/billings/billing-searches.sql.ts';
import { createTestDatabase } from '../kit/database.ts';
import { until } from '../kit/service.ts';
import { plantBilling, plantSubscription } from './billing-rows.ts';
import { type BillingService, openBillingService } from './billing-service.ts';

/** More than are put in order by themselves. */
const MANY = 300_500;

let service: BillingService;

before(async () => {
  service = await openBillingService();
  const { subscriptionId } = await plantSubscription(service);
  // Skipped ones share their installment: a subscription may have any number. The number is the end
  // of the id.
  await service.auditor.query(
    `insert into billings (merchant_id, billing_id, subscription_id, installment, state, is_skipped, amount, due_on, created_by,
       created_at)
     select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2, 1, 'canceled', true, n % 50,
       '2026-01-01'::date + n % 300, 'loja', '2026-01-01T00:00:00Z'::timestamptz + n / 2 * interval '1 second'
     from generate_series(1, $3::int) n`,
    [service.merchantId, subscriptionId, MANY],
  );
  await plantBilling(service, subscriptionId, { created_at: '2030-01-01T00:00:00Z' });
});
after(() => service.close());

const numbersOf = (items: readonly { id: string }[]) => items.map(({ id }) => Number(id.slice(24)));
const search = async (query: string) => {
  // A machine that is busy answers a large search 503, which says to ask again.
  const body = await until('the search is answered', async () => {
    const reply = await service.ask(`/v1/recurrences/billing?${query}`);
    assert.ok(reply.status === 200 || reply.status === 503, `${reply.status}`);
    return reply.status === 200 && reply.body;
  });
  return body as { items: { id: string }[]; total: number };
};

test('among very many billings a status is counted exactly and shown in its order', async () => {
  const newest = await search('status=Canceled&limit=5&page=2');
  assert.deepEqual(
    [newest.total, numbersOf(newest.items)],
    [MANY, [5, 6, 7, 8, 9].map((back) => MANY - back)],
  );
  const oldest = await search('status=Canceled&limit=5&orderBy=createdDate');
  assert.deepEqual([oldest.total, numbersOf(oldest.items)], [MANY, [1, 2, 3, 4, 5]]);
  // So many days that more than half are found by them, too.
  const days = 'expirationDateRangeStartDate=2026-01-01&expirationDateRangeEndDate=2026-10-27';
  assert.deepEqual(numbersOf((await search(`${days}&limit=3&orderBy=createdDate`)).items), [1, 2, 3]);
  const one = 'expirationDateRangeStartDate=2026-01-02&expirationDateRangeEndDate=2026-01-02';
  const few = await search(`${one}&limit=3&orderBy=createdDate`);
  assert.deepEqual([few.total, numbersOf(few.items)], [1_002, [1, 301, 601]]);
});

test('an order that no index has is given up to a bound, and not beyond it', async () => {
  const database = openDatabase(service.database.address, () => {});
  const wanted: WantedBillings = {
    merchantId: null,
    subscriptionId: null,
    state: 'canceled',
    dueFrom: null,
    dueTo: null,
    page: 1,
    limit: 2,
    order: { field: 'amount', isDescending: false },
  };
  assert.equal(await listFoundBillings(database, service.merchantId, wanted, MANY - 1), 'tooManyToOrder');
  const page = await listFoundBillings(database, service.merchantId, wanted, MANY);
  assert.ok(page !== 'tooManyToOrder');
  assert.deepEqual(
    page.items.map(({ billingId, amount }) => [Number(billingId.slice(24)), amount]),
    [
      [50, 0],
      [100, 0],
    ],
  );
  await database.close();
});

/** What is read beside the keys of the page. */
const FURTHER: readonly (readonly [string, readonly string[]])[] = [
  ['sorted', ['billings_by_state']],
  ['of_subscription', ['billings_by_installment', 'billings_skipped']],
  ['find', ['subscription_events_pkey']],
];

test('planned while nothing is there, a search finds its keys in an index alone and its rows by their keys', async () => {
  const empty = await createTestDatabase({ migrated: true });
  const client = new pg.Client(empty.address);
  await client.connect();
  await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
  const searches = declaredStatements().filter(({ name }) => /^billings\.(list_|find$)/.test(name));
  assert.equal(searches.length, 19);
  for (const { name, text } of searches) {
    const { rows } = await client.query(`explain (generic_plan, costs off) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN'] as string).join('\n');
    assert.doesNotMatch(plan, /Seq Scan|Hash|Merge Join/, name);
    const looked = [...plan.matchAll(/ Index Scan (?:Backward )?using (\w+)/g)].map(([, index]) => index);
    const keys = ['billings_pkey', 'subscriptions_pkey', 'plans_pkey'];
    const allowed = [
      ...keys,
      'billing_charges_pkey',
      'transactions_pkey',
      'pix_payments_pkey',
      ...(FURTHER.find(([part]) => name.includes(part))?.[1] ?? []),
    ];
    for (const index of looked)
      assert.ok(allowed.includes(index as string), `${name} reads rows over ${index}\n${plan}`);
    for (const key of keys) assert.ok(looked.includes(key), `${name} does not look up by ${key}\n${plan}`);
    const ranges = [
      ...plan.matchAll(/ Index Only Scan (?:Backward )?using (\w+)[^\n]*\n *Index Cond: (.*)/g),
    ];
    for (const [, index, condition] of ranges) {
      const isWhole = condition === '(merchant_id = $1)';
      const isWanted = isWhole ? name.includes('all') || index === 'billings_by_creation' : true;
      assert.ok(isWanted, `${name} walks over all of ${index}\n${plan}`);
    }
  }
  await client.end();
  await empty.drop();
});
