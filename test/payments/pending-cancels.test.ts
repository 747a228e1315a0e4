import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { arrive, DAY } from '../kit/clock.ts';
import { startListener } from '../kit/listener.ts';
import { call, pay, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { openVaultService, type VaultService } from '../vault/vault-service.ts';

/** A cancel that the acquirer accepts and decides a day later: nothing is given back before. */

const WILL_BE_DONE = 2_001;
const WILL_FAIL = 2_002;

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

async function paid(amount: number, change: Record<string, unknown> = {}): Promise<string> {
  const { reply } = await pay(service.gatewayUrl, service.token(), amount, {
    payment: { transactionType: 'credit', amount, productType: 'lojista', installments: 2 },
    ...change,
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.paymentAuthorization.paymentId as string;
}

function cancel(paymentId: string, amount?: number, key: string = randomUUID()): Promise<Reply> {
  const body = amount === undefined ? {} : { amount };
  const headers = { 'idempotency-key': key };
  return call(service.gatewayUrl, `/v1/payments/${paymentId}/cancel`, {
    token: service.token(),
    body,
    headers,
  });
}

async function read(paymentId: string): Promise<{ canceled: number; canceling: number; parts: unknown[] }> {
  const reply = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token: service.token() });
  assert.equal(reply.status, 200, reply.text);
  const { canceledAmount: canceled, cancelingAmount: canceling, installments } = reply.body;
  const parts = installments.map((part: { canceledAmount: number; status: string }) => [
    part.canceledAmount,
    part.status,
  ]);
  return { canceled, canceling, parts };
}

async function movementsOf(paymentId: string): Promise<unknown[]> {
  const rows = await service.auditor.query(
    'select installment_number as number, type, new_state from movements where transaction_id = $1 order by movement_id',
    [paymentId],
  );
  return rows.map((row) => [row.number, row.type, row.new_state]);
}

const stateOf = async (paymentId: string) =>
  (
    await service.auditor.query('select state, refusal_reason from cancels where transaction_id = $1', [
      paymentId,
    ])
  )[0];

/** Its cancel, as the payment shows it. */
async function shownAs(paymentId: string): Promise<unknown> {
  const reply = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token: service.token() });
  return reply.body.cancels[0]?.status;
}

const aDayLater = () => arrive(service.gatewayUrl, service.token(), { advanceDays: 1 });

const decided = (paymentId: string) =>
  until('the acquirer has decided', async () => (await read(paymentId)).canceling === 0, 60_000);

const AUTHORIZED = [
  [1, 'Autorizacao', 'authorized'],
  [2, 'Autorizacao', 'authorized'],
];

test('an accepted cancel is 202, holds its amount and changes nothing; a day later it is done, once', async () => {
  const paymentId = await paid(2 * WILL_BE_DONE);
  const key = randomUUID();
  const accepted = await cancel(paymentId, WILL_BE_DONE, key);
  assert.equal(accepted.status, 202, accepted.text);
  const { authorizationCode, description, ...rest } = accepted.body;
  assert.deepEqual(rest, { returnCode: 'pending', paymentId, amount: WILL_BE_DONE });
  assert.match(description, /^A adquirente aceitou o cancelamento e decidirá depois/);
  const repeated = await cancel(paymentId, WILL_BE_DONE, key);
  assert.equal(repeated.status, 202);
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
  const held = {
    canceled: 0,
    canceling: WILL_BE_DONE,
    parts: [
      [0, 'Autorizada'],
      [0, 'Autorizada'],
    ],
  };
  assert.deepEqual(await read(paymentId), held);
  assert.deepEqual(await movementsOf(paymentId), AUTHORIZED);
  assert.equal(await shownAs(paymentId), 'Pendente');
  const beyond = await cancel(paymentId, WILL_BE_DONE + 1);
  assert.equal(beyond.status, 409, 'the amount is held');
  assert.match(beyond.text, /reservado por um cancelamento em andamento/);

  await aDayLater();
  await decided(paymentId);
  const done = {
    canceled: WILL_BE_DONE,
    canceling: 0,
    parts: [
      [0, 'Autorizada'],
      [WILL_BE_DONE, 'Cancelada'],
    ],
  };
  assert.deepEqual(await read(paymentId), done);
  assert.deepEqual(await movementsOf(paymentId), [...AUTHORIZED, [2, 'Cancelamento', 'canceled']]);
  const told = await cancel(paymentId, WILL_BE_DONE, key);
  assert.deepEqual(
    [told.status, told.body.amount, told.body.authorizationCode],
    [200, WILL_BE_DONE, authorizationCode],
  );
});

