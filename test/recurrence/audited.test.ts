import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../kit/merchant.ts';
import { ALERT_ENDPOINTS, alertEndpointBody } from './alerts-service.ts';
import { PLANS, planBody } from './plans-service.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

/**
 * What merchants change of plans, subscriptions and notifiers stands in the audit log, in the same commit.
 */

const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';

let service: RecurrenceService;
let vaultId: string;

before(async () => {
  service = await openRecurrenceService();
  vaultId = await storeCard(service);
});
after(() => service.close());

const ask = (path: string, body: unknown, method = 'POST', key?: string): Promise<Reply> => {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return call(service.url, path, { token: service.token, body, method, headers });
};

async function done(...asked: Parameters<typeof ask>): Promise<Reply> {
  const reply = await ask(...asked);
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

const edit = (change: Record<string, unknown>) => planBody({ merchantId: service.merchantId, ...change });
const enrolment = (planId: string) => ({ planId, vaultId, orderNumber: 'Ana 11' });

type Entry = readonly [action: string, detail: Record<string, string | number>];

/** The entries on one thing, oldest first; each must be by the credential and from here. */
async function entriesOn(thing: string): Promise<Entry[]> {
  const rows = await service.auditor.query(
    `select action, actor, origin, outcome, detail from audit_entries where resource = $1 order by entry_number`,
    [`merchants/${service.merchantId}/${thing}`],
  );
  for (const { actor, origin, outcome } of rows)
    assert.deepEqual([actor, origin, outcome], [service.userName, '127.0.0.1', 'success']);
  return rows.map(({ action, detail }) => [String(action), JSON.parse(String(detail) || '{}')]);
}

test('a plan: made, edited field by field, and given other states', async () => {
  const { body: planId } = await done(PLANS, planBody());
  await done(`${PLANS}/${planId}/status`, { status: 'Inactive' });
  await done(`${PLANS}/${planId}`, edit({ name: 'Clube do Disco', amount: 59.905 }));
  await done(`${PLANS}/${planId}`, edit({ name: 'Clube do Disco', amount: 59.905 }));
  await done(`${PLANS}/${planId}/status`, { status: 'Canceled' });
  await done(`${PLANS}/${planId}/status`, { status: 'Canceled' });
  const terms = { planType: 'monthly', trialDays: 0, intervalDays: 30, installments: 0, maxRetries: 0 };
  assert.deepEqual(await entriesOn(`plans/${planId}`), [
    [
      'plan.create',
      {
        name: 'Clube do Livro',
        amount: '49.9',
        ...terms,
        softDescriptor: '-',
        description: 'Um livro por mês',
      },
    ],
    ['plan.change', { 'state.old': 'active', 'state.new': 'inactive' }],
    [
      'plan.change',
      {
        'name.old': 'Clube do Livro',
        'name.new': 'Clube do Disco',
        'amount.old': '49.9',
        'amount.new': '59.905',
      },
    ],
    ['plan.change', { 'state.old': 'inactive', 'state.new': 'canceled' }],
  ]);
});

test('a subscription: paid with another card, canceled and active again; its order number is left out', async () => {
  const planId = await insertPlan(service, { trial_days: 10 });
  const { body: id } = await done(SUBSCRIPTIONS, enrolment(planId));
  const other = await storeCard(service);
  await done(`${SUBSCRIPTIONS}/${id}/vault`, { vaultId: other });
  await done(`${SUBSCRIPTIONS}/${id}/vault`, { vaultId: other });
  await done(`${SUBSCRIPTIONS}/${id}/status`, { status: 'Canceled' });
  await done(`${SUBSCRIPTIONS}/${id}/status`, { status: 'Canceled' });
  await done(`${SUBSCRIPTIONS}/${id}/status`, { status: 'Actived' });
  assert.deepEqual(await entriesOn(`subscriptions/${id}`), [
    ['subscription.change', { 'vaultId.old': vaultId, 'vaultId.new': other }],
    ['subscription.change', { 'state.old': 'active', 'state.new': 'canceled' }],
    ['subscription.change', { 'state.old': 'canceled', 'state.new': 'active' }],
  ]);
});

test('a billing that is canceled by hand, once', async () => {
  const planId = await insertPlan(service, { trial_days: 10 });
  const { body: id } = await done(SUBSCRIPTIONS, enrolment(planId));
  const [billing] = await service.auditor.query(
    'select billing_id from billings where subscription_id = $1',
    [id],
  );
  const path = `/v1/recurrences/billing/${billing?.billing_id}/cancel`;
  await done(path, undefined);
  assert.equal((await ask(path, undefined)).status, 409);
  assert.deepEqual(await entriesOn(`billings/${billing?.billing_id}`), [
    ['billing.cancel', { 'state.old': 'opened', 'state.new': 'canceled' }],
  ]);
});

test('a notifier: registered by its server alone, ended and active again', async () => {
  const callbackUrl = 'http://127.0.0.1:49152/segredo?chave=1';
  const { body: id } = await done(ALERT_ENDPOINTS, alertEndpointBody(service, { callbackUrl }));
  await done(`${ALERT_ENDPOINTS}/${id}/status`, { status: 'Inactive' });
  await done(`${ALERT_ENDPOINTS}/${id}/status`, { status: 'Inactive' });
  await done(`${ALERT_ENDPOINTS}/${id}/status`, { status: 'Active' });
  assert.deepEqual(await entriesOn(`notifiers/${id}`), [
    [
      'notifier.register',
      { name: 'Cobranças', server: 'http://127.0.0.1:49152', events: 'failed, cardExpiring' },
    ],
    ['notifier.change', { 'state.old': 'active', 'state.new': 'inactive' }],
    ['notifier.change', { 'state.old': 'inactive', 'state.new': 'active' }],
  ]);
});

test('while the log cannot be written nothing is made or changed, and 503 is the answer', async () => {
  const planId = await insertPlan(service);
  const { body: id } = await done(SUBSCRIPTIONS, enrolment(planId));
  const { body: notifier } = await done(ALERT_ENDPOINTS, alertEndpointBody(service));
  const tables = ['plans', 'subscriptions', 'billings', 'webhook_endpoints'];
  const all = () =>
    Promise.all(
      tables.map((table) =>
        // The day up to which the service itself has looked for cards that expire is no change of a merchant.
        service.auditor.query(`select to_jsonb(t) - 'alerted_on' as row from ${table} t order by 1`),
      ),
    );
  const before = await all();
  const locker = await service.connect();
  try {
    await locker.query('begin');
    await locker.query('select from audit_head for update');
    const replies = await Promise.all([
      ask(PLANS, planBody()),
      ask(`${PLANS}/${planId}`, edit({ name: 'Clube' })),
      ask(`${PLANS}/${planId}/status`, { status: 'Canceled' }),
      ask(`${SUBSCRIPTIONS}/${id}/status`, { status: 'Canceled' }),
      ask(ALERT_ENDPOINTS, alertEndpointBody(service)),
      ask(`${ALERT_ENDPOINTS}/${notifier}/status`, { status: 'Inactive' }),
    ]);
    for (const { status, text } of replies) assert.equal(status, 503, text);
  } finally {
    await locker.end();
  }
  assert.deepEqual(await all(), before);
});

test('while the end of the log is held a new subscription is made all the same: it is its own record', async () => {
  const planId = await insertPlan(service);
  const locker = await service.connect();
  try {
    await locker.query('begin');
    await locker.query('select from audit_head for update');
    const { body: id } = await done(SUBSCRIPTIONS, enrolment(planId));
    const { body } = await done(`${SUBSCRIPTIONS}/${id}`, undefined, 'GET');
    assert.deepEqual([body.id, body.createdBy], [id, service.userName]);
  } finally {
    await locker.end();
  }
});

test('a wire that breaks at the commit makes neither a second plan nor a second entry', async () => {
  const count = async () => (await service.auditor.query('select 1 from plans')).length;
  const before = await count();
  for (const cut of ['cutBefore', 'cutAfter'] as const) {
    for (const at of ['audit.append', 'commit']) {
      const { cuts } = service.proxy;
      service.proxy[cut](at);
      const { status, body: id } = await ask(PLANS, planBody());
      assert.equal(service.proxy.cuts, cuts + 1, `${cut} ${at}`);
      // Before the commit was sent nothing can have been written; behind it the same is repeated.
      assert.equal(status, at === 'commit' ? 200 : 503, `${cut} ${at}`);
      if (status === 200) assert.equal((await entriesOn(`plans/${id}`)).length, 1, `${cut} ${at}`);
    }
  }
  assert.equal(await count(), before + 2);
});
