import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { AlertEvent } from '../../src/recurrence/alerts/alert.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { until } from '../kit/service.ts';
import { ALERT_ENDPOINTS, bodiesOf } from './alerts-service.ts';
import {
  BILLING,
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  dayAfter,
  jumpTo,
  openChargingService,
  PLANS,
  type Shop,
  SUBSCRIPTIONS,
  storeCard,
  subscribe,
} from './charging-service.ts';

/** Merchants are notified of what happens to their subscriptions, each change once, and of nothing else. */

const CHANGES: AlertEvent[] = ['failed', 'paid', 'canceled', 'blocked', 'reactivated', 'completed'];

let service: ChargingService;
const listeners: Listener[] = [];

before(async () => {
  service = await openChargingService();
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});
after(() => service?.close());

/** A merchant that is notified of these events. */
async function openNotified(
  merchantId: string,
  events: readonly AlertEvent[],
): Promise<{ readonly shop: Shop; readonly listener: Listener }> {
  const shop = await service.openShop(merchantId);
  const listener = await startListener(200);
  listeners.push(listener);
  await register(shop, listener, events);
  return { shop, listener };
}

function register(shop: Shop, { url }: Listener, events: readonly AlertEvent[]): Promise<string> {
  const about = { name: 'Assinaturas', description: 'Avisa a loja', callbackUrl: `${url}/avisos` };
  return shop.get(ALERT_ENDPOINTS, { body: { merchantId: shop.merchantId, ...about, events } });
}

type Written = { readonly event: AlertEvent; readonly on: string } & Record<string, unknown>;

/** Every notice that was written for the merchant, in its order, with the day of its business time. */
async function writtenFor({ merchantId }: Shop): Promise<Written[]> {
  const rows = await service.auditor.query(
    `select body, to_char(scheduled_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as day from deliveries
     where merchant_id = $1 and kind = 'notice' order by delivery_number`,
    [merchantId],
  );
  return rows.map(({ body, day }) => ({ ...JSON.parse(body as string), on: day }));
}

const eventsIn = (written: readonly Written[]) => written.map(({ event }) => event);

async function untilEvents(shop: Shop, wanted: readonly AlertEvent[]): Promise<Written[]> {
  const sorted = wanted.toSorted().join();
  return until(`notified of ${sorted}`, async () => {
    const written = await writtenFor(shop);
    return eventsIn(written).toSorted().join() === sorted && written;
  });
}

const setStatus = ({ get }: Shop, id: string, status: string) =>
  get(`${SUBSCRIPTIONS}/${id}/status`, { body: { status } });

test('a billing that is paid, and a subscription that is canceled and activated again, are notified of once each', async () => {
  const { shop, listener } = await openNotified('EVENTS-PAID', CHANGES);
  const { subscriptionId } = await subscribe(shop);
  const billing = await chargedBilling(shop, subscriptionId);
  const [charge] = chargesOf(billing);
  await setStatus(shop, subscriptionId, 'Canceled');
  await setStatus(shop, subscriptionId, 'Canceled');
  await setStatus(shop, subscriptionId, 'Actived');
  await setStatus(shop, subscriptionId, 'Active');
  const [paid, canceled, reactivated] = await untilEvents(shop, ['paid', 'canceled', 'reactivated']);
  const { on: _, ...body } = paid as Written;
  assert.deepEqual(body, {
    subscriptionId,
    billingId: billing.id,
    installment: 1,
    attempt: 1,
    returnCode: null,
    description: 'Sucesso',
    nextAttemptOn: null,
    status: 'Paid',
    event: 'paid',
    paymentId: charge.paymentId,
  });
  assert.deepEqual(
    [canceled?.subscriptionId, canceled?.status, canceled?.reason, canceled?.billingId, canceled?.paymentId],
    [subscriptionId, 'Canceled', 'ByMerchant', null, null],
  );
  assert.deepEqual(
    [reactivated?.event, reactivated?.status, reactivated?.reason],
    ['reactivated', 'Active', null],
  );
  await until('all were delivered', async () => listener.received.length === 3);
  // Each as it is described.
  assert.equal(bodiesOf(listener).length, 3);
});

