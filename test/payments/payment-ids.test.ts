import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

/**
 * Whatever became of a payment, its answer names it: header X-Payment-Id, and paymentId in the
 * errors of 402 and 500.
 */
let service: TestService;
let token: string;

before(async () => {
  service = await openTestService({ PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '1500' });
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
});
after(() => service.close());

const OUTCOMES = { approved: [1000, 200], declined: [1051, 402], unresolved: [1001, 500] } as const;

for (const [outcome, [amount, status]] of Object.entries(OUTCOMES)) {
  test(`the answer to a payment that is ${outcome} names it, and so does that to its repetition`, async () => {
    const url = service.gatewayUrl;
    const body = paymentRequest(await tokenize(url, token), amount);
    const headers = { 'idempotency-key': `names-${outcome}` };
    const reply = await call(url, '/v1/payments', { token, body, headers });
    assert.equal(reply.status, status, reply.text);
    const id = reply.headers.get('x-payment-id');
    const search = `/v1/payments?referenceTransaction=${body.referenceTransaction}`;
    const found = (await call(url, search, { token })).body;
    const items = Array.isArray(found) ? found : found.items;
    assert.equal(items[0].paymentId, id);
    if (status === 200) assert.equal(reply.body.paymentAuthorization.paymentId, id);
    else {
      assert.equal(reply.body[0].paymentId, id);
      assert.equal(typeof reply.body[0].tag, 'string');
      assert.equal(typeof reply.body[0].description, 'string');
    }
    const again = await call(url, '/v1/payments', { token, body, headers });
    // One that is not resolved yet is answered with "wait".
    if (again.status !== 409) assert.equal(again.headers.get('x-payment-id'), id);
  });
}

test('what was refused before there was a payment names none', async () => {
  const reply = await call(service.gatewayUrl, '/v1/payments', {
    token,
    body: paymentRequest('unknown', 1000),
  });
  assert.equal(reply.status, 400);
  assert.equal(reply.headers.get('x-payment-id'), null);
  assert.equal(reply.body[0].paymentId, undefined);
});
