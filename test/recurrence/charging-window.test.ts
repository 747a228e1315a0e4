import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  billingsOf,
  type ChargingService,
  chargedBilling,
  chargesOf,
  dayAfter,
  jumpTo,
  openChargingService,
  type Shown,
  subscribe,
} from './charging-service.ts';

let service: ChargingService;

before(async () => {
  service = await openChargingService({ PARCELA_CHARGE_WINDOW: '10:00-22:00' });
});
after(() => service.close());

test("a day's charges are spread over the window that the operator sets; first charges do not wait for it", async () => {
  const shop = await service.openShop('JANELA');
  const first = await subscribe(shop);
  const ids = [first.subscriptionId];
  for (let number = 2; number <= 12; number += 1) {
    const body = { planId: first.planId, vaultId: first.vaultId, orderNumber: `P-${number}` };
    ids.push((await shop.get('/v1/recurrences/subscriptions', { body })) as string);
  }
  const timeOf = (billing: Shown) => chargesOf(billing)[0].at.slice(11, 16);
  // The clock stands at nine: the test need not wait for ten o'clock.
  for (const id of ids) assert.equal(timeOf(await chargedBilling(shop, id)), '09:00');
  await jumpTo(shop, dayAfter(shop.startOn, 30));
  for (const id of ids) assert.equal((await billingsOf(shop, id))[1].status, 'Opened');
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  const times: string[] = [];
  for (const id of ids) times.push(timeOf((await billingsOf(shop, id))[1]));
  for (const time of times) assert.ok(time >= '10:00' && time <= '22:00', time);
  assert.ok(new Set(times).size > 6, `spread: ${times}`);
  // The second tries of one billing keep its turn in the day; nothing is left over.
  assert.equal((await shop.get('/v1/recurrences/billing?status=Opened')).total, ids.length);
});
