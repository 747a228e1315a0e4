import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { identifyCharge } from '../../src/recurrence/collection/identify-charge.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { until } from '../kit/service.ts';
import { authorizeThere } from '../restored/lost-shop.ts';
import {
  BILLING,
  billingsOf,
  type ChargingService,
  chargedBilling,
  dayAfter,
  jumpTo,
  ledgerOf,
  openChargingService,
  PLANS,
  type Shop,
  type Shown,
  SUBSCRIPTIONS,
  statesOf,
  statusOf,
  storeCard,
  subscribe,
  triesOf,
} from './charging-service.ts';

let service: ChargingService;
before(async () => {
  service = await openChargingService();
});
after(() => service?.close());

const moveTo = (shop: Shop, subscriptionId: string, status: string) =>
  shop.ask(`${SUBSCRIPTIONS}/${subscriptionId}/status`, { body: { status } });
const charge = (shop: Shop, billingId: string) =>
  shop.ask(`${BILLING}/${billingId}/charge`, { method: 'POST' });
const statusesIn = (ledger: { status: string }[]) => ledger.map(({ status }) => status);

test('a canceled card blocks the subscription, and nothing more is sent until it has another card and is activated', async () => {
  const shop = await service.openShop('cartao-cancelado');
  const { subscriptionId } = await subscribe(shop, { attempts: 4 }, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, subscriptionId);
  const secondOn = dayAfter(shop.startOn, 30);
  await jumpTo(shop, dayAfter(secondOn, 100));
  const billings = await billingsOf(shop, subscriptionId);
  assert.deepEqual(statesOf(billings), [
    [1, shop.startOn, 'Paid'],
    [2, secondOn, 'Denied'],
  ]);
  assert.deepEqual(triesOf(billings[1]), [[secondOn, 1, 'CardCanceled', null]]);
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');

  const another = await shop.ask(`${SUBSCRIPTIONS}/${subscriptionId}/vault`, {
    body: { vaultId: await storeCard(shop) },
  });
  assert.equal(another.status, 200, another.text);
  await jumpTo(shop, 31);
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked', 'another card does not activate it');
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved', 'declined']);

  assert.equal((await moveTo(shop, subscriptionId, 'Actived')).status, 200);
  // Days 60, 90, 120 and 150 of the series went by, and use up no installment.
  const thirdOn = dayAfter(shop.startOn, 180);
  await jumpTo(shop, dayAfter(thirdOn, 1));
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)).slice(2), [
    [3, thirdOn, 'Paid'],
    [4, dayAfter(thirdOn, 30), 'Opened'],
  ]);
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved', 'declined', 'approved']);
});

test('activated with the card that said never again, it is denied and blocked without a call, months later too', async () => {
  const shop = await service.openShop('cartao-nunca-mais');
  const { subscriptionId } = await subscribe(shop, {}, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
  for (const days of [30, 90]) {
    assert.equal((await moveTo(shop, subscriptionId, 'Actived')).status, 200);
    await jumpTo(shop, days);
    assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
    const last = (await billingsOf(shop, subscriptionId)).at(-1);
    assert.equal(last.status, 'Denied');
    assert.equal(last.timeline.at(-1).rule, 'NeverAgain');
    assert.deepEqual(await ledgerOf(service, shop, last.id), []);
  }
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved', 'declined']);
});

test('a stored card that said never again is not sent, also when the key of its prints was given up long ago', async () => {
  const shop = await service.openShop('nunca-mais-mesmo');
  const { subscriptionId } = await subscribe(shop, {}, { kind: 'canceledAfterApproval' });
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
  // Ninety days after a rotation nothing compares with the prints that it had before.
  await service.auditor.query(
    `update transactions set card_fingerprint = sha256(card_fingerprint) where merchant_id = $1`,
    [shop.merchantId],
  );
  const [, denied] = await billingsOf(shop, subscriptionId);
  const byHand = await charge(shop, denied.id);
  assert.deepEqual([byHand.status, byHand.body[0].tag], [402, 'retryLimit'], byHand.text);
  assert.equal(byHand.body[0].mayRetryAt, null, 'never');
  assert.equal((await moveTo(shop, subscriptionId, 'Actived')).status, 200);
  await jumpTo(shop, 30);
  assert.equal(await statusOf(shop, subscriptionId), 'Blocked');
  assert.equal((await billingsOf(shop, subscriptionId)).at(-1).timeline.at(-1).rule, 'NeverAgain');
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['approved', 'declined']);
});

