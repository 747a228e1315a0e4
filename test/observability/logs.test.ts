import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';

let service: TestService;
let token: string;
let userName: string;

before(async () => {
  service = await openTestService({
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    PARCELA_REQUEST_ID_HEADER: 'X-Request-Id',
  });
  const { gateway } = await service.demo();
  userName = gateway.userName;
  token = await logIn(service.gatewayUrl, gateway);
});
after(() => service.close());

type Line = Readonly<Record<string, unknown>>;

/** The line of the request that was answered with this id. */
function lineOf(id: string | null, log = service.log, field = 'requestId', message = 'msg'): Promise<Line> {
  return until(`the request ${id} is in the log`, async () => {
    const lines = log.map((line) => JSON.parse(line) as Line);
    return lines.find((line) => line[field] === id && line[message] === 'request');
  });
}

async function payAt(url: string, headers: Record<string, string> = {}, change = {}) {
  const body = paymentRequest(await tokenize(url, token), 4_200, change);
  const reply = await call(url, '/v1/payments', { token, body, headers });
  return { body, reply, id: reply.headers.get('x-request-id') };
}

test('the line of a payment names the payment, its reference, its merchant and credential, and the id of the proxy', async () => {
  const { body, reply, id } = await payAt(service.gatewayUrl, { 'x-request-id': 'edge-77/a' });
  assert.equal(reply.status, 200, reply.text);
  const line = await lineOf(id);
  const paymentId = reply.headers.get('x-payment-id');
  const { merchantId } = await service.demo();
  assert.equal(line.paymentId, paymentId);
  assert.equal(line.referenceTransaction, body.referenceTransaction);
  assert.equal(line.merchantId, merchantId);
  assert.equal(line.userName, userName);
  assert.match(String(line.credentialId), /^[\da-f-]{36}$/);
  assert.equal(line.proxyRequestId, 'edge-77/a');
  assert.equal(line.route, '/v1/payments');
  assert.equal(line.traceId, undefined);
  const shown = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token });
  const read = await lineOf(shown.headers.get('x-request-id'));
  assert.equal(read.paymentId, paymentId);
  assert.equal(read.referenceTransaction, body.referenceTransaction);
  const canceled = await call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token, body: {} });
  assert.equal(canceled.status, 200, canceled.text);
  assert.equal((await lineOf(canceled.headers.get('x-request-id'))).paymentId, paymentId);
});

test('a reference that holds an end of a line is in one line of the log', async () => {
  const referenceTransaction = 'PEDIDO\u2028{"msg":"forged"}';
  const { reply, id } = await payAt(service.gatewayUrl, {}, { referenceTransaction });
  assert.equal(reply.status, 200, reply.text);
  assert.equal((await lineOf(id)).referenceTransaction, referenceTransaction);
});

test('a repeated request names the payment of the first one', async () => {
  const body = paymentRequest(await tokenize(service.gatewayUrl, token), 4_300);
  const headers = { 'idempotency-key': 'k-4300' };
  const first = await call(service.gatewayUrl, '/v1/payments', { token, body, headers });
  const again = await call(service.gatewayUrl, '/v1/payments', { token, body, headers });
  assert.equal(again.status, 200, again.text);
  const line = await lineOf(again.headers.get('x-request-id'));
  assert.equal(line.paymentId, first.headers.get('x-payment-id'));
  assert.equal(line.referenceTransaction, body.referenceTransaction);
});

test('an id of the proxy that is none, and texts that hold a card number, are in no line', async () => {
  const number = '5155901222280001';
  for (const id of [number, `a b`, 'x'.repeat(200), '<script>'])
    assert.equal(
      (await lineOf((await payAt(service.gatewayUrl, { 'x-request-id': id })).id)).proxyRequestId,
      undefined,
      id,
    );
  const { reply, id } = await payAt(service.gatewayUrl, {}, { referenceTransaction: `P ${number}` });
  assert.equal(reply.status, 400, reply.text);
  assert.equal((await lineOf(id)).referenceTransaction, undefined);
  await call(service.gatewayUrl, `/v1/payments/${number}`, { token });
  assert.equal(
    service.log.some((line) => line.includes(number)),
    false,
  );
});

test('a caller that is no trusted proxy names no request of its own', async (t) => {
  const open = await openTestService({
    PARCELA_REQUEST_ID_HEADER: 'X-Request-Id',
    PARCELA_LOG_FORMAT: 'ecs',
  });
  t.after(() => open.close());
  const login = (await open.demo()).gateway;
  const shown = await call(open.gatewayUrl, '/v1/payments?limit=1', {
    token: await logIn(open.gatewayUrl, login),
    headers: { 'x-request-id': 'mine' },
  });
  const line = await lineOf(shown.headers.get('x-request-id'), open.log, 'http.request.id', 'message');
  assert.equal(line['parcela.proxyRequestId'], undefined);
  assert.equal(line['log.level'], 'info');
  assert.match(String(line['@timestamp']), /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.equal(line['service.name'], 'parcela');
  assert.equal(line['ecs.version'], '8.17.0');
  assert.equal(line['http.request.method'], 'GET');
  assert.equal(line['http.route'], '/v1/payments');
  assert.equal(line['http.response.status_code'], shown.status);
  assert.ok(Number.isSafeInteger(line['event.duration']));
  assert.equal(line['user.name'], login.userName);
});
