import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY } from '../kit/clock.ts';
import { until } from '../kit/service.ts';
import {
  type ChargingService,
  chargedBilling,
  jumpTo,
  ledgerOf,
  openChargingService,
  SUBSCRIPTIONS,
  statusOf,
  subscribe,
} from './charging-service.ts';

/** A chargeback that waits for days, for a cancel of its charge that the acquirer decides later. */

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

/** A paid billing with a pending cancel of a part, and a chargeback of another part behind it. */
async function openWaiting(merchantId: string, decidedAfterDays: number) {
  const shop = await service.openShop(merchantId);
  const { subscriptionId } = await subscribe(shop, { planType: 'Custom', interval: 20, installments: 8 });
  const { paymentId } = await chargedBilling(shop, subscriptionId);
  const cancellations = [{ outcome: 'pending', decidedAfterMilliseconds: decidedAfterDays * DAY }];
  const script = { method: 'POST', body: JSON.stringify({ merchantId, steps: [], cancellations }) };
  assert.equal((await fetch(new URL('/script', service.simulatorUrl), script)).status, 200);
  const accepted = await shop.ask(`/v1/payments/${paymentId}/cancel`, { body: { amount: 1_000 } });
  assert.equal(accepted.status, 202, accepted.text);
  const event = { type: 'chargeback', installmentNumber: 1, amount: 500 };
  await shop.get(`/homologation/transactions/${paymentId}/events`, { body: event });
  const changeOf = async () => {
    const rows = await service.auditor.query(
      'select state, reason from acquirer_changes where reference = $1',
      [paymentId],
    );
    return rows.map(({ state, reason }) => [state, reason]);
  };
  assert.deepEqual(await changeOf(), [['waiting', 'beingCanceled']]);
  await until(
    'the subscription is blocked',
    async () => (await statusOf(shop, subscriptionId)) === 'Blocked',
  );
  return { shop, subscriptionId, paymentId, changeOf };
}

test('a chargeback behind a pending cancel blocks the subscription at once: its next day is not charged', async () => {
  const { shop, subscriptionId, changeOf } = await openWaiting('estorno-espera', 30);
  await jumpTo(shop, 25);
  assert.deepEqual(await changeOf(), [['waiting', 'beingCanceled']]);
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
  assert.equal((await ledgerOf(service, shop)).length, 1);
});

test('a subscription that is reactivated meanwhile stays active when the chargeback is applied', async () => {
  const { shop, subscriptionId, paymentId, changeOf } = await openWaiting('estorno-reativada', 3);
  await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}/status`, { body: { status: 'Actived' } });
  await jumpTo(shop, 5);
  await until('the chargeback is applied', async () => (await changeOf())[0]?.[0] === 'applied', 90_000);
  assert.equal((await shop.get(`/v1/payments/${paymentId}`)).canceledAmount, 1_500);
  await jumpTo(shop, 25);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
  assert.ok((await ledgerOf(service, shop)).length > 1);
});
