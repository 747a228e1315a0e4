import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { arrive } from '../kit/clock.ts';
import { startListener } from '../kit/listener.ts';
import { call, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { askToPreauthorize, captureOf, ledgerOf, movementsOf, preauthorize } from './preauthorized.ts';
import { newOrder, openResolvingService, type ResolvingService } from './resolving-service.ts';

let service: ResolvingService;

before(async () => {
  service = await openResolvingService(8_000);
});
after(() => service.close());

function capture(paymentId: string, amount?: number, headers: Record<string, string> = {}): Promise<Reply> {
  return captureOf(service, paymentId, amount, { headers });
}

function cancel(paymentId: string, amount?: number, headers: Record<string, string> = {}): Promise<Reply> {
  const body = amount === undefined ? {} : { amount };
  return call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
    token: service.token,
    body,
    headers,
  });
}

test('a capture that misnames its amount does nothing, and names what it does not know', async () => {
  const paymentId = (await preauthorize(service, 5_000)).paymentId;
  const path = `/v1/payments/${paymentId}/capture`;
  const cases: [unknown, string, string][] = [
    [{ value: 700 }, '', 'value'],
    [{ amount: 700, AMOUNT: 700 }, '', 'AMOUNT'],
    [{ amount: 700, reason: '' }, '', 'reason'],
    [{ amount: null }, '', 'amount'],
    [{ Amount: null }, '', 'Amount'],
    [{ amount: '' }, '', 'amount'],
    [{}, '?amount=700', 'amount'],
    [{ amount: 700 }, '?amount=', 'amount'],
    [[], '?x=1', 'x'],
  ];
  for (const [body, query, tag] of cases) {
    const reply = await call(service.gatewayUrl, path + query, { token: service.token, body });
    assert.deepEqual(
      [reply.status, reply.body[0].tag],
      [400, tag],
      `${JSON.stringify(body)} ${query}: ${reply.text}`,
    );
  }
  const all = await call(service.gatewayUrl, path, { token: service.token, raw: '\ufeff[]' });
  assert.equal(all.status, 200, all.text);
  assert.equal(all.body.captureAuthorization.amount, 5_000);
});

test('what is authorized waits, and is charged when it is captured', async () => {
  const { paymentId, reply } = await preauthorize(service, 10_000, { installments: 3 });
  const { captureUntil, releaseAt } = reply.body.paymentAuthorization;
  assert.equal(Date.parse(captureUntil) - Date.parse(releaseAt), 7 * 86_400_000);
  const held = await service.read(paymentId);
  assert.equal(held.statusDescription, 'Pré-autorizada');
  assert.deepEqual([held.value, held.authorizedAmount, held.installments], [10_000, 10_000, []]);
  assert.equal(held.captureUntil, captureUntil);
  const search = `/v1/payments?nsu=${held.nsu}&status=${encodeURIComponent('Pré-autorizada')}`;
  const { items } = (await call(service.gatewayUrl, search, { token: service.token })).body;
  assert.deepEqual(
    items.map((item: { paymentId: string; authorizedAmount: number }) => [
      item.paymentId,
      item.authorizedAmount,
    ]),
    [[paymentId, 10_000]],
  );
  assert.deepEqual(await movementsOf(service, paymentId), []);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'preauthorized' });
  const path = `/homologation/acquirer/charges?paymentId=${paymentId}`;
  const { body } = await call(service.gatewayUrl, path, { token: service.token });
  assert.equal(body.items[0].status, 'preauthorized');

  const captured = await capture(paymentId);
  assert.equal(captured.status, 200, captured.text);
  const { releaseAt: at, ...rest } = captured.body.captureAuthorization;
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  assert.deepEqual(rest, {
    returnCode: '0',
    description: 'Sucesso',
    paymentId,
    authorizationCode: reply.body.paymentAuthorization.authorizationCode,
    amount: 10_000,
  });
  const paid = await service.read(paymentId);
  assert.equal(paid.statusDescription, 'Autorizada');
  assert.deepEqual(
    paid.installments.map(({ amount, status }: { amount: number; status: string }) => [amount, status]),
    [
      [3_334, 'Autorizada'],
      [3_333, 'Autorizada'],
      [3_333, 'Autorizada'],
    ],
  );
  assert.deepEqual(await movementsOf(service, paymentId), [
    [1, 'Autorizacao'],
    [2, 'Autorizacao'],
    [3, 'Autorizacao'],
  ]);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'approved' });
});

