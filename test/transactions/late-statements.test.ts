import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { plantSubscription } from '../recurrence/billing-rows.ts';
import {
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from '../recurrence/recurrence-service.ts';

/**
 * A statement is held on its way, is answered as lost, and arrives after all when its request has
 * long had its end.
 */

const DEADLINE = 3_000;
const SETTINGS = {
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: String(DEADLINE),
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1000',
};

let service: RecurrenceService;

before(async () => {
  service = await openRecurrenceService(SETTINGS);
});
after(() => service.close());

/**
 * Sends a request whose statement is held; gives its status (null: cut) and what hands the
 * statement over once it is late.
 */
async function sendHeld(
  text: string,
  path: string,
  options: Parameters<typeof call>[2],
  meanwhile = async () => {},
) {
  const holding = service.proxy.hold(text);
  const startedAt = performance.now();
  const asked = call(service.url, path, options).then(
    ({ status }): number | null => status,
    () => null,
  );
  const handOver = await holding;
  await meanwhile();
  return {
    status: await asked,
    async handOverLate() {
      await until('its deadline is over', async () => performance.now() > startedAt + DEADLINE);
      return (await handOver()).toString('latin1');
    },
  };
}

test('a cancel that was refused while its first statement was on its way is not carried out when that arrives', async () => {
  const { reply } = await pay(service.url, service.gatewayToken, 40_000);
  const { paymentId } = reply.body.paymentAuthorization;
  // Another cancel holds all of it.
  const cancelId = randomUUID();
  await service.auditor.query('update transactions set canceled_amount = amount where transaction_id = $1', [
    paymentId,
  ]);
  await service.auditor.query(
    `insert into cancels (merchant_id, transaction_id, cancel_id, state, amount, created_by, requested_at, due_at)
     values ($1, $2, $3, 'canceling', 40000, 'loja', now(), now() + interval '1 hour')`,
    [service.merchantId, paymentId, cancelId],
  );
  const sent = await sendHeld('cancels.commit_intents\0', `/v1/payments/${paymentId}/cancel`, {
    token: service.gatewayToken,
    body: { amount: 100 },
  });
  assert.equal(sent.status, null, 'a refusal is not final while the first statement may still arrive');
  await service.auditor.query('update transactions set canceled_amount = 0 where transaction_id = $1', [
    paymentId,
  ]);
  await service.auditor.query('delete from cancels where cancel_id = $1', [cancelId]);
  await sent.handOverLate();
  const rows = await service.auditor.query('select state, amount from cancels where transaction_id = $1', [
    paymentId,
  ]);
  assert.deepEqual(rows, []);
});

test('an enrolment that was refused while its first statement was on its way is not made when that arrives', async () => {
  const { planId } = await plantSubscription(service);
  const vaultId = await storeCard(service);
  const editor = await service.connect();
  await editor.query('begin');
  await editor.query("update plans set state = 'inactive' where plan_id = $1", [planId]);
  const body = { planId, vaultId, orderNumber: 'P-LATE' };
  const sent = await sendHeld(
    'enrolments.insert\0',
    '/v1/recurrences/subscriptions',
    { token: service.token, body },
    async () => void (await editor.query('commit')),
  );
  await editor.end();
  assert.equal(sent.status, null);
  await service.auditor.query("update plans set state = 'active' where plan_id = $1", [planId]);
  await sent.handOverLate();
  const rows = await service.auditor.query('select 1 from subscriptions where order_number = $1', ['P-LATE']);
  assert.deepEqual(rows, []);
});

test('an activation whose commit arrives late is not carried out', async () => {
  const change = { state: 'canceled', reason: 'user' };
  const { subscriptionId } = await plantSubscription(service, change);
  const sent = await sendHeld(
    "current_setting('parcela.deadline')",
    `/v1/recurrences/subscriptions/${subscriptionId}/status`,
    { token: service.token, body: { status: 'Actived' } },
  );
  assert.equal(sent.status, null);
  assert.match(await sent.handOverLate(), /division by zero/);
  const [row] = await service.auditor.query('select state from subscriptions where subscription_id = $1', [
    subscriptionId,
  ]);
  assert.equal(row?.state, 'canceled');
});
