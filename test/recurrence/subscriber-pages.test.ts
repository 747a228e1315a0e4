import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, encryptCard, type Reply, TEST_CARD } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  BILLING,
  billingsOf,
  CARDS,
  type ChargingService,
  chargedBilling,
  chargesOf,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingService,
  PLANS,
  type Shop,
  SUBSCRIPTIONS,
  statusOf,
  subscribe,
} from './charging-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

/** As the simulator knows it. */
const ALWAYS_DECLINED = '5200050000000267';

const pageOf = (id: string) => `${SUBSCRIPTIONS}/${id}/page`;

async function openPage(shop: Shop, id: string, body: object = {}): Promise<string> {
  const { url } = await shop.get(pageOf(id), { method: 'PUT', body });
  assert.match(url, /^http:\/\/[^/]+\/subscription\/[0-9a-f]{32}$/);
  return new URL(url).pathname;
}

const show = async (path: string): Promise<Reply> => call(service.gatewayUrl, path);

/** As the page's script does it, with what the page was given. */
async function giveCard(path: string, cardNumber: string = TEST_CARD, securityCode = '123'): Promise<Reply> {
  const { text } = await show(path);
  const given = JSON.parse(
    /<script type="application\/json" id="given">(.*?)<\/script>/.exec(text)?.[1] ?? '',
  );
  const card = { cardNumber, cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };
  const code = securityCode === '' ? {} : { securityCode };
  const inside = { ...card, ...code, merchantId: given.merchantId, createdAt: given.now };
  return call(service.gatewayUrl, `${path}/card`, {
    body: { encryptedCard: await encryptCard(given.key, inside) },
  });
}

const dayText = (day: string) => day.split('-').reverse().join('/');

test('a subscriber sees what is charged and when, and pays the next charge with another card', async () => {
  const shop = await service.openShop('pagina-do-assinante');
  const { subscriptionId, vaultId } = await subscribe(shop);
  await chargedBilling(shop, subscriptionId);
  const path = await openPage(shop, subscriptionId, { expirationDate: dayAfter(shop.startOn, 60) });
  const next = dayAfter(shop.startOn, 30);
  const { status, headers, text } = await show(path);
  assert.equal(status, 200, text);
  assert.match(String(headers.get('content-security-policy')), /default-src 'none'.*form-action 'none'/);
  assert.match(
    text,
    /Clube do Livro[\s\S]*R\$ 49,90 a cada 30 dias[\s\S]*Mastercard final 0001, validade 12\/39/,
  );
  assert.ok(text.includes(`Próxima cobrança</dt><dd>${dayText(next)}, R$ 49,90`), text);
  assert.ok(text.includes(`<td>${dayText(shop.startOn)}</td><td>R$ 49,90</td><td>Paga</td>`), text);
  assert.ok(!text.includes('data-send="cancel"'), 'only where the merchant allows it');

  const declined = await giveCard(path, ALWAYS_DECLINED);
  assert.equal(declined.body.status, 'declined', declined.text);
  assert.equal((await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}`)).vaultId, vaultId);
  assert.deepEqual((await giveCard(path, CARDS.trial.number)).body, { status: 'changed', message: null });
  assert.match((await show(path)).text, /Cartão atualizado\. Assinatura ativa\.[\s\S]*final 0003/);
  const { vaultId: another, timeline } = await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}`);
  assert.notEqual(another, vaultId);
  assert.deepEqual([timeline.at(-1).type, timeline.at(-1).by], ['VaultChanged', 'subscriber']);
  await jumpTo(shop, dayAfter(next, 1));
  assert.equal((await billingsOf(shop, subscriptionId))[1].status, 'Paid');
  assert.equal((await ledgerOf(service, shop)).length, 2, 'no verification is a charge');

  const notCanceled = await call(service.gatewayUrl, `${path}/cancel`, { method: 'POST' });
  assert.deepEqual(notCanceled.body, { status: 'notOpen', message: null });
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
});