test('less is captured once, the rest is let go, and shares and installments are of what was captured', async () => {
  const configSplit = [{ documentNumberBeneficiary: '11222333000181', percent: 30, type: 'bruto' }];
  const { paymentId, reply } = await preauthorize(service, 20_000, { installments: 3, configSplit });
  assert.equal(reply.body.paymentAuthorization.split, undefined);
  const tooMuch = await capture(paymentId, 20_001);
  assert.deepEqual([tooMuch.status, tooMuch.body[0].tag], [409, 'amount']);
  const tooLittle = await capture(paymentId, 2);
  assert.deepEqual([tooLittle.status, tooLittle.body[0].tag], [409, 'amount']);
  assert.equal((await service.read(paymentId)).statusDescription, 'Pré-autorizada');
  const named = async () => {
    const names =
      'select network_transaction_id, transaction_link_id from transactions where transaction_id = $1';
    return (await service.auditor.query(names, [paymentId]))[0];
  };
  const held = await named();
  assert.match(String(held?.transaction_link_id), /^[\w-]{22}$/);

  const captured = await capture(paymentId, 9_000);
  assert.equal(captured.status, 200, captured.text);
  assert.deepEqual(await named(), held);
  const paid = await service.read(paymentId);
  assert.deepEqual(
    [paid.statusDescription, paid.value, paid.authorizedAmount],
    ['Autorizada', 9_000, 20_000],
  );
  const parts = paid.installments.map(({ amount }: { amount: number }) => amount);
  assert.deepEqual(parts, [3_000, 3_000, 3_000]);
  assert.equal(paid.split[0].amount, 2_700);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 9_000, status: 'approved' });

  const again = await capture(paymentId, 9_000);
  assert.deepEqual([again.status, again.body], [200, captured.body], 'the same capture answers the same');
  for (const amount of [8_999, 20_000, undefined]) {
    const other = await capture(paymentId, amount);
    assert.deepEqual([other.status, other.body[0].tag], [409, 'amount'], `${amount} was not captured`);
  }
  const back = await cancel(paymentId, 9_001);
  assert.deepEqual([back.status, back.body[0].tag], [409, 'amount']);
  assert.equal((await cancel(paymentId)).body.amount, 9_000, 'what was captured is given back');
  assert.equal((await service.read(paymentId)).statusDescription, 'Cancelada');
  assert.deepEqual((await capture(paymentId, 9_000)).body, captured.body, 'also after it was given back');
});

test('it is captured up to the end of its days and not behind it, also while nothing has let it go', async () => {
  const { paymentId } = await preauthorize(service, 10_000);
  const leave = (seconds: number) =>
    service.auditor.query(
      `update preauthorizations set authorized_at = now() - interval '5 days', expires_at = null,
         capture_until = now() + $2 * interval '1 second' where transaction_id = $1`,
      [paymentId, seconds],
    );
  await leave(-1);
  const late = await captureOf(service, paymentId);
  assert.equal(late.status, 409, late.text);
  await leave(60);
  assert.equal((await captureOf(service, paymentId)).status, 200);
});

test('PUT captures as POST does, and no body asks for all of it', async () => {
  const { paymentId } = await preauthorize(service, 5_000);
  const captured = await call(service.gatewayUrl, `/v1/payments/${paymentId}/capture`, {
    method: 'PUT',
    token: service.token,
  });
  assert.equal(captured.status, 200, captured.text);
  assert.equal(captured.body.captureAuthorization.amount, 5_000);
  assert.deepEqual((await capture(paymentId, 5_000)).body, captured.body);
});

