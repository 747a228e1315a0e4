import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { askedOf, openVaultService, payBy, storedId, type VaultService } from '../vault/vault-service.ts';

/** A bridge of version 1 is spoken to as it always was; one of version 2 gets what that version adds. */

let old: VaultService;
let service: VaultService;

before(async () => {
  old = await openVaultService({}, 1);
  service = await openVaultService();
});
after(async () => {
  await old.close();
  await service.close();
});

const FIELDS_OF_VERSION_1 = [
  'amount',
  'card',
  'initiator',
  'installments',
  'merchantId',
  'merchantReference',
  'networkTransactionId',
  'reference',
  'soldAt',
  'storedCard',
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

test('a bridge of version 1 gets the fields of version 1, and can do all that it always could', async () => {
  const { reply } = await pay(old.gatewayUrl, old.token(), 10_000, {
    ...described('LOJA*PEDIDO 1'),
    ...BUYER,
    payment: { transactionType: 'credit', amount: 10_000, productType: 'lojista', installments: 99 },
  });
  assert.equal(reply.status, 200, reply.text);
  const [asked] = askedOf(old, '/authorizations');
  assert.deepEqual(Object.keys(asked).toSorted(), FIELDS_OF_VERSION_1);
  const { paymentId } = reply.body.paymentAuthorization;
  const token = old.token();
  const canceled = await call(old.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
    token,
    body: { amount: 2_001 },
  });
  assert.equal(canceled.status, 200, canceled.text);
  assert.deepEqual(Object.keys(askedOf(old, '/cancellations')[0]).toSorted(), [
    'amount',
    'cancellationReference',
    'merchantId',
    'reference',
  ]);
});

test('a bridge of version 2 gets the soft descriptor, why a stored card is charged, and the buyer where it asks for one', async () => {
  const since = service.bridge.asked.length;
  const { reply } = await pay(service.gatewayUrl, service.token(), 1_000, {
    ...described('LOJA*PEDIDO 1'),
    ...BUYER,
  });
  assert.equal(reply.status, 200, reply.text);
  const [asked] = askedOf(service, '/authorizations', since);
  assert.equal(asked.softDescriptor, 'LOJA*PEDIDO 1');
  assert.equal(asked.storedCardReason, null);
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