test('a subscription that its card blocked goes on with the card that its subscriber gives', async () => {
  const shop = await service.openShop('pagina-de-bloqueada');
  const { subscriptionId } = await subscribe(shop, {}, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
  const path = await openPage(shop, subscriptionId);
  assert.match((await show(path)).text, /Assinatura suspensa: o cartão não aceita novas cobranças/);
  assert.equal((await giveCard(path)).body.status, 'changed');
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
  await jumpTo(shop, dayAfter(shop.startOn, 61));
  const last = (await billingsOf(shop, subscriptionId)).findLast(({ status }) => status === 'Paid');
  assert.deepEqual([last.installment, chargesOf(last).length], [3, 1]);
});

test('another card lets nothing go on that was canceled meanwhile, disputed, or is over', async () => {
  const shop = await service.openShop('pagina-de-outras');
  const open = async (terms = {}) => {
    const { subscriptionId, planId } = await subscribe(shop, terms, { kind: 'canceledAfterApproval' });
    await chargedBilling(shop, subscriptionId);
    const expirationDate = dayAfter(shop.startOn, 60);
    return { subscriptionId, planId, path: await openPage(shop, subscriptionId, { expirationDate }) };
  };
  // The first charge with this card is approved, and no other.
  const disputed = await open();
  const canceled = await open();
  const ofPlan = await open();
  const last = await open({ planType: 'Custom', interval: 30, installments: 1 });
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  assert.equal(await statusOf(shop, last.subscriptionId), 'Blocked');
  assert.equal((await giveCard(last.path)).body.status, 'notOpen', 'no installment is left');
  assert.match((await show(last.path)).text, /Assinatura suspensa\. Fale com o vendedor\./);

  // The cancel comes while the acquirer verifies the card.
  const release = service.bridge.holdVerifications();
  const asked = () => service.bridge.asked.filter(({ path }) => path === '/verifications').length;
  const before = asked();
  const giving = giveCard(canceled.path);
  await until('the card is verified', async () => asked() > before);
  await shop.get(`${SUBSCRIPTIONS}/${canceled.subscriptionId}/status`, { body: { status: 'Canceled' } });
  release();
  assert.equal((await giving).body.status, 'notOpen');
  assert.equal(await statusOf(shop, canceled.subscriptionId), 'Canceled');

  // So does the end of the page.
  const releaseNext = service.bridge.holdVerifications();
  const verified = asked();
  const late = giveCard(disputed.path);
  await until('the card is verified', async () => asked() > verified);
  await shop.get(pageOf(disputed.subscriptionId), { method: 'DELETE' });
  releaseNext();
  assert.equal((await late).body.status, 'notOpen');
  assert.equal(await statusOf(shop, disputed.subscriptionId), 'Blocked');
  const reopened = await openPage(shop, disputed.subscriptionId);

  const [paid] = await billingsOf(shop, disputed.subscriptionId);
  const event = { type: 'chargeback', installmentNumber: 1, amount: 4_990 };
  await shop.get(`/homologation/transactions/${paid.paymentId}/events`, { body: event });
  await until('the chargeback is known', async () => {
    const { statusReason } = await shop.get(`${SUBSCRIPTIONS}/${disputed.subscriptionId}`);
    return statusReason === 'Chargeback';
  });
  assert.equal((await giveCard(reopened)).body.status, 'notOpen');

  assert.equal(
    (await giveCard(ofPlan.path, TEST_CARD, '')).body.message,
    'Confira o código de segurança do cartão.',
  );
  await shop.get(`${PLANS}/${ofPlan.planId}/status`, { body: { status: 'Canceled' } });
  assert.equal((await giveCard(ofPlan.path)).body.status, 'notOpen');
  assert.equal(await statusOf(shop, ofPlan.subscriptionId), 'Canceled');
});

test('a page has one address while it lives, lets cancel where it may, and ends', async () => {
  const shop = await service.openShop('pagina-e-fim');
  const { subscriptionId } = await subscribe(shop);
  await chargedBilling(shop, subscriptionId);
  assert.equal((await shop.ask(pageOf(subscriptionId))).status, 404);
  const first = await openPage(shop, subscriptionId);
  assert.equal(await openPage(shop, subscriptionId, { allowCancel: true }), first);
  const expirationDate = dayAfter(shop.startOn, 5);
  const short = await shop.get(pageOf(subscriptionId), {
    method: 'PUT',
    body: { allowCancel: true, expirationDate },
  });
  assert.deepEqual([short.allowCancel, short.expirationDate], [true, expirationDate]);
  assert.deepEqual(await shop.get(pageOf(subscriptionId)), short);
  for (const [day, sentence] of [
    [dayAfter(shop.startOn, -1), 'Este dia já passou.'],
    [dayAfter(shop.startOn, 367), 'Este dia está a mais de 366 dias.'],
  ]) {
    const refused = await shop.ask(pageOf(subscriptionId), { method: 'PUT', body: { expirationDate: day } });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body, [{ tag: 'expirationDate', description: sentence }]);
  }
  await jumpTo(shop, 6);
  assert.equal((await show(first)).status, 404);
  assert.equal((await shop.ask(pageOf(subscriptionId))).status, 404);
  const second = await openPage(shop, subscriptionId, { allowCancel: true });
  assert.notEqual(second, first);

  assert.match((await show(second)).text, /data-send="cancel"/);
  const canceled = await call(service.gatewayUrl, `${second}/cancel`, { method: 'POST' });
  assert.deepEqual(canceled.body, { status: 'changed', message: null });
  const { status, statusReason, timeline } = await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}`);
  assert.deepEqual([status, statusReason, timeline.at(-1).by], ['Canceled', 'BySubscriber', 'subscriber']);
  assert.equal((await shop.get(`${BILLING}?limit=100`)).items[0].status, 'Canceled');
  assert.match((await show(second)).text, /Assinatura cancelada\. Não há novas cobranças\./);
  assert.equal((await giveCard(second)).body.status, 'notOpen');
  await shop.get(pageOf(subscriptionId), { method: 'DELETE' });
  assert.equal((await show(second)).status, 404);
  assert.equal((await shop.ask(pageOf(subscriptionId), { method: 'DELETE' })).status, 404);
  const entries = await service.auditor.query(
    `select action, actor from audit_entries where resource like '%subscriptions/' || $1 and action like 'subscription.%' order by entry_number`,
    [subscriptionId],
  );
  assert.deepEqual(
    entries.map(({ action, actor }) => [action, actor === shop.userName ? 'shop' : actor]),
    [
      ...Array(4).fill(['subscription.page', 'shop']),
      ['subscription.change', 'subscriber'],
      ['subscription.page', 'shop'],
    ],
  );
});

test('at one address so many cards are tried as a subscriber may have, and no more', async () => {
  const shop = await service.openShop('pagina-de-tentativas');
  const { subscriptionId } = await subscribe(shop);
  const path = await openPage(shop, subscriptionId);
  await service.auditor.query('update subscriber_pages set card_tries = 19 where merchant_id = $1', [
    shop.merchantId,
  ]);
  assert.equal((await giveCard(path, ALWAYS_DECLINED)).body.status, 'declined');
  assert.ok(!(await show(path)).text.includes('id="card"'));
  assert.equal((await giveCard(path)).body.status, 'notOpen');
});
