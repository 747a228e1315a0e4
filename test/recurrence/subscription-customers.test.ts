import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, type Reply } from '../kit/merchant.ts';
import {
  insertPlan,
  openRecurrenceService,
  type RecurrenceService,
  storeCard,
} from './recurrence-service.ts';

const PATH = '/v1/recurrences/subscriptions';
const ANA = {
  name: 'Ana Souza',
  email: 'Ana@Cliente.example',
  documentNumber: '52998224725',
  phone: '+55 11 99999-0000',
};

let service: RecurrenceService;
let vaultId: string;
let planId: string;

before(async () => {
  service = await openRecurrenceService();
  vaultId = await storeCard(service);
  planId = await insertPlan(service, { trial_days: 10 });
});
after(() => service.close());

const ask = (path: string, body?: unknown, token = service.token): Promise<Reply> =>
  call(service.url, `${PATH}${path}`, { token, ...(body !== undefined && { body }) });

async function subscribe(change: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const reply = await ask('', { vaultId, orderNumber: 'P-1001', planId, ...change });
  assert.equal(reply.status, 200, reply.text);
  return reply.body as string;
}

async function read(id: string) {
  const reply = await ask(`/${id}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as { customer?: object; timeline: { type: string }[] } & Record<string, unknown>;
}

async function idsOf(query: string, token = service.token): Promise<string[]> {
  const reply = await ask(`?${query}`, undefined, token);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.total, reply.body.items.length);
  return reply.body.items.map(({ id }: { id: string }) => id).toSorted();
}

const refused = ({ status, body }: Reply) => [
  status,
  status === 400 ? (body as { tag: string }[]).map(({ tag }) => tag).sort() : body,
];

test('a subscription names its customer from the start, and shows it wherever it is shown', async () => {
  const id = await subscribe({ customer: ANA });
  assert.deepEqual((await read(id)).customer, ANA);
  const { items } = (await ask(`?documentNumber=${ANA.documentNumber}`)).body;
  assert.deepEqual(
    items.map(({ customer }: { customer: object }) => customer),
    [ANA],
  );
  const billings = await call(service.url, `/v1/recurrences/billing?subscriptionId=${id}`, {
    token: service.token,
  });
  assert.deepEqual(billings.body.items[0].subscription.customer, ANA);
  assert.equal('customer' in (await read(await subscribe())), false);
  assert.equal('customer' in (await read(await subscribe({ customer: {} }))), false);
});

test('another customer takes the place of the one before; the timeline has the change and not the person', async () => {
  const id = await subscribe();
  const change = (customer: object) => ask(`/${id}/customer`, customer);
  const company = { name: 'Livraria Nova', documentNumber: '12ABC34501DE35' };
  for (const customer of [ANA, ANA, company]) {
    const reply = await change(customer);
    assert.deepEqual([reply.status, reply.body], [200, { id }]);
  }
  const shown = await read(id);
  assert.deepEqual(shown.customer, company);
  assert.deepEqual(
    shown.timeline.map(({ type }) => type),
    ['Created', 'CustomerChanged', 'CustomerChanged'],
  );
  const timeline = JSON.stringify(shown.timeline);
  for (const text of Object.values({ ...ANA, ...company })) assert.ok(!timeline.includes(text), text);
  assert.deepEqual((await change({})).body, { id });
  assert.equal('customer' in (await read(id)), false);

  const rows = await service.auditor.query(
    'select actor, detail from audit_entries where resource = $1 order by entry_number',
    [`merchants/${service.merchantId}/subscriptions/${id}`],
  );
  assert.deepEqual(
    rows.map(({ actor, detail }) => [actor, JSON.parse(String(detail))]),
    [
      [service.userName, { 'customer.new': 'name, email, documentNumber, phone' }],
      [service.userName, { 'customer.new': 'name, email, documentNumber, phone' }],
      [service.userName, { 'customer.new': 'name, documentNumber' }],
    ],
  );
});

test('customers are found by document and by e-mail address, of the own merchant alone', async () => {
  const documentNumber = '11222333000181';
  const email = `compras.${randomUUID()}@loja.example`;
  const both = await subscribe({ customer: { documentNumber, email }, orderNumber: 'B-1' });
  const one = await subscribe({ customer: { documentNumber } });
  const other = await subscribe({ customer: { email: email.toUpperCase() } });
  assert.deepEqual(await idsOf(`documentNumber=${documentNumber}`), [both, one].toSorted());
  assert.deepEqual(await idsOf(`email=${email}`), [both, other].toSorted());
  for (const beside of [
    `email=${email}`,
    'orderNumber=B-1',
    `orderNumber=B-1&email=${email}&vaultId=${vaultId}&status=Active&planName=clube&orderBy=orderNumber`,
  ])
    assert.deepEqual(await idsOf(`documentNumber=${documentNumber}&${beside}`), [both], beside);
  assert.deepEqual(await idsOf(`email=${email}&vaultId=${randomUUID()}`), []);
  assert.deepEqual(await idsOf(`email=${email}&status=Canceled`), []);
  assert.deepEqual(await idsOf(`documentNumber=${documentNumber}`, service.foreignToken), []);
  assert.deepEqual(await idsOf(`email=${email}`, service.foreignToken), []);
  for (const wrong of ['documentNumber=11222333000182', 'email=loja', 'email=a@b'])
    assert.equal((await ask(`?${wrong}`)).status, 400, wrong);
});

test('what is wrong with a customer is named by its field, all at once, a card number in a text too', async () => {
  const wrong = { name: '\u0001', email: 'ana', documentNumber: '529.982.247-26', phone: '123' };
  const tags = ['documentNumber', 'email', 'name', 'phone'];
  const created = await ask('', { vaultId, orderNumber: 'P-1001', planId, customer: wrong });
  assert.deepEqual(refused(created), [400, tags.map((tag) => `customer.${tag}`)]);
  const id = await subscribe({ customer: ANA });
  assert.deepEqual(refused(await ask(`/${id}/customer`, wrong)), [400, tags]);
  const cards = { name: 'Ana 5155 9012 2228 0001', email: '5155901222280001@loja.example' };
  assert.deepEqual(refused(await ask(`/${id}/customer`, cards)), [400, ['email', 'name']]);
  assert.deepEqual((await read(id)).customer, ANA);
});

test('a customer is read as a form sends it: masks, blanks around an address, and nothing in what is empty', async () => {
  const sent = { name: '', email: ` ${ANA.email} `, documentNumber: '529.982.247-25', phone: ' ' };
  const id = await subscribe({ customer: sent });
  assert.deepEqual((await read(id)).customer, { email: ANA.email, documentNumber: '52998224725' });
  const found = await ask(`?documentNumber=${encodeURIComponent('529.982.247-25')}`);
  assert.ok(
    found.body.items.some((one: { id: string }) => one.id === id),
    found.text,
  );
});

test('the customer of another merchant is neither seen nor changed', async () => {
  const id = await subscribe({ customer: ANA });
  const answers = [
    await ask(`/${id}/customer`, { name: 'Eva' }, service.foreignToken),
    await ask(`/${randomUUID()}/customer`, { name: 'Eva' }),
  ];
  for (const { status, text } of answers) assert.deepEqual([status, text], [404, answers[0]?.text]);
  assert.deepEqual((await read(id)).customer, ANA);
});