test('what the acquirer has of another card under the id of a charge decides nothing: the card is asked under the next one', async () => {
  const shop = await service.openShop('outro-cartao-la');
  const { subscriptionId } = await subscribe(shop);
  await chargedBilling(shop, subscriptionId);
  const [, second] = await billingsOf(shop, subscriptionId);
  const [row] = await service.auditor.query('select amount, fence from billings where billing_id = $1', [
    second.id,
  ]);
  // As a database that was restored meets it: charged there in the lost time, with the card before this one.
  const reference = identifyCharge(second.id, Number(row?.fence));
  const asked = { reference, number: '5200050000000267', outcome: 'declined' };
  await authorizeThere(service.simulatorUrl, shop.merchantId, Number(row?.amount), asked);
  await jumpTo(shop, dayAfter(shop.startOn, 31));
  await until('the second billing is paid', async () => {
    const [, now] = await billingsOf(shop, subscriptionId);
    if (now.status === 'Opened') await jumpTo(shop, 1);
    return now.status === 'Paid' || now.status === 'Denied'
      ? assert.equal(now.status, 'Paid') === undefined
      : null;
  });
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
});

test('who tries out a lost card in homologation goes on with the same test card, as with every other that is no trial card', async () => {
  const shop = await service.openShop('cartao-de-teste');
  const { subscriptionId, vaultId } = await subscribe(shop, { amount: 10.41 });
  const lost = await chargedBilling(shop, subscriptionId);
  assert.deepEqual(
    [lost.status, await statusOf(shop, subscriptionId)],
    ['Denied', 'Blocked'],
    'as in production',
  );
  const { planId } = await subscribe(shop);
  const other = await shop.get(SUBSCRIPTIONS, { body: { planId, vaultId, orderNumber: 'P-2' } });
  assert.equal((await chargedBilling(shop, other as string)).status, 'Paid');
});

test('a card that is expired by the calendar makes the billing invalid without a call; with another one it is paid by hand', async () => {
  const shop = await service.openShop('cartao-vencido');
  const expiration = shop.startOn.slice(0, 7);
  const { subscriptionId } = await subscribe(shop, { planType: 'Bimonthly' }, { expiration });
  await chargedBilling(shop, subscriptionId);
  const secondOn = dayAfter(shop.startOn, 60);
  await jumpTo(shop, dayAfter(secondOn, 1));
  const [, invalid, next] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([invalid.status, next.status], ['PaymentInvalid', 'Opened']);
  assert.deepEqual(triesOf(invalid), [[secondOn, 1, 'Invalid', null]]);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
  assert.equal((await charge(shop, invalid.id)).status, 409, 'nor by hand');
  assert.deepEqual(await ledgerOf(service, shop, invalid.id), []);

  await shop.get(`${SUBSCRIPTIONS}/${subscriptionId}/vault`, { body: { vaultId: await storeCard(shop) } });
  const paid = await charge(shop, invalid.id);
  assert.deepEqual([paid.status, paid.body.status], [200, 'Paid'], paid.text);
  assert.deepEqual(statusesIn(await ledgerOf(service, shop, invalid.id)), ['approved']);
  assert.equal((await charge(shop, invalid.id)).status, 409, 'what is paid is not charged again');
  assert.equal((await ledgerOf(service, shop, invalid.id)).length, 1);
});