test('two captures at once are one', async () => {
  const { paymentId } = await preauthorize(service, 5_000);
  const replies = await Promise.all([4_000, 3_000, 4_000, 3_000].map((amount) => capture(paymentId, amount)));
  const done = replies.filter(({ status }) => status === 200);
  assert.ok(done.length >= 1 && done.length <= 2, replies.map(({ text }) => text).join('\n'));
  assert.ok(replies.every(({ status }) => status === 200 || status === 409));
  const amounts = new Set(done.map(({ body }) => body.captureAuthorization.amount));
  assert.equal(amounts.size, 1);
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: [...amounts][0], status: 'approved' });
  assert.equal((await movementsOf(service, paymentId)).length, 1);
});

test('a key captures once, and answers the same again', async () => {
  const { paymentId } = await preauthorize(service, 5_000);
  const key = { 'idempotency-key': randomUUID() };
  const first = await capture(paymentId, 4_000, key);
  const again = await capture(paymentId, 4_000, key);
  assert.deepEqual([first.status, again.status], [200, 200]);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.equal((await capture(paymentId, 3_000, key)).status, 422);
});

test('the payment repeated with its key answers as it was authorized, whatever became of it', async () => {
  const numberToken = await tokenize(service.gatewayUrl, service.token);
  const payment = { transactionType: 'credit', amount: 5_000, productType: 'avista', installments: 1 };
  const body = paymentRequest(numberToken, 5_000, { payment: { ...payment, captureType: 'pa' } });
  const headers = { 'idempotency-key': randomUUID() };
  const send = () => call(service.gatewayUrl, '/v1/payments', { token: service.token, body, headers });
  const first = await send();
  assert.equal(first.status, 200, first.text);
  const { paymentId } = first.body.paymentAuthorization;
  assert.deepEqual((await send()).body, first.body);
  assert.equal((await capture(paymentId, 1_000)).status, 200);
  assert.deepEqual((await send()).body, first.body);
  assert.equal((await cancel(paymentId)).status, 200);
  assert.deepEqual((await send()).body, first.body);
});

test('a cancel before the capture lets all of it go, and nothing less', async () => {
  const { paymentId } = await preauthorize(service, 10_000, { installments: 2 });
  const part = await cancel(paymentId, 9_999);
  assert.deepEqual([part.status, part.body[0].tag], [409, 'amount']);
  const key = { 'idempotency-key': randomUUID() };
  const done = await cancel(paymentId, 10_000, key);
  assert.equal(done.status, 200, done.text);
  assert.equal(done.body.amount, 10_000);
  assert.deepEqual((await cancel(paymentId, 10_000, key)).body, done.body);
  assert.equal((await cancel(paymentId, 10_000, key)).headers.get('idempotent-replayed'), 'true');
  assert.equal((await service.read(paymentId)).statusDescription, 'Desfeita');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 10_000, status: 'undone' });
  assert.deepEqual(await movementsOf(service, paymentId), []);
  assert.equal((await capture(paymentId)).status, 409);
  assert.equal((await cancel(paymentId)).status, 409);
});

test('a capture against a cancel: one of them happens, whole', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { paymentId } = await preauthorize(service, 5_000);
    const [captured, canceled] = await Promise.all([capture(paymentId), cancel(paymentId)]);
    const isCaptured = captured.status === 200;
    assert.equal(captured.status, isCaptured ? 200 : 409, captured.text);
    const payment = await service.read(paymentId);
    const ledger = await ledgerOf(service, paymentId);
    if (!isCaptured) {
      assert.equal(canceled.status, 200, canceled.text);
      assert.deepEqual([payment.statusDescription, ledger.status], ['Desfeita', 'undone']);
      assert.deepEqual(await movementsOf(service, paymentId), []);
    } else {
      // The cancel met the capture on its way, or its end, or came after it and gave the money back.
      assert.ok([200, 409, 503].includes(canceled.status), canceled.text);
      const expected = canceled.status === 200 ? ['Cancelada', 'canceled'] : ['Autorizada', 'approved'];
      assert.deepEqual([payment.statusDescription, ledger.status], expected);
    }
  }
});

