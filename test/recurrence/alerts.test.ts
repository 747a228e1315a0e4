import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import type { Reply } from '../kit/merchant.ts';
import {
  ALERT_ENDPOINTS,
  type AlertsService,
  alertEndpointBody,
  endAlertEndpoints,
  moveAlertEndpoint,
  openAlertsService,
  registerAlertEndpoint,
} from './alerts-service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let service: AlertsService;

before(async () => {
  service = await openAlertsService();
});
after(() => service?.close());

type Listed = { id: string; name: string; status: string } & Record<string, unknown>;
type Page = { items: Listed[]; page: number; limit: number; total: number };

const list = async (query = ''): Promise<Page> => {
  const reply = await service.ask(`${ALERT_ENDPOINTS}?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as Page;
};
const find = async (id: string): Promise<Listed | undefined> =>
  (await list('limit=100')).items.find((item) => item.id === id);
const refused = ({ status, body }: Reply) => [status, (body as { tag: string }[]).map(({ tag }) => tag)];

test('a notifier is registered: the answer is its id, and the list shows it active', async () => {
  const reply = await service.ask(ALERT_ENDPOINTS, { body: alertEndpointBody(service) });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.text, JSON.stringify(reply.body));
  assert.match(reply.body, UUID);
  const { createdDate, ...shown } = (await find(reply.body)) as Listed;
  assert.deepEqual(shown, {
    id: reply.body,
    merchantId: service.merchantId,
    name: 'Cobranças',
    description: 'Avisa o time de cobrança',
    callbackUrl: 'http://127.0.0.1:49152/avisos',
    events: ['failed', 'cardExpiring'],
    status: 'Active',
    createdBy: service.userName,
  });
  assert.match(createdDate as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);
});

test('everything that is wrong with a registration is reported at once, in Portuguese or English', async () => {
  const nothing = await service.ask(ALERT_ENDPOINTS, { body: {} });
  assert.deepEqual(refused(nothing), [400, ['merchantId', 'name', 'description', 'callbackUrl']]);
  const long = 'x'.repeat(256);
  const body = alertEndpointBody(service, { merchantId: FOREIGN_MERCHANT, name: long, description: '' });
  assert.deepEqual(refused(await service.ask(ALERT_ENDPOINTS, { body })), [
    400,
    ['name', 'description', 'merchantId'],
  ]);
  const english = { 'accept-language': 'en' };
  const others = { body: alertEndpointBody(service, { merchantId: FOREIGN_MERCHANT }) };
  assert.deepEqual((await service.ask(ALERT_ENDPOINTS, others)).body, [
    { tag: 'merchantId', description: 'O merchantId não é o da credencial.' },
  ]);
  assert.deepEqual((await service.ask(ALERT_ENDPOINTS, { ...others, headers: english })).body, [
    { tag: 'merchantId', description: 'The merchantId is not the one of the credential.' },
  ]);
});

test('a notifier asks for events by name, each once in their order; without any it is for failures', async () => {
  const asked = async (events: unknown) =>
    (await find(await registerAlertEndpoint(service, { events })))?.events;
  assert.deepEqual(await asked(undefined), ['failed']);
  assert.deepEqual(await asked(null), ['failed']);
  assert.deepEqual(await asked([]), ['failed']);
  assert.deepEqual(await asked(['upcoming', 'paid', 'upcoming']), ['paid', 'upcoming']);
  for (const events of [['refunded'], 'paid', ['paid', 1], Array.from({ length: 21 }, () => 'paid')]) {
    const reply = await service.ask(ALERT_ENDPOINTS, { body: alertEndpointBody(service, { events }) });
    assert.equal(reply.status, 400, JSON.stringify(events));
    for (const { tag } of reply.body as { tag: string }[]) assert.match(tag, /^events/);
  }
  await endAlertEndpoints(service);
});

test('an address to which nothing may be sent is refused, in Portuguese or English', async () => {
  const ask = (callbackUrl: string, headers = {}) =>
    service.ask(ALERT_ENDPOINTS, { body: alertEndpointBody(service, { callbackUrl }), headers });
  for (const url of [
    'https://10.0.0.1/avisos',
    'https://169.254.169.254/avisos',
    `https://${'ana:senha'}@loja.example/avisos`,
    'https://intranet/avisos',
    'ftp://loja.example/avisos',
    `https://loja.example/${'a'.repeat(500)}`,
    'avisos',
  ])
    assert.deepEqual(refused(await ask(url)), [400, ['callbackUrl']], url);
  const english = { 'accept-language': 'en' };
  assert.deepEqual((await ask('https://10.0.0.1/a')).body, [
    { tag: 'callbackUrl', description: 'O servidor está em um endereço que não é público.' },
  ]);
  assert.deepEqual((await ask('https://10.0.0.1/a', english)).body, [
    { tag: 'callbackUrl', description: 'The server is at an address that is not public.' },
  ]);
});

test('a card number is not taken into a text', async () => {
  const reply = await service.ask(ALERT_ENDPOINTS, {
    body: alertEndpointBody(service, { name: '5155 9012 2228 0001', description: '5155901222280001' }),
  });
  assert.deepEqual(refused(reply), [400, ['name', 'description']]);
});

test('a request that is sent again with its key makes one notifier, and another body is refused', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const body = alertEndpointBody(service, { name: 'Uma vez' });
  const both = await Promise.all([1, 2].map(() => service.ask(ALERT_ENDPOINTS, { body, headers })));
  const first = both.find(({ status }) => status === 200) as Reply;
  for (const reply of both) assert.ok(reply.status === 200 || reply.status === 409, reply.text);
  const again = await service.ask(ALERT_ENDPOINTS, { body, headers });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal((await list('name=uma%20vez')).total, 1);
  const other = { ...body, name: 'Outra vez' };
  assert.equal((await service.ask(ALERT_ENDPOINTS, { body: other, headers })).status, 422);
});