test('charged by hand: 402 while the issuer says no, 200 when it is paid, and never twice', async () => {
  const shop = await service.openShop('na-mao');
  const { subscriptionId } = await subscribe(shop, { attempts: 0 }, { kind: 'lacksFundsTwice' });
  const denied = await chargedBilling(shop, subscriptionId);
  const declined = await charge(shop, denied.id);
  assert.equal(declined.status, 402, declined.text);
  assert.equal(declined.body[0].tag, '51');
  assert.equal((await shop.get(`${BILLING}/${denied.id}`)).status, 'Denied');
  // Of two who charge it at once one does, and the other is refused.
  const replies = await Promise.all([charge(shop, denied.id), charge(shop, denied.id)]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  const paid = await shop.get(`${BILLING}/${denied.id}`);
  assert.deepEqual(
    triesOf(paid).map(([, attempt, outcome]) => [attempt, outcome]),
    [
      [1, 'InsufficientFunds'],
      [null, 'InsufficientFunds'],
      [null, 'Approved'],
    ],
  );
  assert.deepEqual([paid.status, paid.modifiedBy], ['Paid', shop.userName]);
  assert.deepEqual(statusesIn(await ledgerOf(service, shop)), ['declined', 'declined', 'approved']);
  assert.equal(await statusOf(shop, subscriptionId), 'Canceled', 'it stays what it was');
});

test('charged by hand beyond the limit of the network it is not sent, and the answer names when it may be', async () => {
  const shop = await service.openShop('limite-na-mao');
  const { subscriptionId } = await subscribe(shop, { amount: 10.51 }, { kind: 'trial' });
  const denied = await chargedBilling(shop, subscriptionId);
  for (let tries = 2; tries <= 7; tries += 1) assert.equal((await charge(shop, denied.id)).body[0].tag, '51');
  const limited = await charge(shop, denied.id);
  assert.deepEqual([limited.status, limited.body[0].tag], [402, 'retryLimit'], limited.text);
  const [oldest] = await service.auditor.query(
    'select min(sold_at) as sold_at from transactions where merchant_id = $1',
    [shop.merchantId],
  );
  assert.ok(oldest?.sold_at instanceof Date);
  assert.equal(Date.parse(limited.body[0].mayRetryAt), oldest.sold_at.getTime() + 24 * 60 * 60 * 1_000);
});

test('a billing that is open is not charged by hand, and one of another merchant is not found', async () => {
  const shop = await service.openShop('na-mao-nao');
  const { subscriptionId } = await subscribe(shop, { trialDays: 5 });
  const [open] = await billingsOf(shop, subscriptionId);
  assert.equal((await charge(shop, open.id)).status, 409);
  const stranger = await service.openShop('na-mao-outra');
  assert.equal((await charge(stranger, open.id)).status, 404);
  await shop.get(`${BILLING}/${open.id}/cancel`, { method: 'POST' });
  assert.equal((await charge(shop, open.id)).status, 409);
  assert.deepEqual(await ledgerOf(service, shop), []);
});

test('a card that was removed from the vault: the billing cannot be charged, and nobody is asked', async () => {
  const shop = await service.openShop('cartao-removido');
  const { subscriptionId, vaultId } = await subscribe(shop, { attempts: 0 }, { kind: 'lacksFundsOnce' });
  const denied = await chargedBilling(shop, subscriptionId);
  const removed = await shop.ask(`/v1/vaults/cards/${vaultId}`, { method: 'DELETE' });
  assert.ok(removed.status < 300, removed.text);
  const reply = await charge(shop, denied.id);
  assert.equal(reply.status, 409, reply.text);
  assert.equal((await shop.get(`${BILLING}/${denied.id}`)).status, 'Denied');
  assert.equal((await ledgerOf(service, shop)).length, 1);
});

test('too much is not charged: the billing is invalid, nobody is asked, and the subscription goes on', async () => {
  const shop = await service.openShop('valor-impossivel');
  const { subscriptionId } = await subscribe(shop, { amount: 99_999_999.999 });
  const invalid = await chargedBilling(shop, subscriptionId);
  assert.deepEqual([invalid.status, triesOf(invalid).length], ['PaymentInvalid', 1]);
  assert.equal(await statusOf(shop, subscriptionId), 'Active');
  assert.deepEqual(await ledgerOf(service, shop), []);
});

test('an inactive plan goes on charging whom it has; a canceled plan charges nobody any more', async () => {
  const shop = await service.openShop('plano-parado');
  const inactive = await subscribe(shop);
  const canceled = await subscribe(shop);
  for (const { subscriptionId } of [inactive, canceled]) await chargedBilling(shop, subscriptionId);
  await shop.get(`${PLANS}/${inactive.planId}/status`, { body: { status: 'Inactive' } });
  await shop.get(`${PLANS}/${canceled.planId}/status`, { body: { status: 'Canceled' } });
  await jumpTo(shop, 61);
  const days = [0, 30, 60, 90].map((count) => dayAfter(shop.startOn, count));
  assert.deepEqual(statesOf(await billingsOf(shop, inactive.subscriptionId)), [
    [1, days[0], 'Paid'],
    [2, days[1], 'Paid'],
    [3, days[2], 'Paid'],
    [4, days[3], 'Opened'],
  ]);
  assert.deepEqual(statesOf(await billingsOf(shop, canceled.subscriptionId)), [
    [1, days[0], 'Paid'],
    [2, days[1], 'Canceled'],
  ]);
  assert.equal(await statusOf(shop, canceled.subscriptionId), 'Canceled');
  assert.equal((await ledgerOf(service, shop)).length, 4);
});

test('from the answer to the cancel of its plan on a subscription is not charged, however long its end takes', async () => {
  const shop = await service.openShop('plano-cancelado');
  const { planId, subscriptionId } = await subscribe(shop, { trialDays: 10 });
  // Asked for, and worked on by a process that does not come to it.
  await service.auditor.query(
    `insert into plan_cancellations (merchant_id, plan_id, canceled_by, canceled_at, asked_at, lease_expires_at)
       values ($1, $2, 'alguem', now(), clock_timestamp(), now() + interval '1 hour')`,
    [shop.merchantId, planId],
  );
  await service.auditor.query(
    `update billings set due_on = due_on - 40, charge_on = charge_on - 40 where subscription_id = $1`,
    [subscriptionId],
  );
  // What is due later is charged meanwhile: the engine has passed it.
  for (let other = 0; other < 2; other += 1)
    await chargedBilling(shop, (await subscribe(shop)).subscriptionId);
  const [billing] = await billingsOf(shop, subscriptionId);
  assert.deepEqual([billing.status, triesOf(billing)], ['Opened', []]);
  assert.deepEqual(await ledgerOf(service, shop, billing.id), []);

  await service.auditor.query('update plan_cancellations set lease_expires_at = now() where plan_id = $1', [
    planId,
  ]);
  await until('it ends', async () => (await statusOf(shop, subscriptionId)) === 'Canceled');
  assert.equal((await billingsOf(shop, subscriptionId))[0].status, 'Canceled');
});

test('a subscription that its merchant cancels is not charged any more, also when it waits for a retry', async () => {
  const shop = await service.openShop('assinante-saiu');
  const { subscriptionId } = await subscribe(shop, { attempts: 4 }, { kind: 'lacksFundsFiveTimes' });
  await chargedBilling(shop, subscriptionId);
  assert.equal((await moveTo(shop, subscriptionId, 'Canceled')).status, 200);
  await jumpTo(shop, 40);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)), [[1, shop.startOn, 'Canceled']]);
  assert.equal((await ledgerOf(service, shop)).length, 1);
  // Its day and installment are used up: the next of the series follows.
  assert.equal((await moveTo(shop, subscriptionId, 'Actived')).status, 200);
  assert.deepEqual(statesOf(await billingsOf(shop, subscriptionId)).slice(1), [
    [2, dayAfter(shop.startOn, 60), 'Opened'],
  ]);
});

