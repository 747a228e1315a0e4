import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openProductionService, type ProductionService } from '../antifraud/production-service.ts';
import { call, logIn, pay, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openTestService, type TestService } from '../kit/service.ts';

let service: TestService;
let token: string;
let production: ProductionService;

before(async () => {
  service = await openTestService();
  token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
  production = await openProductionService({ PARCELA_WEBHOOK_NETWORKS: '10.1.0.0/16, fd00:1::/32' });
});
after(async () => {
  await production.close();
  await service.close();
});

/**
 * Asked in production: the tags of the refusal, or the status. What fails for another reason has
 * another tag.
 */
async function refusedInProduction(urlCallBack: string): Promise<(string | number)[]> {
  const { gatewayUrl } = production.service;
  const body = paymentRequest(await tokenize(gatewayUrl, production.token), 1_000, { urlCallBack });
  const reply = await call(gatewayUrl, '/v1/payments', { token: production.token, body });
  return reply.status === 400 ? reply.body.map(({ tag }: { tag: string }) => tag) : [reply.status];
}

test('the address for callbacks of a payment is kept in one spelling', async () => {
  for (const [urlCallBack, kept] of [
    ['https://LOJA.example./Volta?x=é', 'https://loja.example/Volta?x=%C3%A9'],
    ['https://loja.example', 'https://loja.example/'],
    ['http://localhost:3000/volta', 'http://localhost:3000/volta'],
    [`https://loja.example/${'a'.repeat(479)}`, `https://loja.example/${'a'.repeat(479)}`],
    [null, null],
  ]) {
    const { reply } = await pay(service.gatewayUrl, token, 1_000, { urlCallBack });
    assert.equal(reply.status, 200, reply.text);
    const { paymentId } = reply.body.paymentAuthorization;
    const [row] = await service.auditor.query(
      'select callback_url from transactions where transaction_id = $1',
      [paymentId],
    );
    assert.equal(row?.callback_url, kept);
  }
});

test('a payment whose callbacks would go into a private network is refused before the card is charged', async () => {
  for (const urlCallBack of [
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://postgres:8443/',
    'https://metadata.google.internal/',
    'https://user:pass@loja.example/',
    'https://loja.example/#x',
    'https://loja.example:22/',
    'ftp://loja.example/',
    'loja.example',
    `https://loja.example/${'é'.repeat(200)}`,
  ]) {
    const { reply } = await pay(service.gatewayUrl, token, 1_000, { urlCallBack });
    assert.deepEqual(
      [reply.status, reply.body.map(({ tag }: { tag: string }) => tag)],
      [400, ['urlCallBack']],
      urlCallBack,
    );
  }
});

test('in production callbacks go over https to public addresses and to networks that the operator opened', async () => {
  for (const url of ['http://loja.example/', 'https://127.0.0.1/', 'https://10.2.0.1/', 'https://[::1]/'])
    assert.ok((await refusedInProduction(url)).includes('urlCallBack'), url);
  for (const url of [
    'https://loja.example/',
    'https://10.1.2.3:81/',
    'https://[fd00:1::5]/',
    'https://erp.lan/',
  ])
    assert.doesNotMatch(String(await refusedInProduction(url)), /urlCallBack/, url);
});
