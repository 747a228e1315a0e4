import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, pay, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openProductionService, type ProductionService } from './production-service.ts';

let setup: ProductionService;
let vaultId: string;

before(async () => {
  setup = await openProductionService({
    PARCELA_ANTIFRAUD_RULES: 'document/hour/declines/1=reject',
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '3000',
  });
  const { service, token } = setup;
  const card = {
    cardholderName: 'ANA SOUZA',
    brand: 'mastercard',
    expirationMonth: '12',
    expirationYear: '39',
  };
  const body = { numberToken: await tokenize(service.gatewayUrl, token), ...card };
  vaultId = (await call(service.gatewayUrl, '/v1/vaults/cards', { token, body })).body.vaultId;
});
after(() => setup.close());

async function payBy(
  codeAntiFraud: string,
  amount = 1_000,
  change: Record<string, unknown> = {},
): Promise<Reply> {
  const sellerInfo = { codeAntiFraud };
  return (await pay(setup.service.gatewayUrl, setup.token, amount, { sellerInfo, ...change })).reply;
}

/** A stored card has no claim of its own. */
function payByStored(codeAntiFraud: string): Promise<Reply> {
  const change = { sellerInfo: { codeAntiFraud }, cardInfo: { vaultId } };
  const body = paymentRequest('', 1_000, change);
  return call(setup.service.gatewayUrl, '/v1/payments', { token: setup.token, body });
}

function assertUnusable(reply: Reply): void {
  assert.equal(reply.status, 400, reply.text);
  assert.deepEqual(
    reply.body.map(({ tag }: { tag: string }) => tag),
    ['sellerInfo.codeAntiFraud'],
  );
}

test('production takes issued codes only, each for one approval', async () => {
  assertUnusable(await payBy(randomUUID()));
  const code = await setup.newCode();
  const paid = await payBy(code.toUpperCase());
  assert.equal(paid.status, 200, paid.text);
  assertUnusable(await payBy(code));
  assertUnusable(await payByStored(code));
});

test('of payments with one code that come at once one is charged, by token or by stored card', async () => {
  for (const payWith of [payBy, payByStored]) {
    const code = await setup.newCode();
    const replies = await Promise.all(Array.from({ length: 12 }, () => payWith(code)));
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertUnusable(reply);
  }
});

test('a declined payment gives the code back', async () => {
  for (const payWith of [payBy, payByStored]) {
    const code = await setup.newCode();
    const declined = await payBy(code, 1_051);
    assert.deepEqual([declined.status, declined.body[0].tag], [402, '51']);
    const paid = await payWith(code);
    assert.equal(paid.status, 200, paid.text);
  }
});

test('a payment whose outcome nobody knows keeps the code until its charge is voided', async () => {
  const code = await setup.newCode();
  assert.equal((await payBy(code, 1_002)).status, 500);
  await until('the code is free again', async () => {
    const reply = await payBy(code);
    if (reply.status === 200) return true;
    assertUnusable(reply);
    return false;
  });
  const rows = await setup.keys.auditor.query(
    'select state from transactions where anti_fraud_code = $1 order by state',
    [code],
  );
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['approved', 'voided'],
  );
});

test('a rejected payment leaves code and card token as they were', async () => {
  const code = await setup.newCode();
  const customer = { documentNumber: '529.982.247-25' };
  assert.equal((await payBy(code, 1_051, { customer })).status, 402);
  const { gatewayUrl } = setup.service;
  const change = { sellerInfo: { codeAntiFraud: code }, customer };
  const body = paymentRequest(await tokenize(gatewayUrl, setup.token), 1_000, change);
  const rejected = await call(gatewayUrl, '/v1/payments', { token: setup.token, body });
  assert.deepEqual([rejected.status, rejected.body[0].tag], [402, 'antifraud']);
  const again = await call(gatewayUrl, '/v1/payments', {
    token: setup.token,
    body: { ...body, customer: null },
  });
  assert.equal(again.status, 200, again.text);
});

test('all that is wrong with card and code is reported at once', async () => {
  const body = paymentRequest('nobody', 1_000, { sellerInfo: { codeAntiFraud: randomUUID() } });
  const reply = await call(setup.service.gatewayUrl, '/v1/payments', { token: setup.token, body });
  assert.equal(reply.status, 400);
  assert.deepEqual(
    reply.body.map(({ tag }: { tag: string }) => tag),
    ['cardInfo.numberToken', 'sellerInfo.codeAntiFraud'],
  );
});

test('production publishes no path of homologation', async () => {
  const { paths } = (await call(setup.service.gatewayUrl, '/openapi.json')).body as { paths: object };
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.startsWith('/homologation')),
    [],
  );
  assert.doesNotMatch((await call(setup.service.gatewayUrl, '/docs')).text, /homologation\/clock/);
});
