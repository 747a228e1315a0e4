import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, pay, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  askedOf,
  countOf,
  openVaultService,
  payBy,
  store,
  storedId,
  type VaultService,
} from '../vault/vault-service.ts';

/**
 * What the acquirer is told; and what it says that it cannot do is refused by name, before anything
 * is written or sent.
 */

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const ELO = '6362970000457013';

async function payIn(installments: number, cardInfo: Record<string, string> = {}, number?: string) {
  const request = paymentRequest(await tokenize(service.gatewayUrl, service.token(), number), 10_000);
  const productType = installments === 1 ? 'avista' : 'lojista';
  const payment = { ...request.payment, productType, installments };
  const body = { ...request, payment, cardInfo: { ...request.cardInfo, ...cardInfo } };
  return call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
}

function assertRefused(reply: Reply, status: number, tag: string, sentence: RegExp): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.body.length, 1, reply.text);
  assert.equal(reply.body[0].tag, tag);
  assert.match(reply.body[0].description, sentence);
}

const LESS = {
  threeDSecure: false,
  largestInstallments: 6,
  brands: ['visa', 'mastercard'],
  partialCancel: false,
  zeroVerification: false,
};

const countTransactions = () => countOf(service, 'select count(*) from transactions');

const FIELDS_OF_AUTHORIZATION = [
  ...['amount', 'card', 'customer', 'initiator', 'installments', 'merchantId', 'merchantReference'],
  ...['networkTransactionId', 'reference', 'softDescriptor', 'soldAt', 'storedCard', 'storedCardReason'],
  ...['threeDSecure', 'transactionLinkId'],
];

const BUYER = {
  customer: {
    firstName: 'Ana',
    lastName: 'Souza',
    documentType: 'cpf',
    documentNumber: '52998224725',
    email: 'ana@loja.example',
    mobilePhoneNumber: '5511990000000',
    address: 'Rua das Flores, 10',
    city: 'São Paulo',
  },
};

const described = (softDescriptor: string, codeAntiFraud = crypto.randomUUID()) => ({
  sellerInfo: { codeAntiFraud, softDescriptor },
});

test('the acquirer gets the soft descriptor, why a stored card is charged, and the buyer where it asks for one', async () => {
  const since = service.bridge.asked.length;
  const { reply } = await pay(service.gatewayUrl, service.token(), 1_000, {
    ...described('LOJA*PEDIDO 1'),
    ...BUYER,
  });
  assert.equal(reply.status, 200, reply.text);
  const [asked] = askedOf(service, '/authorizations', since);
  assert.deepEqual(Object.keys(asked).toSorted(), FIELDS_OF_AUTHORIZATION);
  assert.equal(asked.softDescriptor, 'LOJA*PEDIDO 1');
  assert.deepEqual([asked.storedCardReason, asked.threeDSecure], [null, null]);
  assert.deepEqual(asked.customer, {
    name: 'Ana Souza',
    documentNumber: '52998224725',
    email: 'ana@loja.example',
    phone: '5511990000000',
    address: {
      street: 'Rua das Flores, 10',
      complement: null,
      city: 'São Paulo',
      state: null,
      zipCode: null,
      country: null,
    },
  });
  const vaultId = await storedId(service);
  for (const initiator of ['cardholder', 'merchant']) {
    const before = service.bridge.asked.length;
    assert.equal((await payBy(service, { vaultId })).status, 200);
    const [stored] = askedOf(service, '/authorizations', before);
    assert.deepEqual([stored.initiator, stored.storedCardReason], [initiator, 'unscheduled']);
    assert.equal(stored.customer, null);
  }
});

const AUTHENTICATION = {
  eci: '02',
  cavv: 'AAABBZEEBgAAAAAAAAQGAAAAAAA=',
  dsTransactionId: '8c3f2e9a-0b1d-4a20-8c4e-2b6d1e5f3a77',
};

test('an authentication goes to the bridge, says that the holder is there, and is compared by its key', async () => {
  const since = service.bridge.asked.length;
  const vaultId = await storedId(service);
  assert.equal((await payBy(service, { vaultId })).status, 200);
  const body = {
    ...paymentRequest('', 1_000, { threeDSecure: AUTHENTICATION }),
    cardInfo: { vaultId },
  };
  const send = (threeDSecure: object) =>
    call(service.gatewayUrl, '/v1/payments', {
      ...{ token: service.token(), body: { ...body, threeDSecure } },
      headers: { 'idempotency-key': vaultId },
    });
  const paid = await send(AUTHENTICATION);
  assert.equal(paid.status, 200, paid.text);
  const [, asked] = askedOf(service, '/authorizations', since);
  assert.deepEqual(asked.threeDSecure, { ...AUTHENTICATION, version: '2', xid: null });
  assert.equal(asked.initiator, 'cardholder');
  const again = await send(AUTHENTICATION);
  assert.deepEqual([again.status, again.body], [200, paid.body]);
  const other = await send({ ...AUTHENTICATION, cavv: 'BBABBZEEBgAAAAAAAAQGAAAAAAA=' });
  assert.equal(other.status, 422, other.text);
});