test('failures, the end for a final decline, a canceled card and the last installment carry their charge', async () => {
  const { shop } = await openNotified('EVENTS-ENDS', CHANGES);
  const declined = await subscribe(shop, { attempts: 1 }, { kind: 'lacksFundsFiveTimes' });
  await chargedBilling(shop, declined.subscriptionId);
  const custom = { planType: 'Custom', interval: 30, installments: 1 };
  const last = await subscribe(shop, custom);
  await chargedBilling(shop, last.subscriptionId);
  const blocked = await subscribe(shop, {}, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, blocked.subscriptionId);
  await jumpTo(shop, 31);
  const written = await untilEvents(shop, [
    ...['failed', 'failed', 'canceled', 'paid', 'completed', 'paid', 'failed', 'blocked'],
  ] as AlertEvent[]);
  for (const [{ subscriptionId }, event, reason] of [
    [declined, 'canceled', 'Declined'],
    [last, 'completed', 'Completed'],
    [blocked, 'blocked', 'CardCanceled'],
  ] as const) {
    const notice = written.find((one) => one.event === event);
    const billings = await billingsOf(shop, subscriptionId);
    const billing = billings.find(({ id }) => id === notice?.billingId);
    assert.deepEqual([notice?.subscriptionId, notice?.reason], [subscriptionId, reason]);
    assert.equal(notice?.paymentId, chargesOf(billing).at(-1).paymentId);
  }
  const failures = written.filter(({ event }) => event === 'failed');
  assert.ok(failures.every(({ paymentId }) => typeof paymentId === 'string'));
});

test('a canceled plan, a canceled last billing and a chargeback are notified of as what they do', async () => {
  const { shop } = await openNotified('EVENTS-OTHERS', ['canceled', 'blocked', 'completed']);
  const [one, other] = [await subscribe(shop, { trialDays: 20 }), await subscribe(shop)];
  await shop.get(`${PLANS}/${one.planId}/status`, { body: { status: 'Canceled' } });
  await shop.get(`${PLANS}/${one.planId}/status`, { body: { status: 'Canceled' } });
  const custom = { planType: 'Custom', interval: 30, installments: 1, trialDays: 20 };
  const last = await subscribe(shop, custom);
  const [open] = await billingsOf(shop, last.subscriptionId);
  await shop.get(`${BILLING}/${open.id}/cancel`, { method: 'POST' });
  const [{ paymentId }] = chargesOf(await chargedBilling(shop, other.subscriptionId));
  const event = { type: 'chargeback', installmentNumber: 1 };
  await shop.get(`/homologation/transactions/${paymentId}/events`, { body: event });
  const written = await untilEvents(shop, ['canceled', 'completed', 'blocked']);
  assert.deepEqual(
    ['canceled', 'completed', 'blocked'].map((name) => {
      const found = written.find((notice) => notice.event === name);
      return [found?.subscriptionId, found?.reason, found?.billingId ?? null, found?.paymentId];
    }),
    [
      [one.subscriptionId, 'PlanCanceled', null, null],
      [last.subscriptionId, 'Completed', open.id, null],
      [other.subscriptionId, 'Chargeback', (await billingsOf(shop, other.subscriptionId))[0].id, paymentId],
    ],
  );
});

test('a jump notifies of each due day three days before it, in order, each once', async () => {
  const { shop } = await openNotified('EVENTS-UPCOMING', ['upcoming', 'paid']);
  const { subscriptionId } = await subscribe(shop, { trialDays: 10 });
  await jumpTo(shop, 75);
  const { startOn } = shop;
  const due = [10, 40, 70].map((days) => dayAfter(startOn, days));
  const written = await untilEvents(shop, ['upcoming', 'paid', 'upcoming', 'paid', 'upcoming', 'paid']);
  const notices = written.map(({ event, on, nextAttemptOn }) => [event, on, nextAttemptOn]);
  assert.deepEqual(
    notices,
    due.flatMap((day) => [
      ['upcoming', dayAfter(day, -3), day],
      ['paid', day, null],
    ]),
  );
  const billings = await billingsOf(shop, subscriptionId);
  assert.deepEqual(
    written.filter(({ event }) => event === 'upcoming').map(({ billingId }) => billingId),
    billings.slice(0, 3).map(({ id }) => id),
  );
  await jumpTo(shop, 1);
  assert.equal((await writtenFor(shop)).length, 6);
});

