import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../kit/service.ts';
import {
  billingsOf,
  type ChargingService,
  openChargingService,
  PLANS,
  type Shop,
  subscribe,
} from './charging-service.ts';

/** What the acquirer is asked for a billing: what the subscriber reads, and why the card is charged. */

let service: ChargingService;
let shop: Shop;

before(async () => {
  service = await openChargingService();
  shop = await service.openShop('01700555550011');
});
after(() => service.close());

const askedOf = (billingId: string) =>
  service.bridge.asked
    .filter(({ path, body }) => path === '/authorizations' && body.merchantReference === billingId)
    .map(({ body }) => [body.softDescriptor, body.storedCardReason]);

async function firstCharge(subscriptionId: string) {
  return until('the first billing is charged', async () => {
    const [billing] = await billingsOf(shop, subscriptionId);
    const asked = billing === undefined ? [] : askedOf(billing.id);
    return asked.length > 0 && asked;
  });
}

test("a billing carries the plan's soft descriptor, and the networks' word for it", async () => {
  const endless = await subscribe(shop, { softDescriptor: 'CLUBE*LIVRO' });
  assert.deepEqual(await firstCharge(endless.subscriptionId), [['CLUBE*LIVRO', 'recurring']]);
  const custom = await subscribe(shop, { planType: 'Custom', interval: 30, installments: 3 });
  assert.deepEqual(await firstCharge(custom.subscriptionId), [[null, 'installments']]);
});

test('a billing that was declined is submitted again', async () => {
  const { subscriptionId } = await subscribe(shop, { attempts: 1 }, { kind: 'lacksFundsOnce' });
  await firstCharge(subscriptionId);
  await shop.get('/homologation/clock', { body: { advanceDays: 3 } });
  const [billing] = await billingsOf(shop, subscriptionId);
  assert.equal(billing.status, 'Paid');
  assert.deepEqual(askedOf(billing.id), [
    [null, 'recurring'],
    [null, 'resubmission'],
  ]);
});

test('a plan shows its soft descriptor, keeps it, loses it, and keeps it while it is in use', async () => {
  const body = {
    merchantId: shop.merchantId,
    name: 'Clube',
    description: 'Livro',
    amount: 10,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
  };
  const { merchantId: _own, ...plan } = body;
  const planId = await shop.get(PLANS, { body: { ...plan, softDescriptor: 'CLUBE*UM' } });
  const shown = async () => (await shop.get(`${PLANS}/${planId}`)).softDescriptor;
  assert.equal(await shown(), 'CLUBE*UM');
  await shop.get(`${PLANS}/${planId}`, { body: { ...body, name: 'Clube dois' } });
  assert.equal(await shown(), 'CLUBE*UM', 'what is left out stays');
  await shop.get(`${PLANS}/${planId}`, { body: { ...body, softDescriptor: '' } });
  assert.equal(await shown(), 'CLUBE*UM', 'what is empty is left out');
  await shop.get(`${PLANS}/${planId}`, { body: { ...body, softDescriptor: '.' } });
  assert.equal(await shown(), null, 'a point takes it away');
  const without = await shop.get(PLANS, { body: { ...plan, softDescriptor: '.' } });
  assert.equal((await shop.get(`${PLANS}/${without}`)).softDescriptor, null);
  for (const softDescriptor of ['..', '. ', 'CLUBE*DO*LIVRO', 'CAFÉ', '4222222222222']) {
    const reply = await shop.ask(PLANS, { body: { ...plan, softDescriptor } });
    assert.equal(reply.status, 400, softDescriptor);
    assert.deepEqual(
      reply.body.map(({ tag }: { tag: string }) => tag),
      ['softDescriptor'],
    );
  }
  const used = await subscribe(shop, { ...plan, softDescriptor: 'CLUBE*TRES' });
  const edit = (softDescriptor: string) =>
    shop.ask(`${PLANS}/${used.planId}`, { body: { ...body, softDescriptor } });
  assert.equal((await edit('CLUBE*TRES')).status, 200, 'the same is no change');
  for (const other of ['CLUBE*SETE', '.']) {
    const refused = await edit(other);
    assert.equal(refused.status, 409, refused.text);
    assert.equal(refused.body[0].tag, 'softDescriptor');
  }
});
