import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { until } from '../kit/service.ts';
import { momentText, type NotifiedService, openNotifiedService } from './notified-service.ts';

let service: NotifiedService;

before(async () => {
  service = await openNotifiedService();
});
beforeEach(() => service.unregister());
after(() => service.close());

const CALLBACK = 'https://loja.example:8443/retorno?pedido=1';
const ORIGIN = 'origin:https://loja.example:8443';

const eightFields = (movement: Record<string, unknown>, reported: Record<string, unknown>) => ({
  movementId: movement.id,
  nsu: movement.nsu,
  codAuth: movement.authorization_code,
  installmentNumber: movement.number,
  moment: momentText(movement.moment),
  ...reported,
});

async function callbacksOf(paymentId: string) {
  const rows = await service.deliveries(paymentId);
  return rows.filter(({ kind }) => kind === 'callback');
}

const statusesOf = async (paymentId: string) =>
  (await callbacksOf(paymentId)).map(({ body }) => JSON.parse(body as string).Status);

test('a sale of three installments leaves three notifications for the account that is registered', async () => {
  await service.register();
  const { reply, paymentId } = await service.sell(10_000, 3);
  assert.equal(reply.status, 200, reply.text);
  const movements = await service.movements(paymentId);
  const deliveries = await service.deliveries(paymentId);
  assert.equal(movements.length, 3);
  const change = { type: 'Autorizacao', oldValue: '', newValue: 'Autorizada' };
  // The text itself: it is what is sent and signed.
  assert.deepEqual(
    deliveries.map(({ body }) => body),
    movements.map((movement) => JSON.stringify(eightFields(movement, change))),
  );
  assert.deepEqual(
    deliveries.map(({ id, number }) => [id, number]),
    movements.map(({ id, number }) => [id, number]),
  );
  for (const { kind, endpoint, url, account_number, nsu, state, tries, due_at, scheduled_at } of deliveries) {
    assert.deepEqual(
      [kind, endpoint, url, account_number, nsu, state, tries],
      [
        'movement',
        `account:${service.accountNumber}`,
        null,
        service.accountNumber,
        reply.body.paymentAuthorization.nsu,
        'waiting',
        0,
      ],
    );
    assert.deepEqual([due_at, scheduled_at], [movements[0]?.moment, movements[0]?.moment]);
  }
});

test('where nobody is registered, and where the registration was removed, nothing is written', async () => {
  const alone = await service.sell(10_000, 2);
  await service.register('removed');
  const removed = await service.sell(10_000, 2);
  for (const { paymentId } of [alone, removed]) {
    assert.equal((await service.movements(paymentId)).length, 2);
    await service.cancel(paymentId);
    assert.equal((await service.movements(paymentId)).length, 4);
    assert.deepEqual(await service.deliveries(paymentId), []);
  }
});

test('what happens while a webhook is held waits for it', async () => {
  await service.register('disabled');
  const { paymentId } = await service.sell(10_000, 2);
  assert.equal((await service.deliveries(paymentId)).length, 2);
});

test('the result of a payment is posted to the address that it gave', async () => {
  const referenceTransaction = `PEDIDO "${randomUUID()}"`;
  const sale = { urlCallBack: CALLBACK, referenceTransaction };
  const { reply, paymentId } = await service.sell(12_345, 3, sale);
  const { authorizationCode, nsu, releaseAt } = reply.body.paymentAuthorization;
  const [delivery, ...others] = await service.deliveries(paymentId);
  assert.deepEqual(others, []);
  assert.equal(
    delivery?.body,
    `{"Value":123.45,"Origin":"GATEWAY_2D","Date":"${releaseAt}","Installments":3,"TransactionType":"CREDIT",` +
      `"ResultId":"${paymentId}","AuthorizationCode":"${authorizationCode}","Status":"0",` +
      `"paymentId":"${paymentId}","referenceTransaction":${JSON.stringify(referenceTransaction)}}`,
  );
  assert.deepEqual(
    [delivery.kind, delivery.endpoint, delivery.url, delivery.number, delivery.nsu],
    ['callback', ORIGIN, CALLBACK, 0, nsu],
  );
  const known = await service.auditor.query('select state, url from webhook_endpoints where endpoint = $1', [
    ORIGIN,
  ]);
  assert.deepEqual(known, [{ state: 'active', url: null }]);
});