test('what ended before its third day makes none, and one that opens later follows its own day', async () => {
  const { shop, listener } = await openNotified('EVENTS-ENDED', ['upcoming']);
  const ended = await subscribe(shop, { trialDays: 10 });
  const withPlan = await subscribe(shop, { trialDays: 10 });
  const kept = await subscribe(shop, { trialDays: 10 });
  await jumpTo(shop, 2);
  await setStatus(shop, ended.subscriptionId, 'Canceled');
  await shop.get(`${PLANS}/${withPlan.planId}/status`, { body: { status: 'Canceled' } });
  await jumpTo(shop, 6);
  // Its day is two days ahead: the next look finds it.
  const late = await subscribe(shop, { trialDays: 3 });
  await jumpTo(shop, 1);
  const written = await untilEvents(shop, ['upcoming', 'upcoming']);
  assert.deepEqual(
    written.map(({ subscriptionId, nextAttemptOn, on }) => [subscriptionId, nextAttemptOn, on]),
    [
      [kept.subscriptionId, dayAfter(shop.startOn, 10), dayAfter(shop.startOn, 7)],
      [late.subscriptionId, dayAfter(shop.startOn, 11), dayAfter(shop.startOn, 9)],
    ],
  );
  // A new address is notified of what is within reach, and the one before of nothing twice.
  await register(shop, listener, ['upcoming']);
  await untilEvents(shop, ['upcoming', 'upcoming', 'upcoming', 'upcoming']);
  // A billing whose day is moved follows the new day.
  const [open] = await billingsOf(shop, late.subscriptionId);
  await service.auditor.query(
    'update billings set due_on = due_on + 20, charge_on = charge_on + 20 where billing_id = $1',
    [open.id],
  );
  await jumpTo(shop, 20);
  const moved = (await writtenFor(shop)).filter(
    ({ subscriptionId, nextAttemptOn }) =>
      subscriptionId === late.subscriptionId && nextAttemptOn === dayAfter(shop.startOn, 31),
  );
  assert.deepEqual(
    moved.map(({ on }) => on),
    [28, 28].map((days) => dayAfter(shop.startOn, days)),
  );
});

test('a notifier of failures alone is written nothing else', async () => {
  const { shop, listener } = await openNotified('EVENTS-FAILED', ['failed']);
  const { subscriptionId } = await subscribe(shop, { trialDays: 4 });
  await jumpTo(shop, 5);
  await chargedBilling(shop, subscriptionId);
  await setStatus(shop, subscriptionId, 'Canceled');
  await setStatus(shop, subscriptionId, 'Actived');
  const failing = await subscribe(shop, {}, { kind: 'lacksFundsOnce' });
  await chargedBilling(shop, failing.subscriptionId);
  await untilEvents(shop, ['failed']);
  await until('it was delivered', async () => listener.received.length === 1);
});

test('each change is notified of once, also when processes die in the middle of a jump and another goes on', async () => {
  const { shop } = await openNotified('EVENTS-KILLED', ['paid', 'upcoming', 'completed']);
  const custom = { planType: 'Custom', interval: 20, installments: 6, trialDays: 5 };
  const subscriptions = await Promise.all(Array.from({ length: 4 }, () => subscribe(shop, custom)));
  const { gatewayUrl } = await service.ownProcess();
  const asked = { token: shop.token, body: { advanceDays: 120 } };
  const jump = call(gatewayUrl, '/homologation/clock', asked).catch(() => null);
  for (const count of [6, 20].slice(0, sliceOf(2, 1))) {
    const own = await service.ownProcess();
    await until(`${count} notices are written`, async () => (await writtenFor(shop)).length >= count);
    await own.kill();
  }
  await jump;
  const each = Array.from({ length: 6 }, (): AlertEvent[] => ['upcoming', 'paid']).flat();
  const written = await untilEvents(
    shop,
    subscriptions.flatMap((): AlertEvent[] => [...each, 'completed']),
  );
  for (const { subscriptionId } of subscriptions)
    assert.deepEqual(eventsIn(written.filter((one) => one.subscriptionId === subscriptionId)), [
      ...each,
      'completed',
    ]);
  const keys = written.map(({ event, billingId }) => `${event} ${billingId}`);
  assert.equal(new Set(keys).size, keys.length);
});

test('a card of a subscription that is given another vault is charged, and activating it is notified of', async () => {
  const { shop } = await openNotified('EVENTS-VAULT', ['reactivated', 'blocked']);
  const { subscriptionId } = await subscribe(shop, {}, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, 31);
  await untilEvents(shop, ['blocked']);
  await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}/vault`, { body: { vaultId: await storeCard(shop) } });
  await setStatus(shop, subscriptionId, 'Actived');
  const [, reactivated] = await untilEvents(shop, ['blocked', 'reactivated']);
  assert.deepEqual([reactivated?.billingId, reactivated?.description], [null, 'Reativada a seu pedido.']);
});