test("the payment's own soft descriptor wins over the merchant's, which the operator gives and takes", async () => {
  const sent = async (change: Record<string, unknown> = {}) => {
    const since = service.bridge.asked.length;
    const { reply } = await pay(service.gatewayUrl, service.token(), 1_000, change);
    assert.equal(reply.status, 200, reply.text);
    return askedOf(service, '/authorizations', since)[0].softDescriptor as string | null;
  };
  const give = (text: string) =>
    service.parcela('merchant', 'change', '--merchant', service.merchantId, '--soft-descriptor', text);
  assert.equal(await sent(), null);
  assert.equal((await give('LOJA*PADRAO')).exitCode, 0);
  await until('payments follow', async () => (await sent()) === 'LOJA*PADRAO');
  assert.equal(await sent(described('LOJA*NATAL')), 'LOJA*NATAL');
  for (const text of ['PADARIA SÃO', 'LOJA*MUITO*LONGA', '4222222222222']) {
    const refused = await give(text);
    assert.notEqual(refused.exitCode, 0, text);
  }
  assert.equal((await give('.')).exitCode, 0);
  await until('payments follow', async () => (await sent()) === null);
});

test('a soft descriptor that acquirers do not take, or that is a card number, is refused by its field', async () => {
  for (const text of ['LOJA*PEDIDO 77', 'CAFÉ', '4222222222222']) {
    const { reply } = await pay(service.gatewayUrl, service.token(), 1_000, described(text));
    assert.equal(reply.status, 400, `${text}: ${reply.text}`);
    assert.equal(reply.body[0].tag, 'sellerInfo.softDescriptor', text);
  }
});

test('an acquirer that can do all is asked for all', async () => {
  assert.equal((await payIn(99)).status, 200);
  assert.equal((await payIn(1, { brand: 'elo' }, ELO)).status, 200);
  assert.equal((await store(service, { verifyCard: true, securityCode: '123' })).status, 200);
});

test('what it reports to do no more is noticed while the service runs, and refused by the field', async () => {
  const paid = await payIn(2);
  assert.equal(paid.status, 200, paid.text);
  const { paymentId } = paid.body.paymentAuthorization;
  service.bridge.reportCapabilities(LESS);
  await until('the service has read it', async () => (await payIn(7)).status === 400);
  const asked = service.bridge.asked.length;
  const made = await countTransactions();
  assertRefused(
    await payIn(7),
    400,
    'payment.installments',
    /^A adquirente aceita no máximo 6 parcela\(s\)\.$/,
  );
  const { reply } = await pay(service.gatewayUrl, service.token(), 1_000, { threeDSecure: AUTHENTICATION });
  assertRefused(reply, 400, 'threeDSecure', /^A adquirente não recebe a autenticação 3-D Secure\./);
  assertRefused(
    await payIn(1, { brand: 'elo' }, ELO),
    400,
    'cardInfo.brand',
    /^A adquirente não aceita cartões desta bandeira\.$/,
  );
  assertRefused(
    await store(service, { brand: 'elo' }, ELO),
    400,
    'brand',
    /^A adquirente não aceita cartões desta bandeira\.$/,
  );
  assertRefused(
    await store(service, { verifyCard: true, securityCode: '123' }),
    400,
    'verifyCard',
    /^A adquirente não verifica cartões sem cobrança/,
  );
  const cancel = (body: object) =>
    call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, { token: service.token(), body });
  assertRefused(
    await cancel({ amount: 1 }),
    409,
    'amount',
    /^A adquirente não devolve parte de um pagamento/,
  );
  assert.equal(await countTransactions(), made, 'no intent was written');
  assert.deepEqual(service.bridge.asked.slice(asked), [], 'the acquirer was asked for nothing');
  assert.equal((await payIn(6)).status, 200, 'what it can do goes on');
  assert.equal((await store(service)).status, 200, 'a card is stored without a verification');
  assert.equal((await cancel({ amount: 10_000 })).status, 200, 'the whole is given back');
  const [given] = askedOf(service, '/cancellations', asked);
  assert.deepEqual(
    [given.reference, given.amount, Number.isNaN(Date.parse(given.requestedAt))],
    [paymentId, 10_000, false],
  );
});

test('several faults of a payment are named at once, also when one of them is what the acquirer cannot do', async () => {
  const request = paymentRequest(await tokenize(service.gatewayUrl, service.token()), 10_000);
  const payment = { ...request.payment, productType: 'lojista', installments: 8 };
  const body = { ...request, payment, urlCallBack: 'ftp://loja.example' };
  const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
  assert.equal(reply.status, 400, reply.text);
  const tags = reply.body.map(({ tag }: { tag: string }) => tag);
  assert.deepEqual(tags.toSorted(), ['payment.installments', 'urlCallBack']);
});

test('what the acquirer can do again is asked for again, and a bridge that reports nonsense changes nothing', async () => {
  service.bridge.reportCapabilities({ ...LESS, largestInstallments: 'many' });
  await until('the bad report is logged', async () =>
    service.log.some((line) => line.includes('no capability largestInstallments that can be')),
  );
  assert.equal((await payIn(7)).status, 400, 'the last reading stands');
  service.bridge.reportCapabilities({});
  await until('the service has read it', async () => (await payIn(99)).status === 200);
  assert.ok(askedOf(service, '/authorizations').some(({ installments }) => installments === 99));
});