test('a cancel that fails after it was accepted frees its amount: no movement, and the key says that nothing was given back', async () => {
  const listener = await startListener();
  try {
    const paymentId = await paid(2 * WILL_FAIL, { urlCallBack: `${listener.url}/retorno` });
    const key = randomUUID();
    assert.equal((await cancel(paymentId, WILL_FAIL, key)).status, 202);
    await aDayLater();
    await decided(paymentId);
    const untouched = {
      canceled: 0,
      canceling: 0,
      parts: [
        [0, 'Autorizada'],
        [0, 'Autorizada'],
      ],
    };
    assert.deepEqual(await read(paymentId), untouched);
    assert.deepEqual(await movementsOf(paymentId), AUTHORIZED);
    assert.deepEqual(await stateOf(paymentId), { state: 'refused', refusal_reason: 'failed' });
    assert.equal(await shownAs(paymentId), 'Recusado');
    const told = await cancel(paymentId, WILL_FAIL, key);
    assert.deepEqual([told.status, told.body[0].tag], [409, '__general__']);
    assert.match(told.text, /A adquirente recusou o cancelamento: nada foi devolvido/);
    await until('the callback reports it', async () =>
      listener.received.some(({ body }) => JSON.parse(body).Status === 'CANCELAMENTO_RECUSADO'),
    );
    assert.equal((await cancel(paymentId)).status, 200, 'all of it can be given back still');
  } finally {
    await listener.close();
  }
});

test('a cancel that is pending when its service ends is finished by the next start', async () => {
  const paymentId = await paid(WILL_BE_DONE);
  assert.equal((await cancel(paymentId)).status, 202);
  await service.stop();
  await service.restart();
  assert.equal((await read(paymentId)).canceling, WILL_BE_DONE);
  await aDayLater();
  await decided(paymentId);
  assert.equal((await read(paymentId)).canceled, WILL_BE_DONE);
  assert.deepEqual((await movementsOf(paymentId)).slice(2), [
    [1, 'Cancelamento', 'canceled'],
    [2, 'Cancelamento', 'canceled'],
  ]);
});

test('payouts go on while a cancel is pending, and bring what the acquirer kept, paid and when', async () => {
  const steps = [{ feePortion: 250 }];
  // Behind the first payout, and before the second.
  const cancellations = [{ outcome: 'pending', decidedAfterMilliseconds: 30 * DAY }];
  const written = await fetch(`${service.simulatorUrl}/script`, {
    method: 'POST',
    body: JSON.stringify({ merchantId: service.merchantId, steps, cancellations }),
  });
  assert.equal(written.status, 200);
  const paymentId = await paid(10_001);
  assert.equal((await cancel(paymentId, 100)).status, 202);
  await arrive(service.gatewayUrl, service.token(), { advanceDays: 61 });
  const payouts = () =>
    service.auditor.query(
      `select installment_number as number, state, fee::integer, net::integer, bank_on is not null as has_day
       from installments where transaction_id = $1 order by 1`,
      [paymentId],
    );
  await until('both are paid', async () => (await payouts()).every(({ state }) => state === 'paid'), 60_000);
  await decided(paymentId);
  const [first, second] = await payouts();
  assert.deepEqual(first, { number: 1, state: 'paid', fee: 125, net: 4_876, has_day: true });
  // The cancel took its hundred cents off the last installment before that was settled.
  assert.deepEqual(second, { number: 2, state: 'paid', fee: 123, net: 4_777, has_day: true });
});
