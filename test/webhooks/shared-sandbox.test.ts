import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { call, encryptCard, logIn, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

const PATH = '/api/webhooks/subscriptions?accountNumber=';

test('a sandbox that several share can forbid that merchants have this machine called', async () => {
  const service = await openTestService({ PARCELA_WEBHOOK_LOOPBACK: '0', PARCELA_STORED_COPIES: '1' });
  try {
    const demo = await service.demo();
    const { integrationUrl, gatewayUrl } = service;
    const token = await logIn(integrationUrl, demo.integration, '/api/authentication/login');
    await sellAtDemoShop(service);
    await subscribeAtDemoShop(service, await logIn(gatewayUrl, demo.gateway));
    const [account] = await service.auditor.query('select account_number from accounts limit 1');
    const register = (url: string) =>
      call(integrationUrl, PATH + account?.account_number, { token, body: { url } });
    for (const url of ['http://127.0.0.1:3000/', 'http://localhost:3000/', 'http://[::1]:3000/']) {
      const refused = await register(url);
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.body[0].tag, 'url');
    }
    assert.equal((await register('http://93.184.216.34/')).status, 200, 'http is taken as before');
    const gateway = await logIn(gatewayUrl, demo.gateway);
    const request = paymentRequest(await tokenize(gatewayUrl, gateway), 1_000);
    const body = { ...request, urlCallBack: 'http://127.0.0.1:3000/' };
    assert.equal((await call(gatewayUrl, '/v1/payments', { token: gateway, body })).status, 400);
  } finally {
    await service.close();
  }
});

/** Its address is not taken, nor may anybody be led back to it: it sells all the same, and says so. */
async function sellAtDemoShop({ gatewayUrl, auditor }: TestService): Promise<void> {
  const body = new URLSearchParams({ order: randomUUID() });
  const order = await fetch(`${gatewayUrl}/demo/orders`, { method: 'POST', body });
  assert.match(await order.text(), /Ir para o pagamento/);
  for (let visit = 1; visit <= 2; visit += 1) {
    const told = await fetch(`${gatewayUrl}/demo/notifications`);
    assert.match(await told.text(), /não aceita o endereço desta loja/);
  }
  assert.deepEqual(await auditor.query('select 1 from webhook_secrets'), []);
}

/** The card as the fields at the shop's page give it. */
async function subscribeAtDemoShop({ gatewayUrl }: TestService, token: string): Promise<void> {
  const { key, merchantId, createdAt } = (await call(gatewayUrl, '/v1/cards/public-key', { token })).body;
  const subscribe = async (order: string, cardNumber: string) => {
    const typed = { cardNumber, securityCode: '123', cardholderName: 'ANA SOUZA' };
    const card = { ...typed, expirationMonth: '12', expirationYear: '39', merchantId, createdAt };
    const encryptedCard = await encryptCard(key, card);
    const body = JSON.stringify({ order, encryptedCard, brand: 'mastercard' });
    const headers = { 'content-type': 'application/json' };
    const answered = await fetch(`${gatewayUrl}/demo/club`, { method: 'POST', headers, body });
    return { status: answered.status, ...((await answered.json()) as { url?: string; message?: string }) };
  };
  const order = randomUUID();
  const made = await subscribe(order, TEST_CARD);
  assert.match(made.url ?? '', /^http/);
  const other = '5200059000000003';
  assert.deepEqual(await subscribe(order, other), made, 'one order is one subscription');
  assert.match((await subscribe(randomUUID(), TEST_CARD)).message ?? '', /não pode ser guardado outra vez/);
}