test('the acquirer learns that the merchant charges, which use was the first, and never a security code', async () => {
  const shop = await service.openShop('sem-portador');
  const since = service.bridge.asked.length;
  const { subscriptionId } = await subscribe(shop);
  await chargedBilling(shop, subscriptionId);
  await jumpTo(shop, dayAfter(shop.startOn, 61));
  const asked = service.bridge.asked
    .slice(since)
    .filter(({ path }) => path === '/authorizations')
    .map(({ body }) => body)
    .filter(({ merchantId }) => merchantId === shop.merchantId);
  assert.equal(asked.length, 3);
  const billings = await billingsOf(shop, subscriptionId);
  assert.deepEqual(
    asked.map(({ merchantReference }) => merchantReference),
    billings.slice(0, 3).map(({ id }) => id),
  );
  for (const { initiator, card, installments, amount } of asked) {
    assert.deepEqual([initiator, card.securityCode, installments, amount], ['merchant', null, 1, 4_990]);
  }
  const [{ networkTransactionId: first, transactionLinkId: link }] = (await firstUses(shop)) as [Shown];
  assert.match(first, /./);
  assert.match(link, /^[\w-]{22}$/);
  assert.deepEqual(
    asked.map((body) => [body.storedCard, body.networkTransactionId, body.transactionLinkId]),
    [
      ['first', null, null],
      ['later', first, link],
      ['later', first, link],
    ],
  );
});

