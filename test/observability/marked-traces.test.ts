import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startListener } from '../kit/listener.ts';
import { call, cpfOf, paymentRequest, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { makeMarks, random } from '../leaks/marks.ts';
import { needlesOf } from '../leaks/needles.ts';
import { openScanner } from '../leaks/scanner.ts';
import { chargedBilling, dayAfter, PLANS, type Shop, SUBSCRIPTIONS } from '../recurrence/charging-service.ts';
import { openTracedService, type TracedService } from './traced-service.ts';

let service: TracedService;
let shop: Shop;

before(async () => {
  service = await openTracedService();
  shop = await service.openShop('loja-marcada');
});
after(() => service?.close());

const { numbers } = makeMarks(random(19));
const CPF = cpfOf(73_951_284);
/** What stands in requests and must stand in no trace; used nowhere else. */
const PERSON = {
  name: 'Zuleica Marcadora',
  email: 'zuleica.marcadora@cliente.example',
  documentNumber: CPF,
  phone: '11973519284',
  street: 'Rua das Marcas Secretas',
  order: 'PEDIDO-MARCADO-73951',
};
const WORDS = [
  'zuleica',
  'marcadora',
  CPF,
  '973519284',
  'marcas secretas',
  'pedido-marcado',
  'senha-marcada',
];

/** All that a span may say: what is not here was never asked whether it may leave. */
const ALLOWED = [
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'url.template',
  'db.system.name',
  'db.query.summary',
  'db.operation.batch.size',
  'db.response.status_code',
  'error.type',
  'peer.service',
  'parcela.request.id',
  'parcela.merchant.id',
  'parcela.payment.id',
  'parcela.billing.id',
  'parcela.boleto.id',
  'parcela.delivery.id',
  'parcela.delivery.kind',
];
const NAMES = /^([A-Z]+( \/[a-zA-Z/{}.\d-]+)?|POST webhook|[a-z_]+\.[a-z_]+|[a-zA-Z -]+)$/;

const [firstName = '', lastName = ''] = PERSON.name.split(' ');
const CUSTOMER = {
  firstName,
  lastName,
  documentType: 'cpf',
  documentNumber: PERSON.documentNumber,
  email: PERSON.email,
  mobilePhoneNumber: PERSON.phone,
};
const HEADERS = {
  'x-request-id': PERSON.email,
  tracestate: `loja=${PERSON.order}`,
  baggage: `cliente=${PERSON.name.replace(' ', '')}`,
  'user-agent': PERSON.name,
};

async function payWith(
  number: string,
  amount: number,
  change: Record<string, unknown> = {},
  brand = 'mastercard',
) {
  const request = paymentRequest(await tokenize(service.gatewayUrl, shop.token, number), amount, {
    referenceTransaction: PERSON.order,
    customer: CUSTOMER,
    ...change,
  });
  const cardInfo = { ...request.cardInfo, cardholderName: PERSON.name, brand };
  return call(service.gatewayUrl, '/v1/payments', {
    token: shop.token,
    body: { ...request, cardInfo },
    headers: HEADERS,
  });
}

async function payAndCancel(url: string): Promise<void> {
  const paid = await payWith(numbers.mastercard, 7_000, { urlCallBack: `${url}/r?cliente=${PERSON.email}` });
  assert.equal(paid.status, 200, paid.text);
  const paymentId = paid.headers.get('x-payment-id');
  assert.equal((await payWith(numbers.declined, 1_051)).status, 402);
  assert.equal((await payWith(numbers.silent, 1_001, {}, 'visa')).status, 500);
  await shop.get(`/v1/payments/${paymentId}`);
  await shop.get(`/v1/payments/${paymentId}/cancel`, { method: 'POST', body: {} });
}

/** Marks where they do not belong: in paths, queries, logins and broken bodies. */
async function typeWrongly(): Promise<void> {
  const { gatewayUrl } = service;
  for (const path of [
    `/v1/payments/${numbers.wrongPlace}`,
    `/${PERSON.email}/${numbers.wrongPlace}`,
    `/v1/payments?referenceTransaction=${PERSON.order}`,
    `/v1/payments?cpf=${CPF}`,
  ])
    await call(gatewayUrl, path, { token: shop.token, headers: HEADERS });
  await call(gatewayUrl, '/api/auth/token', { body: { userName: PERSON.email, password: 'senha-marcada' } });
  await call(gatewayUrl, '/v1/payments', {
    token: shop.token,
    raw: `{"${numbers.malformed}":"${PERSON.name}`,
  });
  await call(gatewayUrl, '/v1/payments', {
    token: shop.token,
    body: { cardInfo: { number: numbers.wrongField } },
  });
}

async function subscribeWithMarks(): Promise<void> {
  const tokenized = await tokenize(service.gatewayUrl, shop.token, numbers.vault);
  const card = {
    numberToken: tokenized,
    brand: 'mastercard',
    cardholderName: PERSON.name,
    expirationMonth: '12',
    expirationYear: '39',
  };
  const { vaultId } = await shop.get('/v1/vaults/cards', { body: card });
  const plan = {
    name: 'Clube',
    description: 'Livros',
    amount: 49.9,
    planType: 'Monthly',
    paymentMethod: 'CreditCard',
  };
  const planId = await shop.get(PLANS, { body: plan });
  const subscriptionId = await shop.get(SUBSCRIPTIONS, {
    body: { planId, vaultId, orderNumber: 'ZULEICA-73', customer: CUSTOMER },
  });
  await chargedBilling(shop, subscriptionId);
}

async function issueWithMarks(): Promise<void> {
  const address = {
    street: PERSON.street,
    number: '100',
    district: 'Centro',
    city: 'São Paulo',
    state: 'SP',
    zipCode: '01001000',
  };
  const payer = { name: PERSON.name, documentNumber: CPF, email: PERSON.email, address };
  const body = {
    value: 149.9,
    dueDate: dayAfter(shop.startOn, 40),
    payer,
    referenceTransaction: PERSON.order,
  };
  const reply = await shop.askIntegration(`/api/billissuer/new?accountNumber=${shop.merchantId}`, { body });
  assert.equal(reply.status, 200, reply.text);
}

test('no card number and no data of a person is in any trace of payments, vault, billings, boletos and webhooks', async (t) => {
  const merchant = await startListener();
  t.after(() => merchant.close());
  await payAndCancel(merchant.url);
  await typeWrongly();
  await subscribeWithMarks();
  await issueWithMarks();
  await until('webhooks were sent', async () => merchant.received.length >= 2);
  const { collector } = service;
  for (const name of ['deliverDue', 'chargeDueBillings', 'POST /boletos', 'POST /cancellations', 'GET'])
    await until(`${name} was traced`, async () => collector.spans().some((span) => span.name === name));
  const spans = collector.spans();
  assert.ok(spans.length > 100, String(spans.length));
  const keys = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)));
  assert.deepEqual(
    [...keys].filter((key) => !ALLOWED.includes(key)),
    [],
  );
  for (const { name } of spans) assert.match(name, NAMES);
  const text = collector.text();
  const scan = openScanner(Object.values(numbers).flatMap(needlesOf));
  assert.deepEqual(scan(Buffer.from(text), 'traces'), []);
  const small = text.toLowerCase();
  assert.deepEqual(
    WORDS.filter((word) => small.includes(word)),
    [],
  );
});