test('the list is searched by part of the name and by status, put in order, and counted exactly', async () => {
  await endAlertEndpoints(service);
  const names = ['Água Café', 'agua cafe 2', 'ÁGUA CAFÉ 3'];
  const ids: string[] = [];
  for (const name of names) ids.push(await registerAlertEndpoint(service, { name }));
  const found = await list('name=AGUA%20caf%C3%A9&orderBy=name&limit=2');
  assert.deepEqual(
    [found.items.map(({ name }) => name), found.page, found.limit, found.total],
    [['Água Café', 'agua cafe 2'], 1, 2, 3],
  );
  assert.deepEqual(
    (await list('name=agua&orderBy=name&limit=2&page=2')).items.map(({ id }) => id),
    [ids[2]],
  );
  assert.deepEqual(
    (await list('name=agua')).items.map(({ id }) => id),
    ids.toReversed(),
  );
  assert.equal((await moveAlertEndpoint(service, ids[0] as string, 'Inactive')).status, 200);
  assert.deepEqual(
    (await list('name=agua&status=Inactive')).items.map(({ id }) => id),
    [ids[0]],
  );
  assert.equal((await list('name=agua&status=Active')).total, 2);
  const changedFirst = await list('name=agua&orderBy=modifiedDate%20desc');
  assert.deepEqual(changedFirst.items[0]?.id, ids[0]);
  assert.deepEqual((await list('name=nobody')).total, 0);
  for (const wrong of ['status=Canceled', 'orderBy=target', 'page=0', 'limit=101'])
    assert.equal((await service.ask(`${ALERT_ENDPOINTS}?${wrong}`)).status, 400, wrong);
});

test('another merchant sees, finds and changes nothing of it, and its number finds nothing', async () => {
  const id = await registerAlertEndpoint(service);
  const { items, total } = await list(`merchantId=${service.merchantId}&limit=1`);
  assert.ok(total > 0 && items.length === 1);
  const empty = { items: [], page: 1, limit: 20, total: 0 };
  assert.deepEqual(await list(`merchantId=${FOREIGN_MERCHANT}`), empty);
  assert.deepEqual(await list('merchantId=nobody'), empty);
  assert.deepEqual((await service.askAsForeign(ALERT_ENDPOINTS)).body, empty);
  assert.deepEqual(
    (await service.askAsForeign(`${ALERT_ENDPOINTS}?merchantId=${service.merchantId}`)).body,
    empty,
  );
  const foreign = { ask: service.askAsForeign };
  const answers = [
    await moveAlertEndpoint(foreign, id, 'Inactive'),
    await moveAlertEndpoint(foreign, randomUUID(), 'Inactive'),
    await moveAlertEndpoint(service, 'no-id', 'Inactive'),
  ];
  for (const { status, text } of answers) assert.deepEqual([status, text], [404, answers[0]?.text]);
  assert.equal((await find(id))?.status, 'Active');
});

test('a notifier ends and begins again, and asking for what it is changes nothing', async () => {
  const id = await registerAlertEndpoint(service);
  const same = await moveAlertEndpoint(service, id, 'Active');
  assert.deepEqual([same.status, same.body], [200, { id }]);
  assert.equal((await find(id))?.modifiedBy, undefined);
  assert.deepEqual((await moveAlertEndpoint(service, id.toUpperCase(), 'Inactive')).body, { id });
  const ended = await find(id);
  assert.deepEqual([ended?.status, ended?.modifiedBy], ['Inactive', service.userName]);
  assert.equal(typeof ended?.modifiedDate, 'string');
  assert.equal((await moveAlertEndpoint(service, id, 'Active')).status, 200);
  assert.equal((await find(id))?.status, 'Active');
  assert.deepEqual(refused(await moveAlertEndpoint(service, id, 'Removed')), [400, ['status']]);
});

test('of many that come at once twenty become active, and one more when one of them ends', async () => {
  await endAlertEndpoints(service);
  const body = alertEndpointBody(service);
  const replies = await Promise.all(Array.from({ length: 24 }, () => service.ask(ALERT_ENDPOINTS, { body })));
  assert.deepEqual(
    [200, 409].map((wanted) => replies.filter(({ status }) => status === wanted).length),
    [20, 4],
  );
  const tooMany = replies.find(({ status }) => status === 409);
  assert.deepEqual(tooMany?.body, [
    {
      tag: '__general__',
      description: 'Já existem 20 notificadores ativos; desative um deles antes.',
    },
  ]);
  const english = await service.ask(ALERT_ENDPOINTS, { body, headers: { 'accept-language': 'en' } });
  assert.deepEqual(english.body, [
    {
      tag: '__general__',
      description: 'There are 20 active notifiers already; make one of them inactive first.',
    },
  ]);
  const { items } = await list('status=Active&limit=2');
  const [first, second] = items as [Listed, Listed];
  assert.equal((await moveAlertEndpoint(service, first.id, 'Inactive')).status, 200);
  assert.equal((await service.ask(ALERT_ENDPOINTS, { body })).status, 200);
  assert.equal((await moveAlertEndpoint(service, first.id, 'Active')).status, 409);
  assert.equal((await moveAlertEndpoint(service, second.id, 'Active')).status, 200);
  assert.equal((await list('status=Active')).total, 20);
});
