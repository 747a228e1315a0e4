import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { until } from '../kit/service.ts';
import { billingsOf, plantBilling, plantSubscription } from './billing-rows.ts';
import { type BillingService, openBillingService } from './billing-service.ts';

const GENERAL = '__general__';

let service: BillingService;

before(async () => {
  service = await openBillingService();
});
after(() => service.close());

const cancel = (id: string, options = {}) =>
  service.ask(`/v1/recurrences/billing/${id}/cancel`, { method: 'POST', ...options });

async function subscriptionRow(subscriptionId: string) {
  const [row] = await service.auditor.query('select * from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  return row as Record<string, unknown>;
}

test('an open billing is canceled and the next is opened, one interval later', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const id = await plantBilling(service, subscriptionId);
  const reply = await cancel(id.toUpperCase());
  assert.deepEqual([reply.status, reply.text], [200, JSON.stringify(id)]);
  const [canceled, next, ...others] = await billingsOf(service, subscriptionId);
  assert.deepEqual(others, []);
  assert.equal(canceled?.state, 'canceled');
  assert.equal(canceled?.charge_on, null);
  assert.equal(canceled?.modified_by, service.userName);
  // The plan's 49.905 reais, rounded half to even.
  assert.deepEqual(
    { ...next, billing_id: null },
    {
      billing_id: null,
      installment: 2,
      state: 'opened',
      due_on: '2026-12-31',
      charge_on: '2026-12-31',
      amount: 4_990,
      created_by: 'system',
      modified_by: null,
    },
  );
  const { body } = await service.ask(`/v1/recurrences/billing/${id}`);
  assert.deepEqual([body.status, body.nextChargeOn], ['Canceled', undefined]);
  assert.deepEqual(
    body.timeline.map(({ type, by }: { type: string; by: string }) => [type, by]),
    [
      ['Opened', 'loja'],
      ['Canceled', service.userName],
    ],
  );
  assert.equal(body.timeline[1].at, body.modifiedDate);
  assert.equal((await subscriptionRow(subscriptionId)).state, 'active');
});

test('one that waits for a retry is canceled too, and an empty body does no harm', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const id = await plantBilling(service, subscriptionId, { charges_made: 2, charge_on: '2026-12-05' });
  assert.equal((await cancel(id, { body: {} })).status, 200);
  const rows = await billingsOf(service, subscriptionId);
  assert.deepEqual(
    rows.map(({ state, due_on }) => [state, due_on]),
    [
      ['canceled', '2026-12-01'],
      ['opened', '2026-12-31'],
    ],
  );
});

test('with its last installment canceled a subscription is completed by the system', async () => {
  const terms = { plan_type: 'custom', interval_days: 20, installments: 2 };
  const { subscriptionId } = await plantSubscription(service, {}, terms);
  await plantBilling(service, subscriptionId, { state: 'paid', due_on: '2026-11-11' });
  const id = await plantBilling(service, subscriptionId, { installment: 2 });
  assert.equal((await cancel(id)).status, 200);
  assert.equal((await billingsOf(service, subscriptionId)).length, 2, 'nothing more is opened');
  const { state, reason, modified_by } = await subscriptionRow(subscriptionId);
  assert.deepEqual([state, reason, modified_by], ['completed', 'completed', 'system']);
  const { body } = await service.ask(`/v1/recurrences/billing/${id}`);
  assert.equal(body.subscription.status, 'Canceled');
});

test('a subscription that is not active opens nothing', async () => {
  const { subscriptionId } = await plantSubscription(service, { state: 'blocked', reason: 'chargeback' });
  const id = await plantBilling(service, subscriptionId);
  assert.equal((await cancel(id)).status, 200);
  assert.equal((await billingsOf(service, subscriptionId)).length, 1);
  assert.equal((await subscriptionRow(subscriptionId)).state, 'blocked');
});

test('what is over, and what is being charged, is not canceled', async () => {
  const { subscriptionId } = await plantSubscription(service);
  for (const [index, state] of ['paid', 'denied', 'paymentInvalid', 'canceled'].entries()) {
    const row = { state, installment: index + 1, due_on: `2026-10-0${index + 1}` };
    const { status, body } = await cancel(await plantBilling(service, subscriptionId, row));
    assert.deepEqual([status, body[0].tag], [409, GENERAL], state);
  }
  const charged = { installment: 5, transaction_id: randomUUID() };
  const id = await plantBilling(service, subscriptionId, charged);
  const inPortuguese = await cancel(id);
  assert.deepEqual([inPortuguese.status, inPortuguese.body.length], [409, 1]);
  assert.match(inPortuguese.body[0].description, /está sendo processada/);
  const inEnglish = await cancel(id, { headers: { 'accept-language': 'en' } });
  assert.match(inEnglish.body[0].description, /is being charged/);
  assert.equal((await billingsOf(service, subscriptionId)).length, 5);
});

test('canceled many times at once, it is canceled once and one follows', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { subscriptionId } = await plantSubscription(service);
    const id = await plantBilling(service, subscriptionId);
    const replies = await Promise.all(Array.from({ length: 6 }, () => cancel(id)));
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409]);
    const states = (await billingsOf(service, subscriptionId)).map(({ state }) => state);
    assert.deepEqual(states, ['canceled', 'opened']);
  }
});

test('a cancel that waits for a charge to begin finds it begun', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const id = await plantBilling(service, subscriptionId);
  const other = new pg.Client(service.database.address);
  await other.connect();
  await other.query('begin');
  await other.query('select 1 from subscriptions where subscription_id = $1 for no key update', [
    subscriptionId,
  ]);
  await other.query('update billings set transaction_id = $2 where billing_id = $1', [id, randomUUID()]);
  const waiting = cancel(id);
  await until('the cancel waits', async () => {
    const rows = await service.auditor.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows.length > 0;
  });
  await other.query('commit');
  await other.end();
  const charging = await waiting;
  assert.deepEqual([charging.status, charging.headers.get('retry-after')], [409, '5'], 'it passes');
  assert.equal((await billingsOf(service, subscriptionId)).length, 1);
});
