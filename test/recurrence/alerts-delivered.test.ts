import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { chargeAlert, type EndedCharge } from '../../src/recurrence/alerts/alert.ts';
import { addDays, type Day } from '../../src/values/instant.ts';
import { arrive, readClock } from '../kit/clock.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  type AlertsService,
  bodiesOf,
  createQuietPlan,
  createSecret,
  deliveriesOf,
  endAlertEndpoints,
  failCharge,
  lastDayOfMonth,
  moveAlertEndpoint,
  openAlertsService,
  registerAlertEndpoint,
  storeCardUntil,
  subscribe,
  untilReceived,
} from './alerts-service.ts';

const FAILURE = {
  subscriptionId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  billingId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a45',
  installment: 2,
  attemptNumber: 1,
  returnCode: '51',
  description: 'Saldo insuficiente',
  nextAttemptOn: '2027-01-03' as Day,
  status: 'Opened',
  paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a47',
} as const;
/** The same as merchants read it. */
const { attemptNumber, ...OTHERS } = FAILURE;
const NOTICE = { ...OTHERS, attempt: attemptNumber, event: 'failed' };
const failureAlert = (charge: EndedCharge) => chargeAlert(charge).body;

let service: AlertsService;
let planId: string;
const listeners: Listener[] = [];

before(async () => {
  service = await openAlertsService();
  planId = await createQuietPlan(service);
});
afterEach(async () => {
  await endAlertEndpoints(service);
  await service.auditor.query(
    `update subscriptions set state = 'canceled', reason = 'user' where state = 'active'`,
  );
  await Promise.all(listeners.splice(0).map((listener) => listener.close()));
});
after(() => service?.close());

async function listen(answering: Parameters<typeof startListener>[0] = 200): Promise<Listener> {
  const listener = await startListener(answering);
  listeners.push(listener);
  return listener;
}

const clockDay = async () =>
  ((await readClock(service.gatewayUrl, service.gatewayToken)).now as string).slice(0, 10) as Day;
const jumpTo = (day: Day) =>
  arrive(service.gatewayUrl, service.gatewayToken, { to: `${day}T12:00:00` }) as Promise<{
    ran: Record<string, number>;
  }>;

/** Somebody whose card is good through a day. */
async function subscribeUntil(lastDay: Day): Promise<{ subscriptionId: string; vaultId: string }> {
  const vaultId = await storeCardUntil(service, lastDay);
  return { subscriptionId: await subscribe(service, planId, vaultId), vaultId };
}

test('a failed charge is notified to every active notifier, signed like any webhook, byte for byte', async () => {
  const secret = await createSecret(service);
  const [one, other, ended] = [await listen(), await listen(), await listen()];
  await registerAlertEndpoint(service, { callbackUrl: `${one.url}/avisos?loja=1` });
  await registerAlertEndpoint(service, { callbackUrl: other.url });
  const endedId = await registerAlertEndpoint(service, { callbackUrl: ended.url });
  assert.equal((await moveAlertEndpoint(service, endedId, 'Inactive')).status, 200);
  const text = failureAlert(FAILURE);
  assert.equal((await failCharge(service, text)).waits, true);
  for (const listener of [one, other]) {
    const [received] = await untilReceived(listener, 1);
    assert.equal(received?.body, text);
    assert.deepEqual(
      secret.verify(received?.body ?? '', received?.headers as Record<string, string>),
      NOTICE,
    );
  }
  assert.equal(one.received[0]?.path, '/avisos?loja=1');
  assert.equal(ended.received.length, 0);
});

test('where nobody is registered nothing is written', async () => {
  const { billingId, waits } = await failCharge(service, failureAlert(FAILURE));
  assert.equal(waits, false);
  const rows = await service.auditor.query('select 1 from deliveries where transaction_id = $1', [billingId]);
  assert.equal(rows.length, 0);
});