test('an account that is registered and a payment with an address are both notified, the movement first', async () => {
  await service.register();
  const { paymentId } = await service.sell(5, 1, { urlCallBack: CALLBACK });
  const deliveries = await service.deliveries(paymentId);
  assert.deepEqual(
    deliveries.map(({ kind }) => kind),
    ['movement', 'callback'],
  );
  assert.match(deliveries[1]?.body as string, /^\{"Value":0\.05,/);
});

test('a decline makes no notification, and its callback has the code of the issuer', async () => {
  await service.register();
  const { reply, paymentId } = await service.sell(100_001_051, 1, { urlCallBack: CALLBACK });
  assert.equal(reply.status, 402, reply.text);
  assert.deepEqual(await service.movements(paymentId), []);
  const [callback, ...others] = await service.deliveries(paymentId);
  assert.deepEqual(others, []);
  const { Date: date, ...reported } = JSON.parse(callback?.body as string);
  assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  assert.deepEqual(reported, {
    Value: 1_000_010.51,
    Origin: 'GATEWAY_2D',
    Installments: 1,
    TransactionType: 'CREDIT',
    ResultId: paymentId,
    AuthorizationCode: null,
    Status: '51',
    paymentId,
    referenceTransaction: reported.referenceTransaction,
  });
});

test('a payment without an address that is declined notifies nobody', async () => {
  await service.register();
  const { reply, paymentId } = await service.sell(1_051);
  assert.equal(reply.status, 402, reply.text);
  assert.deepEqual(await service.deliveries(paymentId), []);
});

test('an unanswered charge calls back once it is voided, and not before', async () => {
  await service.register();
  const { reply, paymentId } = await service.sell(1_004, 1, { urlCallBack: CALLBACK });
  assert.equal(reply.status, 500, reply.text);
  await until('the charge is voided', async () => {
    const [row] = await service.auditor.query('select state from transactions where transaction_id = $1', [
      paymentId,
    ]);
    return row?.state === 'voided';
  });
  const [callback, ...others] = await service.deliveries(paymentId);
  assert.deepEqual(others, []);
  const reported = JSON.parse(callback?.body as string);
  assert.deepEqual([reported.Status, reported.AuthorizationCode, reported.Value], ['DESFEITA', null, 10.04]);
  assert.deepEqual([callback?.endpoint, callback?.nsu], [ORIGIN, null]);
});

test('a payment that is given back in parts notifies of each installment that ends, and calls back at the end', async () => {
  await service.register();
  const { paymentId } = await service.sell(3_000, 3, { urlCallBack: CALLBACK });
  const canceledNumbers = async () => {
    const reported = (await service.deliveries(paymentId))
      .filter(({ kind }) => kind === 'movement')
      .map(({ body }) => JSON.parse(body as string))
      .filter(({ type }) => type === 'Cancelamento');
    for (const { oldValue, newValue } of reported)
      assert.deepEqual([oldValue, newValue], ['Autorizada', 'Cancelada']);
    return reported.map(({ installmentNumber }) => installmentNumber);
  };
  await service.cancel(paymentId, 400);
  assert.deepEqual(await canceledNumbers(), []);
  await service.cancel(paymentId, 600);
  assert.deepEqual(await canceledNumbers(), [3]);
  assert.deepEqual(await statusesOf(paymentId), ['0']);
  await service.cancel(paymentId);
  assert.deepEqual(await canceledNumbers(), [3, 1, 2]);
  assert.deepEqual(await statusesOf(paymentId), ['0', 'CANCELADA']);
  const movements = await service.movements(paymentId);
  const deliveries = (await service.deliveries(paymentId)).filter(({ kind }) => kind === 'movement');
  assert.deepEqual(
    deliveries.map(({ body }) => JSON.parse(body as string).moment),
    movements.map(({ moment }) => momentText(moment)),
  );
});

test('giving back what was still authorized leaves a payment that is paid, and calls that back', async () => {
  const { paymentId } = await service.sell(3_000, 3, { urlCallBack: CALLBACK });
  await service.auditor.query(
    `update installments set state = 'paid' where transaction_id = $1 and installment_number = 1`,
    [paymentId],
  );
  await service.cancel(paymentId, 1_000);
  assert.deepEqual(await statusesOf(paymentId), ['0']);
  await service.cancel(paymentId, 1_000);
  assert.deepEqual(await statusesOf(paymentId), ['0', 'PAGA']);
  await service.cancel(paymentId);
  assert.deepEqual(await statusesOf(paymentId), ['0', 'PAGA', 'CANCELADA']);
});
