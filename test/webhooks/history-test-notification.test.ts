import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import {
  deliveryRow,
  FOREIGN_ACCOUNT,
  FOREIGN_MERCHANT,
  type HistoryService,
  openHistoryService,
  plantEndpoint,
} from './history-service.ts';

let service: HistoryService;
let shop: Listener;

before(async () => {
  shop = await openListener();
  service = await openHistoryService();
});
after(async () => {
  await service.close();
  shop.close();
});

type EndpointResponse = { readonly headers: IncomingMessage['headers']; readonly body: string };
type Listener = { url: string; status: number; readonly received: EndpointResponse[]; close(): void };

/** A merchant's server, which answers as it is set. */
async function openListener(): Promise<Listener> {
  const received: EndpointResponse[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(listener.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const listener: Listener = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    status: 200,
    received,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return listener;
}

const sendTest = (accountNumber = service.accountNumber, ask = service.ask) =>
  ask(`/api/webhooks/subscriptions/test?accountNumber=${accountNumber}`, { method: 'POST' });

async function endpoint(accountNumber = service.accountNumber) {
  const [row] = await service.auditor.query(
    'select * from webhook_endpoints where merchant_id = $1 and endpoint = $2',
    [service.merchantId, `account:${accountNumber}`],
  );
  return row as Record<string, unknown>;
}

const TROUBLE = {
  state: 'disabled',
  openings: 4,
  opened_until: new Date(Date.now() + 3_600_000),
  failing_since: new Date(Date.now() - 6 * 86_400_000),
};

test('a test arrives with the eight fields at once, and releases a webhook that was held', async () => {
  shop.status = 204;
  await plantEndpoint(service, service.accountNumber, shop.url, TROUBLE);
  const since = shop.received.length;
  const { status, body } = await sendTest();
  assert.equal(status, 200);
  const { id, milliseconds, ...rest } = body;
  assert.deepEqual(rest, { delivered: true, status: 204, failure: null });
  assert.ok(Number.isInteger(milliseconds) && milliseconds >= 0);
  const [received, ...others] = shop.received.slice(since);
  assert.deepEqual(others, []);
  assert.equal(received?.headers['webhook-id'], id);
  const { movementId, moment, ...fields } = JSON.parse(received?.body as string);
  assert.deepEqual(
    { ...fields },
    { nsu: '0', codAuth: '', installmentNumber: 0, type: 'Teste', oldValue: '', newValue: '' },
  );
  assert.match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  const [sequence] = await service.auditor.query('select last_value::int as last from movement_ids');
  assert.equal(movementId, (sequence as { last: number }).last, 'a number of the movements');
  const { state, opened_until, openings, failing_since, returned_at } = await endpoint();
  assert.deepEqual([state, opened_until, openings, failing_since], ['active', null, 0, null]);
  assert.ok(Math.abs((returned_at as Date).getTime() - Date.now()) < 60_000, 'what waited is due now');
  const read = (await service.ask(`/api/webhooks/deliveries/${id}`)).body;
  assert.deepEqual(
    [read.kind, read.movementId, read.nsu, read.installmentNumber, read.paymentId, read.status, read.body],
    ['Test', movementId, null, null, null, 'Delivered', received?.body],
  );
  assert.deepEqual(
    read.tries.map(({ number, status: reported, failure }: Record<string, unknown>) => [
      number,
      reported,
      failure,
    ]),
    [[1, 204, null]],
  );
});

test('a test that fails says why, releases nothing and is not tried again', async () => {
  shop.status = 500;
  await plantEndpoint(service, service.accountNumber, shop.url, TROUBLE);
  const before = await endpoint();
  const refused = await sendTest();
  const { id, delivered, status } = refused.body;
  assert.deepEqual([refused.status, delivered, status], [200, false, 500]);
  assert.equal(typeof refused.body.failure, 'string');
  assert.deepEqual(await endpoint(), before);
  const row = await deliveryRow(service, id);
  assert.deepEqual([row.state, row.tries, row.due_at, row.kind], ['givenUp', 1, null, 'test']);
  // A port where nobody listens.
  await plantEndpoint(service, service.accountNumber, 'http://127.0.0.1:9/', TROUBLE);
  const away = await sendTest();
  assert.deepEqual([away.status, away.body.delivered, away.body.status], [200, false, null]);
  assert.equal(typeof away.body.failure, 'string');
});

test('a registration that was replaced while its test was under way is not released by it', async () => {
  const replaced = createServer((_, response) => {
    const release = service.auditor.query(
      'update webhook_endpoints set registration = registration + 1 where merchant_id = $1 and endpoint = $2',
      [service.merchantId, `account:${service.accountNumber}`],
    );
    void release.then(() => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => replaced.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(replaced.address() as AddressInfo).port}/`;
  await plantEndpoint(service, service.accountNumber, url, TROUBLE);
  try {
    const { body } = await sendTest();
    assert.equal(body.delivered, true);
    assert.equal((await endpoint()).state, 'disabled');
  } finally {
    replaced.close();
    replaced.closeAllConnections();
  }
});

test('where nothing is registered, or no more, nothing can be tested, and nobody else’s account either', async () => {
  shop.status = 200;
  const foreign = { auditor: service.auditor, merchantId: FOREIGN_MERCHANT };
  await plantEndpoint(foreign, FOREIGN_ACCOUNT, shop.url);
  await plantEndpoint(service, service.otherAccount, shop.url, { state: 'removed' });
  const since = shop.received.length;
  const unknown = await sendTest('3333333');
  assert.equal(unknown.status, 404);
  for (const accountNumber of [FOREIGN_ACCOUNT, service.otherAccount]) {
    const reply = await sendTest(accountNumber);
    assert.deepEqual([reply.status, reply.text], [404, unknown.text], accountNumber);
  }
  assert.equal(shop.received.length, since);
  assert.equal((await sendTest(FOREIGN_ACCOUNT, service.askAsForeign)).body.delivered, true);
});

test('the tests of a merchant are bounded, and another merchant still has its own', async () => {
  const foreign = { auditor: service.auditor, merchantId: FOREIGN_MERCHANT };
  await plantEndpoint(foreign, FOREIGN_ACCOUNT, shop.url);
  await plantEndpoint(service, service.accountNumber, shop.url);
  const statuses = new Set<number>();
  for (let asked = 0; asked < 11; asked += 1) {
    const reply = await sendTest();
    statuses.add(reply.status);
    if (reply.status !== 429) continue;
    assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    break;
  }
  assert.ok(statuses.has(429), 'ten a minute');
  assert.equal((await sendTest(FOREIGN_ACCOUNT, service.askAsForeign)).status, 200);
});
