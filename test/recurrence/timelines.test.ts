import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { call } from '../kit/merchant.ts';
import { plantBilling, plantCharge, plantDecline, plantEvent, plantSubscription } from './billing-rows.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

const SUBSCRIPTIONS = '/v1/recurrences/subscriptions';
const BILLINGS = '/v1/recurrences/billing';

type Entry = {
  readonly at: string;
  readonly type: string;
  readonly by: string;
  readonly reason?: string;
  readonly description?: string;
  readonly billingId?: string;
};

let service: RecurrenceService;
let vaultId: string;

before(async () => {
  service = await openRecurrenceService();
  vaultId = await storeCard(service);
});
after(() => service.close());

const get = (path: string, language = 'pt') =>
  call(service.url, path, { token: service.token, headers: { 'accept-language': language } });

async function post(path: string, body?: unknown) {
  const reply = await call(service.url, path, { method: 'POST', token: service.token, body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

const enrol = async (planId: string): Promise<string> =>
  post(SUBSCRIPTIONS, { vaultId, orderNumber: 'P-1001', planId });
const setStatus = (id: string, status: string) => post(`${SUBSCRIPTIONS}/${id}/status`, { status });
const setCard = (id: string, other: string) => post(`${SUBSCRIPTIONS}/${id}/vault`, { vaultId: other });

/** The reply to who reads a subscription, and its timeline without moments. */
async function lifeOf(id: string, language?: string) {
  const { body, status } = await get(`${SUBSCRIPTIONS}/${id}`, language);
  assert.equal(status, 200);
  const timeline = body.timeline as readonly Entry[];
  const moments = timeline.map(({ at }) => at);
  assert.deepEqual(moments, moments.toSorted(), 'in order');
  return { body, timeline, reported: timeline.map(({ type, by, reason }) => [type, by, reason]) };
}

async function billingOf(subscriptionId: string): Promise<string> {
  const [row] = await service.auditor.query(
    'select billing_id from billings where subscription_id = $1 order by created_at desc limit 1',
    [subscriptionId],
  );
  return row?.billing_id as string;
}

async function cancelOf(billingId: string, language?: string): Promise<Entry | undefined> {
  const { body } = await get(`${BILLINGS}/${billingId}`, language);
  assert.equal(body.status, 'Canceled');
  return (body.timeline as readonly Entry[]).at(-1);
}

test('a subscription reports what its merchant did to it, in order, and nothing of what changed nothing', async () => {
  const id = await enrol(await insertPlan(service));
  const me = service.userName;
  await setStatus(id, 'Actived');
  await setCard(id, vaultId);
  const untouched = await lifeOf(id);
  assert.deepEqual(untouched.reported, [['Created', me, undefined]]);
  assert.equal(untouched.body.statusReason, undefined);
  await setStatus(id, 'Canceled');
  await setStatus(id, 'Canceled');
  await setCard(id, await storeCard(service));
  const canceled = await lifeOf(id);
  assert.equal(canceled.body.statusReason, 'ByMerchant');
  assert.equal(canceled.timeline[1]?.description, 'Cancelada a seu pedido.');
  assert.equal(canceled.timeline[2]?.at, canceled.body.modifiedDate);
  assert.equal((await lifeOf(id, 'en')).timeline[1]?.description, 'Canceled at your request.');
  await setStatus(id, 'Active');
  const active = await lifeOf(id);
  assert.deepEqual(active.reported, [
    ['Created', me, undefined],
    ['Canceled', me, 'ByMerchant'],
    ['VaultChanged', me, undefined],
    ['Activated', me, undefined],
  ]);
  assert.equal(active.body.statusReason, undefined);
});

test('a change whose connection to the database breaks at the commit is reported once', async () => {
  const id = await enrol(await insertPlan(service));
  service.proxy.cutAfter('commit');
  await setStatus(id, 'Canceled');
  service.proxy.cutAfter('commit');
  await setCard(id, await storeCard(service));
  const types = (await lifeOf(id)).timeline.map(({ type }) => type);
  assert.deepEqual(types, ['Created', 'Canceled', 'VaultChanged']);
});

test('lists and billings show why a subscription is not active, without its timeline', async () => {
  const id = await enrol(await insertPlan(service, { name: 'Motivo', search_name: 'motivo' }));
  await setStatus(id, 'Canceled');
  const { items } = (await get(`${SUBSCRIPTIONS}?planName=motivo`)).body;
  assert.deepEqual([items[0].statusReason, items[0].timeline], ['ByMerchant', undefined]);
  const { subscription } = (await get(`${BILLINGS}/${await billingOf(id)}`)).body;
  assert.deepEqual([subscription.statusReason, subscription.timeline], ['ByMerchant', undefined]);
});

test('the end of a plan is reported by its subscriptions and by what they had open', async () => {
  const planId = await insertPlan(service, { trial_days: 5 });
  const ids = [await enrol(planId), await enrol(planId)];
  await setStatus(ids[1] as string, 'Canceled');
  await post(`/v1/recurrences/plans/${planId}/status`, { status: 'Canceled' });
  const [ended, before] = await Promise.all(ids.map((id) => lifeOf(id)));
  assert.deepEqual(ended?.reported.slice(1), [['Canceled', service.userName, 'PlanCanceled']]);
  assert.deepEqual(
    before?.reported.slice(1),
    [['Canceled', service.userName, 'ByMerchant']],
    'once, as it was',
  );
  const canceled = await cancelOf(await billingOf(ids[0] as string));
  assert.deepEqual([canceled?.by, canceled?.reason], [service.userName, 'PlanCanceled']);
  assert.equal(canceled?.description, 'Cancelada junto com o plano da assinatura.');
});

test('the cancel of its last billing completes a subscription, and it reports through which', async () => {
  const planId = await insertPlan(service, { plan_type: 'custom', installments: 1, trial_days: 5 });
  const id = await enrol(planId);
  const billingId = await billingOf(id);
  await post(`${BILLINGS}/${billingId}/cancel`);
  const { body, timeline, reported } = await lifeOf(id);
  assert.deepEqual([body.status, body.statusReason], ['Canceled', 'Completed']);
  assert.deepEqual(reported.slice(1), [['Completed', 'system', 'Completed']]);
  assert.equal(timeline[1]?.billingId, billingId);
  assert.equal((await cancelOf(billingId))?.reason, 'ByMerchant', 'its own cancel ended the subscription');
});

test('a cancel that is followed by another billing is no event of the subscription', async () => {
  const id = await enrol(await insertPlan(service, { trial_days: 5 }));
  const billingId = await billingOf(id);
  await post(`${BILLINGS}/${billingId}/cancel`);
  assert.equal((await lifeOf(id)).timeline.length, 1);
  const canceled = await cancelOf(billingId, 'en');
  assert.deepEqual([canceled?.by, canceled?.reason], [service.userName, 'ByMerchant']);
  assert.equal(canceled?.description, 'Canceled by itself, at your request.');
});

test('a billing that ended with its subscription says so, tried or not', async () => {
  const planId = await insertPlan(service, { trial_days: 5 });
  for (const chargesMade of [0, 1]) {
    const id = await enrol(planId);
    const billingId = await billingOf(id);
    await service.auditor.query('update billings set charges_made = $2 where billing_id = $1', [
      billingId,
      chargesMade,
    ]);
    await setStatus(id, 'Canceled');
    assert.equal((await cancelOf(billingId))?.reason, 'SubscriptionCanceled', `${chargesMade}`);
    // Its reason stays what it was, whatever becomes of the subscription.
    await setStatus(id, 'Active');
    await post(`/v1/recurrences/plans/${await insertPlan(service)}/status`, { status: 'Canceled' });
    assert.equal((await cancelOf(billingId))?.reason, 'SubscriptionCanceled');
  }
});

test('a block is reported with the billing whose charge did it, and by the billing that ended with it', async () => {
  const { subscriptionId } = await plantSubscription(service, { state: 'blocked', reason: 'chargeback' });
  const paid = await plantBilling(service, subscriptionId, { state: 'paid' });
  const moment = '2026-12-20T13:00:00.250Z';
  const ended = { state: 'canceled', installment: 2, due_on: '2026-12-31', is_skipped: true };
  const openOne = { ...ended, modified_by: 'system', modified_at: moment };
  const other = await plantBilling(service, subscriptionId, openOne);
  const happened = { reason: 'chargeback', billing_id: paid, created_at: moment };
  await plantEvent(service, subscriptionId, happened);
  const { body, timeline } = await lifeOf(subscriptionId);
  assert.deepEqual([body.status, body.statusReason], ['Blocked', 'Chargeback']);
  assert.deepEqual(timeline.slice(1), [
    {
      at: '2026-12-20T10:00:00.250',
      type: 'Blocked',
      by: 'system',
      reason: 'Chargeback',
      description: 'Bloqueada porque o portador contestou uma cobrança (chargeback).',
      billingId: paid,
    },
  ]);
  assert.equal((await cancelOf(other))?.reason, 'SubscriptionBlocked');
});

test('a charge that failed after the end of its subscription canceled its billing for it', async () => {
  const { subscriptionId } = await plantSubscription(service, { state: 'canceled', reason: 'plan' });
  const at = { modified_by: 'system', modified_at: '2026-12-01T03:00:09Z' };
  const billingId = await plantBilling(service, subscriptionId, {
    state: 'canceled',
    charges_made: 1,
    ...at,
  });
  const failed = { outcome: 'funds', rule: 'subscriptionEnded', ended_at: at.modified_at };
  await plantCharge(service, billingId, failed);
  const before = {
    type: 'canceled',
    reason: 'plan',
    created_by: 'ana',
    created_at: '2026-12-01T03:00:05Z',
  };
  await plantEvent(service, subscriptionId, before);
  // What came later did not do it.
  await plantEvent(service, subscriptionId, { created_at: '2026-12-05T03:00:05Z' });
  const canceled = await cancelOf(billingId);
  assert.deepEqual([canceled?.by, canceled?.reason], ['system', 'PlanCanceled']);
});

test('of a long life the beginning and the newest hundred are shown', async () => {
  const { subscriptionId } = await plantSubscription(service);
  const start = Date.parse('2027-01-01T00:00:00Z');
  for (let index = 0; index < 103; index += 1) {
    const created_at = new Date(start + index * 1_000);
    await plantEvent(service, subscriptionId, { created_at, created_by: `user ${index}` });
  }
  const { timeline } = await lifeOf(subscriptionId);
  assert.equal(timeline.length, 101);
  const shown = [timeline[0]?.type, timeline[1]?.by, timeline[100]?.by];
  assert.deepEqual(shown, ['Created', 'user 3', 'user 102']);
});

test("a charge reports what the issuer's code means in the words of the card's network, and its payment", async () => {
  const { subscriptionId } = await plantSubscription(service);
  const billingId = await plantBilling(service, subscriptionId, { charges_made: 3 });
  const tried = { outcome: 'denied', response_code: '82', rule: 'denied', ended_at: new Date() };
  const byVisa = await plantDecline(service, { card_brand: 'visa', response_code: '82' });
  const byMastercard = await plantDecline(service, { response_code: '82' });
  const foreign = await plantDecline({ ...service, merchantId: FOREIGN_MERCHANT });
  const unasked = { outcome: 'invalid', response_code: null, rule: 'cardExpired' };
  for (const [index, change] of [
    { transaction_id: byVisa },
    { transaction_id: byMastercard },
    unasked,
    // No other merchant's transaction is read.
    { transaction_id: foreign },
  ].entries()) {
    const row = { ...tried, charge_number: index + 1, attempt_number: index + 1, ...change };
    await plantCharge(service, billingId, row);
  }
  const read = async (language?: string) => {
    const { timeline } = (await get(`${BILLINGS}/${billingId}`, language)).body;
    return timeline
      .slice(1)
      .map((entry: Record<string, unknown>) => [entry.meaning, entry.paymentId, entry.rule]);
  };
  assert.deepEqual(await read('en'), [
    ['Invalid card (cryptogram)', byVisa, 'Denied'],
    ['Transaction against the policy of the issuer', byMastercard, 'Denied'],
    [null, null, 'CardExpired'],
    [null, foreign, 'Denied'],
  ]);
  assert.equal((await read())[0][0], 'Cartão inválido (criptograma)');
});

test('a blocked subscription that has something open after all bills nothing twice when it is active again', async () => {
  const card = { vault_id: vaultId, state: 'blocked', reason: 'cardCanceled', first_due_on: '2030-01-01' };
  const { subscriptionId } = await plantSubscription(service, card);
  await plantBilling(service, subscriptionId, { due_on: '2030-01-01' });
  await setStatus(subscriptionId, 'Active');
  const rows = await service.auditor.query(
    `select state, is_skipped, installment, due_on::text as due_on from billings where subscription_id = $1
     order by created_at`,
    [subscriptionId],
  );
  const reported = rows.map(({ state, is_skipped, installment, due_on }) => [
    state,
    is_skipped,
    installment,
    due_on,
  ]);
  assert.deepEqual(reported, [
    ['canceled', true, 1, '2030-01-01'],
    ['opened', false, 1, '2030-01-01'],
  ]);
  const types = (await lifeOf(subscriptionId)).timeline.map(({ type }) => type);
  assert.deepEqual(types, ['Created', 'Activated']);
});