test('what was captured at once, declined or is unknown is not captured', async () => {
  const paid = await service.pay(newOrder(), 5_000);
  const { paymentId } = paid.body.paymentAuthorization;
  assert.equal(paid.body.paymentAuthorization.captureUntil, undefined);
  const refused = await capture(paymentId);
  assert.deepEqual([refused.status, refused.body[0].tag], [409, '__general__']);
  const declined = await askToPreauthorize(service, 1_051);
  assert.deepEqual([declined.reply.status, declined.reply.body[0].tag], [402, '51']);
  assert.equal((await capture(declined.reply.headers.get('x-payment-id') as string)).status, 409);
  assert.equal((await capture(randomUUID())).status, 404);
  assert.equal((await capture('no-id')).status, 404);
});

test('a captured payment is settled so many days after its capture, not after its sale', async () => {
  const { paymentId } = await preauthorize(service, 6_000, { installments: 2 });
  await arrive(service.gatewayUrl, service.token, { advanceDays: 5 });
  assert.equal((await capture(paymentId)).status, 200);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 29 });
  assert.equal((await service.read(paymentId)).installments[0].status, 'Autorizada');
  await arrive(service.gatewayUrl, service.token, { advanceDays: 2 });
  const [first, second] = (await service.read(paymentId)).installments;
  assert.deepEqual([first.status, second.status], ['Paga', 'Autorizada']);
});

test('what is not captured in its days is undone, with the test clock, and the merchant is notified', async () => {
  const listener = await startListener(200);
  const { paymentId } = await preauthorize(service, 6_000, { urlCallBack: `${listener.url}/back` });
  const kept = await preauthorize(service, 6_100, { urlCallBack: `${listener.url}/kept` });
  await arrive(service.gatewayUrl, service.token, { advanceDays: 6 });
  assert.equal((await service.read(paymentId)).statusDescription, 'Pré-autorizada');
  assert.equal((await capture(kept.paymentId)).status, 200);
  const { ran } = await arrive(service.gatewayUrl, service.token, { advanceDays: 1 });
  assert.equal(ran.preauthorizations, 1);
  assert.equal((await service.read(paymentId)).statusDescription, 'Desfeita');
  assert.deepEqual(await ledgerOf(service, paymentId), { amount: 6_000, status: 'undone' });
  const late = await capture(paymentId);
  assert.equal(late.status, 409);
  assert.equal((await service.read(kept.paymentId)).statusDescription, 'Autorizada');
  await until('all is notified', async () => listener.received.length === 4);
  const statusesAt = (path: string) =>
    listener.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).Status);
  assert.deepEqual(statusesAt('/back'), ['PRE-AUTORIZADA', 'DESFEITA']);
  assert.deepEqual(statusesAt('/kept'), ['PRE-AUTORIZADA', '0']);
  await listener.close();
});

test('a stored card is first used by its pre-authorization', async () => {
  const numberToken = await tokenize(service.gatewayUrl, service.token);
  const card = {
    cardholderName: 'ANA SOUZA',
    brand: 'mastercard',
    expirationMonth: '12',
    expirationYear: '39',
  };
  const stored = await call(service.gatewayUrl, '/v1/vaults/cards', {
    token: service.token,
    body: { numberToken, ...card },
  });
  const { vaultId } = stored.body;
  const cardInfo = { vaultId, securityCode: '123' };
  const { paymentId } = await preauthorize(service, 5_000, { cardInfo });
  const [row] = await service.auditor.query(
    'select first_used_at is not null as is_used from vault_cards where vault_id = $1',
    [vaultId],
  );
  assert.equal(row?.is_used, true);
  assert.equal((await capture(paymentId)).status, 200);
});