test('a server that is down learns of a failure later, and of those of one billing in their order', async () => {
  const listener = await listen(503);
  await registerAlertEndpoint(service, { callbackUrl: listener.url });
  const first = failureAlert(FAILURE);
  const second = failureAlert({ ...FAILURE, attemptNumber: 2, nextAttemptOn: null, status: 'Denied' });
  const { billingId } = await failCharge(service, first);
  await untilReceived(listener, 1);
  await failCharge(service, second, billingId);
  await until('both wait', async () => {
    const rows = await service.auditor.query(
      `select tries from deliveries where transaction_id = $1 and state = 'waiting' order by delivery_number`,
      [billingId],
    );
    return rows.length === 2 && (rows[0]?.tries as number) >= 1;
  });
  listener.answerWith(200);
  await arrive(service.gatewayUrl, service.gatewayToken, { advanceDays: 1 });
  const delivered = await until('both were delivered', async () => {
    const rows = await service.auditor.query(
      `select 1 from deliveries where transaction_id = $1 and state = 'delivered'`,
      [billingId],
    );
    return rows.length === 2 && rows;
  });
  assert.equal(delivered.length, 2);
  const bodies = listener.received.map(({ body }) => body);
  assert.deepEqual([bodies.at(-2), bodies.at(-1)], [first, second]);
  assert.ok(bodies.slice(0, -1).every((body) => body === first));
});

test('the history shows a notice as what it is, and sends it again by hand', async () => {
  const listener = await listen();
  await registerAlertEndpoint(service, { callbackUrl: `${listener.url}/avisos` });
  const { billingId } = await failCharge(service, failureAlert(FAILURE));
  await untilReceived(listener, 1);
  const shown = await until('it is delivered', async () =>
    (await deliveriesOf(service)).find((row) => row.noticeOf === billingId && row.status === 'Delivered'),
  );
  const { kind, movementId, nsu, installmentNumber, paymentId, url, tries } = shown;
  assert.deepEqual(
    { kind, movementId, nsu, installmentNumber, paymentId, url, tries },
    {
      kind: 'Notice',
      movementId: null,
      nsu: null,
      installmentNumber: null,
      paymentId: null,
      url: `${listener.url}/avisos`,
      tries: 1,
    },
  );
  const sorted = await deliveriesOf(service, '&orderBy=noticeOf%20desc');
  assert.notEqual(sorted[0]?.noticeOf, null);
  const { integrationUrl, integrationToken: token } = service;
  const path = `/api/webhooks/deliveries/${shown.id}`;
  assert.equal((await call(integrationUrl, path, { token })).body.body, failureAlert(FAILURE));
  assert.equal((await call(integrationUrl, `${path}/resend`, { token, method: 'POST' })).status, 200);
  const [once, again] = await untilReceived(listener, 2);
  assert.equal(again?.headers['webhook-id'], once?.headers['webhook-id']);
});

test('a server takes callbacks of payments and notices side by side', async () => {
  const listener = await listen();
  await registerAlertEndpoint(service, { callbackUrl: `${listener.url}/avisos` });
  const sold = await pay(service.gatewayUrl, service.gatewayToken, 1_500, {
    urlCallBack: `${listener.url}/pagamentos`,
  });
  assert.equal(sold.reply.status, 200, sold.reply.text);
  await failCharge(service, failureAlert(FAILURE));
  await untilReceived(listener, 2);
  assert.deepEqual(listener.received.map(({ path }) => path).sort(), ['/avisos', '/pagamentos']);
});

test('what waits for a notifier that has ended is still sent', async () => {
  const listener = await listen(503);
  const id = await registerAlertEndpoint(service, { callbackUrl: listener.url });
  await failCharge(service, failureAlert(FAILURE));
  await untilReceived(listener, 1);
  assert.equal((await moveAlertEndpoint(service, id, 'Inactive')).status, 200);
  listener.answerWith(200);
  await arrive(service.gatewayUrl, service.gatewayToken, { advanceDays: 1 });
  await until('it was delivered', async () => {
    const rows = await service.auditor.query(
      `select 1 from deliveries where kind = 'notice' and state = 'waiting'`,
    );
    return rows.length === 0;
  });
  assert.ok(listener.received.length >= 2);
});

test('a card that expires within 30 days is reported at once, one time to each notifier', async () => {
  const secret = await createSecret(service);
  const day = await clockDay();
  const lastDay = lastDayOfMonth(day);
  const { subscriptionId, vaultId } = await subscribeUntil(lastDay);
  await subscribeUntil(lastDayOfMonth(day, 6));
  const [one, other] = [await listen(), await listen()];
  await registerAlertEndpoint(service, { callbackUrl: one.url });
  const [received] = await untilReceived(one, 1);
  assert.deepEqual(secret.verify(received?.body ?? '', received?.headers as Record<string, string>), {
    type: 'CardExpiring',
    subscriptionId,
    vaultId,
    cardExpiresOn: lastDay,
    brand: 'mastercard',
    lastFour: '0001',
    event: 'cardExpiring',
    paymentId: null,
  });
  const otherId = await registerAlertEndpoint(service, { callbackUrl: other.url });
  await untilReceived(other, 1);
  await moveAlertEndpoint(service, otherId, 'Inactive');
  await moveAlertEndpoint(service, otherId, 'Active');
  if (day < lastDay) await jumpTo(addDays(day, 1));
  const rows = await service.auditor.query('select 1 from deliveries where transaction_id = $1', [
    subscriptionId,
  ]);
  assert.equal(rows.length, 2);
  assert.deepEqual([one.received.length, other.received.length], [1, 1]);
});

