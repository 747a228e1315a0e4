import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { SETTINGS } from '../../src/app/settings.ts';
import { LIST_PAYMENTS } from '../../src/payments/list/contract.ts';
import { call, pay } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const newReference = () => `PEDIDO-${randomUUID().slice(0, 8)}`;

function payFor(referenceTransaction: string, amount = 1_000) {
  return pay(service.gatewayUrl, service.token(), amount, { referenceTransaction });
}

function list(query: Record<string, string>, token = service.token()) {
  return call(service.gatewayUrl, `/v1/payments?${new URLSearchParams(query)}`, { token });
}

test('all payments of a reference are found, newest first, declined ones too', async () => {
  const reference = newReference();
  const statuses = [];
  for (const amount of [1_051, 1_000, 2_000]) statuses.push((await payFor(reference, amount)).reply.status);
  assert.deepEqual(statuses, [402, 200, 200]);
  await payFor(newReference());
  const { status, body } = await list({ referenceTransaction: reference });
  assert.equal(status, 200);
  assert.deepEqual(
    { page: body.page, limit: body.limit, total: body.total },
    { page: 1, limit: 20, total: 3 },
  );
  assert.deepEqual(
    body.items.map((item: { value: number; statusDescription: string; referenceTransaction: string }) => [
      item.value,
      item.statusDescription,
      item.referenceTransaction,
    ]),
    [
      [2_000, 'Autorizada', reference],
      [1_000, 'Autorizada', reference],
      [1_051, 'Negada', reference],
    ],
  );
  const { paymentId } = body.items[0];
  const alone = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, {
    token: service.token(),
  });
  const { cancels, ...reported } = alone.body;
  assert.deepEqual([reported, cancels], [body.items[0], []], 'each is told as it is when it is read alone');
});

test('a payment says which card paid, and a declined one why, alone and in a list, in both languages', async () => {
  const reference = newReference();
  const card = { brand: 'mastercard', firstSix: '515590', lastFour: '0001' };
  await payFor(reference, 1_051);
  const { items } = (await list({ referenceTransaction: reference })).body;
  const { returnCode, description, retryable } = items[0];
  assert.deepEqual([returnCode, description, retryable], ['51', 'Saldo ou limite insuficiente', true]);
  assert.deepEqual([items[0].card, items[0].billingId], [card, null]);
  const alone = await call(service.gatewayUrl, `/v1/payments/${items[0].paymentId}`, {
    token: service.token(),
    headers: { 'accept-language': 'en' },
  });
  assert.equal(alone.body.returnCode, '51');
  assert.match(alone.body.description, /^Insufficient/);
  const approved = (await payFor(reference)).reply.body.paymentAuthorization.paymentId;
  const { body } = await call(service.gatewayUrl, `/v1/payments/${approved}`, { token: service.token() });
  assert.deepEqual([body.card, 'returnCode' in body, 'retryable' in body], [card, false, false]);
});

test('a payment lists its cancels, with what became of each', async () => {
  const { reply } = await payFor(newReference());
  const { paymentId } = reply.body.paymentAuthorization;
  const path = `/v1/payments/${paymentId}`;
  const token = service.token();
  const cancel = (amount: number) => call(service.gatewayUrl, `${path}/cancel`, { token, body: { amount } });
  const cancels = async () =>
    (await call(service.gatewayUrl, path, { token })).body.cancels.map(
      ({ amount, status, decidedAt }: { amount: number; status: string; decidedAt: string | null }) => [
        amount,
        status,
        decidedAt === null,
      ],
    );
  assert.equal((await cancel(100)).status, 200);
  service.bridge.spoilCancellations('silence');
  assert.equal((await cancel(200)).status, 500);
  assert.deepEqual(await cancels(), [
    [100, 'Cancelado', false],
    [200, 'Processando', true],
  ]);
  service.bridge.spoilCancellations(null);
  await until('the second is answered', async () => (await cancels())[1][1] === 'Cancelado', 60_000);
});