test('a link that is not of its form is counted where the acquirer was asked for the charge, too', async () => {
  const shop = await service.openShop('tlid-procurado');
  service.bridge.nameNetworkTransactions('x'.repeat(26));
  const { subscriptionId } = await subscribe(shop, { amount: 10.02 });
  const paid = await chargedBilling(shop, subscriptionId);
  service.bridge.nameNetworkTransactions(undefined);
  assert.deepEqual(triesOf(paid), [[shop.startOn, 1, 'Approved', null]]);
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /^parcela_links_left_out_total\{provider="default"\} 1$/m);
});

/** What the network called the first use of each of the merchant's cards. */
const firstUses = ({ merchantId }: Shop) =>
  service.auditor.query(
    `select network_transaction_id as "networkTransactionId", transaction_link_id as "transactionLinkId"
     from vault_cards where merchant_id = $1`,
    [merchantId],
  );

test('a charge is found as any payment by the id of its billing, and is notified as any payment', async () => {
  const shop = await service.openShop('como-pagamento');
  const listener: Listener = await startListener();
  try {
    const account = `accountNumber=${shop.merchantId}`;
    const registered = await shop.askIntegration(`/api/webhooks/subscriptions?${account}`, {
      body: { url: listener.url },
    });
    assert.equal(registered.status, 200, registered.text);
    const { subscriptionId } = await subscribe(shop);
    const { id } = await chargedBilling(shop, subscriptionId);

    const { items } = await shop.get(`/v1/payments?referenceTransaction=${id}`);
    assert.equal(items.length, 1);
    const [booked] = await ledgerOf(service, shop, id);
    assert.deepEqual(
      [items[0].paymentId, items[0].nsu, items[0].statusDescription],
      [booked.paymentId, booked.nsu, 'Autorizada'],
    );
    const payment = await shop.get(`/v1/payments/${items[0].paymentId}`);
    assert.deepEqual([payment.value, payment.installments.length], [items[0].value, 1]);

    const movements = await shop.askIntegration(`/api/movements?${account}&after=0&limit=100`);
    assert.equal(movements.status, 200, movements.text);
    const [movement, ...others] = movements.body.items;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [movement.referenceTransaction, movement.paymentId, movement.nsu, movement.type, movement.newValue],
      [id, items[0].paymentId, booked.nsu, 'Autorizacao', 'Autorizada'],
    );
    const [reported] = await until(
      'it was told',
      async () => listener.received.length > 0 && listener.received,
    );
    const { movementId, nsu, newValue } = JSON.parse(reported?.body ?? '');
    assert.deepEqual([movementId, nsu, newValue], [movement.movementId, booked.nsu, 'Autorizada']);
    // Money of a subscription can be given back like any other.
    const canceled = await shop.ask(`/v1/payments/${items[0].paymentId}/cancel`, { body: {} });
    assert.equal(canceled.status, 200, canceled.text);
    await until('the cancel was told', async () => listener.received.length === 2);
  } finally {
    await listener.close();
  }
});

for (const [part, amount] of [
  ['a charge', undefined],
  ['a cent of a charge', 1],
] as const) {
  test(`a holder who takes ${part} back blocks the subscription, and its open billing is not charged`, async () => {
    const shop = await service.openShop(`estorno-${amount}`);
    const { subscriptionId } = await subscribe(shop);
    const { id } = await chargedBilling(shop, subscriptionId);
    const { items } = await shop.get(`/v1/payments?referenceTransaction=${id}`);
    const event = { type: 'chargeback', installmentNumber: 1, amount };
    await shop.get(`/homologation/transactions/${items[0].paymentId}/events`, { body: event });
    await until(
      'the subscription is blocked',
      async () => (await statusOf(shop, subscriptionId)) === 'Blocked',
    );
    await jumpTo(shop, 61);
    const billings = await billingsOf(shop, subscriptionId);
    assert.deepEqual(
      billings.map(({ installment, status }) => [installment, status]),
      [
        [1, 'Paid'],
        [2, 'Canceled'],
      ],
    );
    assert.equal((await ledgerOf(service, shop)).length, 1);
  });
}
