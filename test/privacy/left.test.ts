import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { hiddenFields, signedIn } from '../console/visitor.ts';
import { type Listener, startListener } from '../kit/listener.ts';
import { call, logIn, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { insertPlan } from '../recurrence/recurrence-service.ts';
import {
  newPerson,
  openPrivacyService,
  type Person,
  type PrivacyService,
  tracesOf,
} from './privacy-service.ts';

const REASON = 'letter of 20 November, case 12';

let service: PrivacyService;
let listener: Listener;
before(async () => {
  service = await openPrivacyService();
  listener = await startListener({ status: 200, body: 'thanks' });
  const path = `/api/webhooks/subscriptions?accountNumber=${service.accountNumber}`;
  const body = { url: `${listener.url}/hook` };
  const reply = await call(service.integrationUrl, path, { token: service.integrationToken, body });
  assert.equal(reply.status, 200, reply.text);
});
after(async () => {
  await service.close();
  await listener.close();
});

/** What is left is said by the exit code too. */
async function erase({ document }: Person) {
  const words = ['privacy', 'erase', '--document', document, '--reason', REASON, '--json'];
  const { exitCode, printed, errors } = await service.parcela(...words);
  assert.equal(errors, '');
  const erased = JSON.parse(printed);
  assert.equal(exitCode, erased.left.length === 0 ? 0 : 1);
  return erased;
}

/** A stored card with the person's name on it. */
async function storeCardOf({ customer }: Person): Promise<{ vaultId: string }> {
  const { gatewayUrl, token } = service;
  const numberToken = await tokenize(gatewayUrl, token);
  const card = {
    numberToken,
    brand: 'mastercard',
    cardholderName: customer.firstName,
    expirationMonth: '12',
    expirationYear: '39',
  };
  const stored = await call(gatewayUrl, '/v1/vaults/cards', { token, body: card });
  assert.equal(stored.status, 200, stored.text);
  return { vaultId: stored.body.vaultId };
}

/** Such a card, and a payment by it; gives both ids. */
async function payByStoredCard(person: Person): Promise<{ vaultId: string; paymentId: string }> {
  const { vaultId } = await storeCardOf(person);
  return { vaultId, paymentId: await service.pay(person.customer, { cardInfo: { vaultId } }) };
}

async function messagesOf(paymentId: string): Promise<{ status: string }[]> {
  const [row] = await service.auditor.query('select nsu from transactions where transaction_id = $1', [
    paymentId,
  ]);
  const path = `/api/webhooks/deliveries?accountNumber=${service.accountNumber}&nsu=${row?.nsu}`;
  const reply = await call(service.integrationUrl, path, { token: service.integrationToken });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

const untilDelivered = (paymentId: string) =>
  until('the payment was notified', async () => {
    const messages = await messagesOf(paymentId);
    return messages.length > 0 && messages.every(({ status }) => status === 'Delivered');
  });

test('a stored card that pays a subscription stays with its payment until the subscription is canceled', async () => {
  const { auditor, merchantId, gatewayUrl, token } = service;
  const person = newPerson();
  const { vaultId, paymentId } = await payByStoredCard(person);
  const otherId = await service.pay(person.customer);
  await Promise.all([untilDelivered(paymentId), untilDelivered(otherId)]);
  const planId = await insertPlan({ auditor, merchantId });
  const subscriptionId = randomUUID();
  await auditor.query(
    `insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state, amount,
       plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at)
     values ($1, $2, $3, $4, 'P-1001', '1', 'active', 49.9, 'monthly', 0, 30, 0, 0, '2026-01-01', 'loja-01', now())`,
    [merchantId, subscriptionId, planId, vaultId],
  );

  const kept = await service.printed('privacy', 'export', '--document', person.document);
  assert.equal(kept.cards[0].holderName, person.customer.firstName);
  assert.deepEqual(
    kept.subscriptions.map((one: { subscriptionId: string; state: string }) => [
      one.subscriptionId,
      one.state,
    ]),
    [[subscriptionId, 'active']],
  );
  assert.equal(JSON.stringify(kept).includes('sealed'), false);
  assert.equal(kept.messages.length, 2);

  const left = { reason: 'subscription', merchantId };
  assert.deepEqual(await erase(person), {
    payments: 1,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 1,
    filters: 0,
    notes: 0,
    left: [
      { ...left, kind: 'payment', id: paymentId },
      { ...left, kind: 'card', id: vaultId },
    ],
  });
  const path = `/v1/vaults/cards/${vaultId}`;
  assert.equal((await call(gatewayUrl, path, { token })).body.cardholderName, person.customer.firstName);
  await auditor.query(
    `update subscriptions set state = 'canceled', reason = 'user' where subscription_id = $1`,
    [subscriptionId],
  );
  assert.deepEqual(await erase(person), {
    payments: 1,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 1,
    messages: 1,
    filters: 0,
    notes: 0,
    left: [],
  });
  assert.equal((await call(gatewayUrl, path, { token })).status, 404);
  assert.deepEqual(await tracesOf(service, person), []);
  const { items } = await service.printed('audit', 'list', '--action', 'card.delete');
  assert.ok(items.some(({ resource }: { resource: string }) => resource.endsWith(vaultId)));
});

test('the messages that ended go with the person, of no other payment, and one to be sent stays', async () => {
  const [person, other, waiting] = [newPerson(), newPerson(), newPerson()];
  const [paymentId, otherId] = [await service.pay(person.customer), await service.pay(other.customer)];
  await Promise.all([untilDelivered(paymentId), untilDelivered(otherId)]);
  assert.deepEqual(await erase(person), {
    payments: 1,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 1,
    filters: 0,
    notes: 0,
    left: [],
  });
  assert.deepEqual(await messagesOf(paymentId), []);
  assert.equal((await messagesOf(otherId)).length, 1);

  listener.answerWith(503);
  const waitingId = await service.pay(waiting.customer);
  await until('it is being tried', async () => (await messagesOf(waitingId))[0]?.status === 'Waiting');
  const { payments, left } = await erase(waiting);
  assert.equal(payments, 1);
  assert.deepEqual(left, [
    { reason: 'message', merchantId: service.merchantId, kind: 'payment', id: waitingId },
  ]);
  assert.equal((await messagesOf(waitingId)).length, 1);
  listener.answerWith(200);
});

test('a charge without an outcome is left, and erased once it has one', async () => {
  const { auditor, merchantId } = service;
  const person = newPerson();
  const id = await service.pay(person.customer);
  const columns = 'state, due_at, decided_at';
  const [was] = await auditor.query(`select ${columns} from transactions where transaction_id = $1`, [id]);
  const set = (state: unknown, dueAt: unknown, decidedAt: unknown) =>
    auditor.query(`update transactions set (${columns}) = ($2, $3, $4) where transaction_id = $1`, [
      id,
      state,
      dueAt,
      decidedAt,
    ]);
  await set('unresolved', new Date(Date.now() + 86_400_000), null);
  const { payments, left } = await erase(person);
  assert.equal(payments, 0);
  assert.deepEqual(left, [{ reason: 'underWay', merchantId, kind: 'payment', id }]);
  assert.notDeepEqual(await tracesOf(service, person), []);
  await set(was?.state, was?.due_at, was?.decided_at);
  assert.equal((await erase(person)).payments, 1);
  assert.deepEqual(await tracesOf(service, person), []);
});

test("a person in the merchant's own reference is named as left", async () => {
  const person = newPerson();
  const id = await service.pay(person.customer, { referenceTransaction: `PEDIDO-${person.masked}` });
  const { payments, left } = await erase(person);
  assert.equal(payments, 1);
  // Its message may still be on its way.
  const texts = left.filter(({ reason }: { reason: string }) => reason !== 'message');
  assert.deepEqual(texts, [{ reason: 'merchantText', merchantId: service.merchantId, kind: 'payment', id }]);
  assert.equal((await service.read(id)).body.referenceTransaction, `PEDIDO-${person.masked}`);
});

test('what a user of the console keeps to find the person by is shown and goes with the person, and no other', async () => {
  const { merchantId } = service;
  const person = newPerson();
  const { firstName, lastName, email = '' } = person.customer;
  await untilDelivered(await service.pay(person.customer));
  const user = await signedIn(service, 'support', merchantId);
  const home = `/console/merchants/${merchantId}`;
  const save = async (name: string, query: Record<string, string>) => {
    const page = (await user.ask(`${home}/subscriptions?${new URLSearchParams(query)}`)).text;
    const form = { ...hiddenFields(page, `${home}/filters`), name };
    assert.equal((await user.ask(`${home}/filters`, { form })).status, 303);
  };
  await save('Ela', { orderNumber: person.masked });
  await save(`${firstName} ${lastName}`, { status: 'Active' });
  await save('Da carta', { planName: email });
  await save('Outros', { planName: 'Clube' });
  const { filters } = await service.printed('privacy', 'export', '--document', person.document);
  assert.equal(filters.length, 3);
  assert.equal((await erase(person)).filters, 3);
  assert.deepEqual(await tracesOf(service, person), []);
  const kept = await service.auditor.query('select name from console_filters');
  assert.deepEqual(kept, [{ name: 'Outros' }]);
});

test('an erase that ends in the middle has not lost the names that filters are found by', async () => {
  const { auditor, merchantId } = service;
  const person = newPerson();
  const name = `${person.customer.firstName} ${person.customer.lastName}`;
  await untilDelivered(await service.pay(person.customer));
  await auditor.query(
    `with u as (insert into console_users (user_id, hand_id, name, role, merchant_id)
       values ($1, $1, $2, 'support', $3) returning user_id),
     h as (insert into console_hands (hand_id, user_id) select user_id, user_id from u)
     insert into console_filters (merchant_id, user_id, place, list, name, query)
     select $3, user_id, 1, 'subscriptions', $4, 'status=Active' from u`,
    [randomUUID(), `filters-${randomUUID().slice(0, 8)}`, merchantId, name],
  );
  await auditor.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise 'it ends here'; end $$`,
  );
  await auditor.query(
    'create trigger fail before delete on console_filters for each row execute function fail()',
  );
  const words = ['privacy', 'erase', '--document', person.document, '--reason', REASON];
  assert.notEqual((await service.parcela(...words)).exitCode, 0);
  await auditor.query('drop trigger fail on console_filters');
  await auditor.query('insert into buyer_words values ($1, $2, $3, current_date) on conflict do nothing', [
    merchantId,
    name.toLowerCase(),
    person.document,
  ]);
  await auditor.query(
    'create trigger fail before delete on buyer_words for each row execute function fail()',
  );
  assert.notEqual((await service.parcela(...words)).exitCode, 0);
  await auditor.query('drop trigger fail on buyer_words');
  assert.equal((await erase(person)).payments, 1, 'the words stay with what they find');
  assert.deepEqual(await tracesOf(service, person), []);
});

test('the customer of a subscription stays while that goes on, and goes with its card when it is over', async () => {
  const { gatewayUrl, demo } = service;
  const person = newPerson();
  const { documentNumber, email, firstName: name } = person.customer;
  const { vaultId } = await storeCardOf(person);
  const recurrence = await logIn(gatewayUrl, (await demo()).recurrence);
  const ask = (path: string, body: unknown) => call(gatewayUrl, path, { token: recurrence, body });
  const planId = await insertPlan(service, { trial_days: 10 });
  const wanted = { planId, vaultId, orderNumber: 'P-1001', customer: { name, email, documentNumber } };
  const path = '/v1/recurrences/subscriptions';
  const { body: id } = await ask(path, wanted);

  const kept = await service.printed('privacy', 'export', '--document', person.masked);
  assert.deepEqual(
    kept.subscriptions.map((one: { subscriptionId: string; customer: object }) => [
      one.subscriptionId,
      one.customer,
    ]),
    [[id, wanted.customer]],
  );
  assert.equal(kept.cards[0].vaultId, vaultId);
  // The document came later than the name.
  await service.auditor.query('insert into buyer_words values ($1, $2, $3, current_date)', [
    service.merchantId,
    email,
    id,
  ]);
  const { words } = await service.printed('privacy', 'export', '--document', person.masked);
  assert.ok(words.some(({ word }: { word: string }) => word === email));
  const left = [{ reason: 'subscription', merchantId: service.merchantId, kind: 'subscription', id }];
  assert.deepEqual(await erase(person), {
    payments: 0,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 0,
    left,
  });

  assert.equal((await ask(`${path}/${id}/status`, { status: 'Canceled' })).status, 200);
  const gone = {
    payments: 0,
    subscriptions: 1,
    boletos: 0,
    pix: 0,
    cards: 1,
    messages: 0,
    filters: 0,
    notes: 0,
    left: [],
  };
  assert.deepEqual(await erase(person), gone);
  assert.deepEqual(await tracesOf(service, person), []);
  const shown = await call(gatewayUrl, `${path}/${id}`, { token: recurrence });
  assert.deepEqual([shown.body.status, shown.body.orderNumber], ['Canceled', 'P-1001']);
  assert.equal('customer' in shown.body, false);
  const [row] = await service.auditor.query(
    'select customer_erased_at from subscriptions where subscription_id = $1',
    [id],
  );
  assert.ok(row?.customer_erased_at instanceof Date);
});

test('a customer without a document is reached by the card that paid for the person, and no other person by it', async () => {
  const { gatewayUrl, demo, merchantId } = service;
  const [person, other] = [newPerson(), newPerson()];
  const { vaultId, paymentId } = await payByStoredCard(person);
  await untilDelivered(paymentId);
  const recurrence = await logIn(gatewayUrl, (await demo()).recurrence);
  const path = '/v1/recurrences/subscriptions';
  const ask = (end: string, body: unknown) => call(gatewayUrl, `${path}${end}`, { token: recurrence, body });
  const planId = await insertPlan(service, { trial_days: 10 });
  const subscribe = async (customer: object) =>
    (await ask('', { planId, vaultId, orderNumber: 'P-1002', customer })).body as unknown as string;
  const cancel = async (id: string) =>
    assert.equal((await ask(`/${id}/status`, { status: 'Canceled' })).status, 200);
  const { firstName: name, email, phoneNumber: phone } = person.customer;
  const nameless = { name, email, phone };
  const id = await subscribe(nameless);
  const named = { name: other.customer.firstName, documentNumber: other.document };
  const othersId = await subscribe(named);
  await cancel(othersId);

  const kept = await service.printed('privacy', 'export', '--document', person.document);
  const customers = new Map(
    kept.subscriptions.map((one: { subscriptionId: string; customer: object | null }) => [
      one.subscriptionId,
      one.customer,
    ]),
  );
  assert.deepEqual([customers.get(id), customers.get(othersId)], [nameless, null]);

  const left = { reason: 'subscription', merchantId };
  assert.deepEqual(await erase(person), {
    payments: 0,
    subscriptions: 0,
    boletos: 0,
    pix: 0,
    cards: 0,
    messages: 0,
    filters: 0,
    notes: 0,
    left: [
      { ...left, kind: 'payment', id: paymentId },
      { ...left, kind: 'subscription', id },
      { ...left, kind: 'card', id: vaultId },
    ],
  });
  await cancel(id);
  assert.deepEqual(await erase(person), {
    payments: 1,
    subscriptions: 1,
    boletos: 0,
    pix: 0,
    cards: 1,
    messages: 1,
    filters: 0,
    notes: 0,
    left: [],
  });
  assert.deepEqual(await tracesOf(service, person), []);
  const others = await call(gatewayUrl, `${path}/${othersId}`, { token: recurrence });
  assert.deepEqual(others.body.customer, named);
});