test('the payments of a reference are put in order by a field, what has no value last', async () => {
  const reference = newReference();
  for (const amount of [1_051, 3_000, 1_000, 2_000]) await payFor(reference, amount);
  const valuesBy = async (orderBy: string, more: Record<string, string> = {}) => {
    const { body } = await list({ referenceTransaction: reference, orderBy, ...more });
    assert.equal(body.total, 4);
    return body.items.map(({ value }: { value: number }) => value);
  };
  assert.deepEqual(await valuesBy('value'), [1_000, 1_051, 2_000, 3_000]);
  assert.deepEqual(await valuesBy('value desc', { limit: '2', page: '2' }), [1_051, 1_000]);
  assert.deepEqual(await valuesBy('transactionDate asc'), [1_051, 3_000, 1_000, 2_000]);
  assert.deepEqual(await valuesBy('paymentId desc'), [2_000, 1_000, 3_000, 1_051]);
  for (const orderBy of ['nsu', 'nsu desc', 'authorizationCode', 'authorizationCode desc'])
    assert.equal((await valuesBy(orderBy))[3], 1_051, `${orderBy}: a decline has neither`);
  const { status, body } = await list({ referenceTransaction: reference, orderBy: 'customer' });
  assert.deepEqual([status, body[0].tag], [400, 'orderBy']);
});

test('pages of a reference never overlap, and the total is that of all', async () => {
  const reference = newReference();
  for (let index = 1; index <= 5; index += 1) await payFor(reference, 1_000 + index);
  const values: number[] = [];
  for (const page of ['1', '2', '3', '4']) {
    const { body } = await list({ referenceTransaction: reference, page, limit: '2' });
    assert.equal(body.total, 5);
    values.push(...body.items.map((item: { value: number }) => item.value));
  }
  assert.deepEqual(values, [1_005, 1_004, 1_003, 1_002, 1_001]);
});

test('a payment whose answer did not come is found while it is processed, and as what became of it', async () => {
  const reference = newReference();
  const paying = payFor(reference, 1_001);
  const processed = await until(
    'it is found',
    async () => (await list({ referenceTransaction: reference })).body.items[0],
  );
  assert.equal(processed.statusDescription, 'Processando');
  assert.equal((await paying).reply.status, 500);
  await until(
    'it is voided',
    async () =>
      (await list({ referenceTransaction: reference })).body.items[0].statusDescription === 'Desfeita',
    60_000,
  );
});

test('a reference that nobody has, and one that only another merchant has, find nothing alike', async () => {
  const reference = newReference();
  await payFor(reference);
  const unknown = await list({ referenceTransaction: newReference() });
  const foreign = await list({ referenceTransaction: reference }, service.foreignToken());
  assert.equal(foreign.status, 200);
  assert.deepEqual(foreign.body, { items: [], page: 1, limit: 20, total: 0 });
  assert.deepEqual(foreign.body, unknown.body);
});

test('a query without a reference, or with a page out of range, is refused by name', async () => {
  const tagsOf = async (query: Record<string, string>) => {
    const { status, body } = await list(query);
    assert.equal(status, 400);
    return body.map(({ tag }: { tag: string }) => tag);
  };
  assert.deepEqual(await tagsOf({}), ['dateRangeStartDate', 'dateRangeEndDate']);
  assert.deepEqual(await tagsOf({ referenceTransaction: '', page: '0' }), ['referenceTransaction', 'page']);
  assert.deepEqual(await tagsOf({ referenceTransaction: 'x', page: '0' }), ['page']);
  assert.deepEqual(await tagsOf({ referenceTransaction: 'x', limit: '101' }), ['limit']);
  assert.deepEqual(await tagsOf({ referenceTransaction: 'x', page: 'dois', limit: '1.5' }), [
    'page',
    'limit',
  ]);
});

test('the description of the list promises nothing of an empty answer before the deadline of the request is over', () => {
  const preset = SETTINGS.find(({ name }) => name === 'PARCELA_REQUEST_DEADLINE_MILLISECONDS')?.preset;
  assert.ok(LIST_PAYMENTS.description?.includes(`${Number(preset) / 1_000} seconds`));
  assert.match(LIST_PAYMENTS.description as string, /and one second more have passed .* Idempotency-Key/s);
  assert.doesNotMatch(LIST_PAYMENTS.description as string, /none here/);
});
