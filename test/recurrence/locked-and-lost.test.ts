import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { billingsOf, plantBilling, plantSubscription } from './billing-rows.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

const PATH = '/v1/recurrences';
const WHOLE_TABLES = 'lock table plans, subscriptions, billings in access exclusive mode';

let service: RecurrenceService;

before(async () => {
  service = await openRecurrenceService();
});
after(() => service.close());

const ask = (path: string, method: 'GET' | 'POST' = 'GET'): Promise<Reply> =>
  call(service.url, `${PATH}${path}`, { token: service.token, method });

const enrol = (planId: string, vaultId: string): Promise<Reply> => {
  const body = { planId, vaultId, orderNumber: 'P-1001' };
  return call(service.url, `${PATH}/subscriptions`, { token: service.token, body });
};

const cancelPlan = (planId: string): Promise<Reply> =>
  call(service.url, `${PATH}/plans/${planId}/status`, { token: service.token, body: { status: 'Canceled' } });

/** What is done while somebody else holds the locks that `lock` takes. */
async function whileHeld<T>(lock: string, values: unknown[], task: () => Promise<T>): Promise<T> {
  const other = await service.connect();
  try {
    await other.query('begin');
    await other.query(lock, values);
    return await task();
  } finally {
    await other.end();
  }
}

/**
 * How many connections to the database wait for a lock, but for the engine's, which looks for
 * charges that nobody ended, and counts what is due.
 */
async function waitingCount(): Promise<number> {
  const rows = await service.auditor.query(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
       and query not like '%found_0%' and query not like '%skip locked%'
       and query not like '%from billing_charges c where c.due_at%'
       and query not like '%from billings where charge_on <= (now()%'
       and query not like '%customer_written_at%'`,
  );
  return rows.length;
}

/** The answers, and how many connections waited for locks at a time, at most, until the last of them. */
async function mostWaiting(asking: readonly Promise<Reply>[]): Promise<{ most: number; statuses: number[] }> {
  let isOver = false;
  const all = Promise.all(asking).finally(() => {
    isOver = true;
  });
  let most = 0;
  await until('all are answered', async () => {
    most = Math.max(most, await waitingCount());
    return isOver;
  });
  return { most, statuses: (await all).map(({ status }) => status) };
}

test('what somebody holds for too long is answered with 503, for it can be had later', async () => {
  const { subscriptionId, planId } = await plantSubscription(service);
  const id = await plantBilling(service, subscriptionId);
  const replies = await whileHeld(WHOLE_TABLES, [], () =>
    Promise.all([
      ask(`/billing/${id}/cancel`, 'POST'),
      ask(`/billing/${id}`),
      ask('/billing'),
      ask(`/subscriptions/${subscriptionId}`),
      ask('/subscriptions'),
      ask(`/plans/${planId}`),
      ask('/plans'),
    ]),
  );
  for (const { status, headers } of replies) {
    assert.equal(status, 503);
    assert.ok(headers.get('retry-after'));
  }
  const [billing, ...others] = await billingsOf(service, subscriptionId);
  assert.deepEqual([billing?.state, others], ['opened', []]);
  assert.equal((await ask(`/billing/${id}/cancel`, 'POST')).status, 200);
});

test('a cancel whose connection breaks at the commit is done once, and answered', async () => {
  for (const cut of ['cutBefore', 'cutAfter'] as const) {
    const { subscriptionId } = await plantSubscription(service);
    const id = await plantBilling(service, subscriptionId);
    const cuts = service.proxy.cuts;
    service.proxy[cut]('commit');
    const reply = await ask(`/billing/${id}/cancel`, 'POST');
    assert.equal(service.proxy.cuts, cuts + 1);
    assert.deepEqual([reply.status, reply.body], [200, id]);
    const states = (await billingsOf(service, subscriptionId)).map(({ state }) => state);
    assert.deepEqual(states, ['canceled', 'opened']);
    assert.equal((await ask(`/billing/${id}/cancel`, 'POST')).status, 409);
  }
});

/**
 * Cancels a plan while one enrolment holds it, and sends another after the cancel. The first waits for its
 * card until all three are under way. Gives the status of the last, or null when they waited for so long
 * that one was let go.
 */
async function enrolBehindCancel(planId: string, cards: readonly [string, string]): Promise<number | null> {
  const sent: Promise<Reply>[] = [];
  let answered = 0;
  const send = async (asking: Promise<Reply>) => {
    const count = sent.push(
      asking.finally(() => {
        answered += 1;
      }),
    );
    await until(`${count} wait`, async () => answered > 0 || (await waitingCount()) >= count);
  };
  await whileHeld('select 1 from vault_cards where vault_id = $1 for update', [cards[0]], async () => {
    await send(enrol(planId, cards[0]));
    await send(cancelPlan(planId));
    await send(enrol(planId, cards[1]));
  });
  const [first, canceled, last] = (await Promise.all(sent)).map(({ status }) => status);
  return first === 200 && canceled === 200 && last !== 503 ? (last as number) : null;
}

test('who enrols does not pass who waits to cancel the plan, or it could never be canceled', async () => {
  const cards = [await storeCard(service), await storeCard(service)] as const;
  const status = await until('three of them meet', async () =>
    enrolBehindCancel(await insertPlan(service), cards),
  );
  assert.equal(status, 409);
});

test('a merchant’s searches take their turns, and leave the database to others', async () => {
  for (const path of ['/plans', '/subscriptions', '/billing']) {
    const searches = () => mostWaiting(Array.from({ length: 4 }, () => ask(path)));
    const { most, statuses } = await whileHeld(WHOLE_TABLES, [], searches);
    assert.deepEqual(new Set(statuses), new Set([503]));
    assert.ok(most === 1 || most === 2, `${path}: ${most} at once`);
  }
});

test('many plans that are canceled at once leave the database to others, and all of them end', async () => {
  const vaultId = await storeCard(service);
  const plans = await Promise.all(Array.from({ length: 9 }, () => insertPlan(service)));
  for (const planId of plans) assert.equal((await enrol(planId, vaultId)).status, 200);
  const held = 'lock table subscription_events in access exclusive mode';
  const { most, statuses } = await whileHeld(held, [], () => mostWaiting(plans.map(cancelPlan)));
  assert.deepEqual(new Set(statuses), new Set([200]));
  // One of the requests, and four by the work behind them.
  assert.ok(most >= 1 && most <= 5, `${most} at once`);
  await until('all are canceled', async () => {
    const rows = await service.auditor.query(
      `select 1 from subscriptions where plan_id = any ($1::uuid[]) and state = 'active'`,
      [plans],
    );
    return rows.length === 0;
  });
});