test('a jump notifies of each card on the 30th day before its last, and of nothing twice', async () => {
  const listener = await listen();
  const start = await clockDay();
  const months = [3, 4, 6];
  const enrolled: { subscriptionId: string; lastDay: Day }[] = [];
  for (const later of months) {
    const lastDay = lastDayOfMonth(start, later);
    enrolled.push({ lastDay, subscriptionId: (await subscribeUntil(lastDay)).subscriptionId });
  }
  await registerAlertEndpoint(service, { callbackUrl: listener.url });
  const endpoint = addDays(lastDayOfMonth(start, 5), 10);
  const { ran } = await jumpTo(endpoint);
  assert.equal(ran.notices, 3);
  await untilReceived(listener, 3);
  assert.deepEqual(
    bodiesOf(listener).map(({ subscriptionId, cardExpiresOn }) => ({
      subscriptionId,
      lastDay: cardExpiresOn,
    })),
    enrolled,
  );
  for (const { subscriptionId, lastDay } of enrolled) {
    const rows = await service.auditor.query(
      `select to_char(scheduled_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD HH24:MI') as at from deliveries
       where transaction_id = $1`,
      [subscriptionId],
    );
    assert.deepEqual(rows, [{ at: `${addDays(lastDay, -30)} 00:00` }]);
  }
  assert.equal((await jumpTo(addDays(endpoint, 10))).ran.notices, 0);
  assert.equal(listener.received.length, 3);
});

test('a subscription that is not active, and a card that has expired, make no notice', async () => {
  const listener = await listen();
  const start = await clockDay();
  const [soon, later] = [lastDayOfMonth(start, 2), lastDayOfMonth(start, 4)];
  const gone = await subscribeUntil(soon);
  const kept = await subscribeUntil(later);
  const body = { status: 'Canceled' };
  await service.ask(`/v1/recurrences/subscriptions/${gone.subscriptionId}/status`, { body });
  await subscribeUntil(lastDayOfMonth(start, 1));
  // No endpoint is registered while one of the cards expires.
  await jumpTo(addDays(lastDayOfMonth(start, 1), 1));
  await registerAlertEndpoint(service, { callbackUrl: listener.url });
  await jumpTo(addDays(later, -1));
  assert.deepEqual(
    bodiesOf(listener).map(({ subscriptionId }) => subscriptionId),
    [kept.subscriptionId],
  );
});

test('very many cards that expire in one month all make a notice', async () => {
  const listener = await listen();
  const { vaultId, subscriptionId } = await subscribeUntil(lastDayOfMonth(await clockDay()));
  // Of one card more than a batch takes, and more cards than one looks at.
  const copies = `select (jsonb_populate_record(s, jsonb_build_object('subscription_id', gen_random_uuid()))).*
    from subscriptions s, generate_series(1, 450) where s.subscription_id = $1`;
  await service.auditor.query(`insert into subscriptions ${copies}`, [subscriptionId]);
  await service.auditor.query(
    `insert into vault_cards select (jsonb_populate_record(v, jsonb_build_object('vault_id', gen_random_uuid()))).*
     from vault_cards v, generate_series(1, 450) where v.vault_id = $1`,
    [vaultId],
  );
  const count = async (text: string) => (await service.auditor.query(text, [vaultId]))[0]?.count as number;
  await registerAlertEndpoint(service, { callbackUrl: listener.url });
  const reported = () => count('select count(*)::int as count from card_expiry_alerts where vault_id = $1');
  await until('all were told', async () => (await reported()) === 451, 60_000);
  const written = await count(
    `select count(*)::int as count from deliveries where kind = 'notice' and body like '%' || $1 || '%'`,
  );
  assert.equal(written, 451);
});
