import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { call, pay, type Reply } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { askedOf, openVaultService, type VaultService } from '../vault/vault-service.ts';

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
beforeEach(() => service.bridge.spoilCancellations(null));
after(() => service.close());

/** A payment that stands, in so many installments. */
async function paid(amount: number, installments = 1, change: Record<string, unknown> = {}) {
  const productType = installments === 1 ? 'avista' : 'lojista';
  const payment = { transactionType: 'credit', amount, productType, installments };
  const { request, reply } = await pay(service.gatewayUrl, service.token(), amount, {
    payment,
    ...change,
  });
  assert.equal(reply.status, 200, reply.text);
  const { paymentId, authorizationCode } = reply.body.paymentAuthorization;
  return { paymentId: paymentId as string, authorizationCode, reference: request.referenceTransaction };
}

function cancel(
  paymentId: string,
  amount?: number,
  token = service.token(),
  url = service.gatewayUrl,
): Promise<Reply> {
  const body = amount === undefined ? {} : { amount };
  return call(url, `/v1/payments/${paymentId}/cancel`, { token, body });
}

async function read(paymentId: string) {
  const reply = await call(service.gatewayUrl, `/v1/payments/${paymentId}`, {
    token: service.token(),
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** What the acquirer's own books say. */
async function ledger(
  paymentId: string,
): Promise<{ amount: number; canceledAmount: number; status: string }> {
  const query = new URLSearchParams({ merchantId: service.merchantId, reference: paymentId });
  const { items } = (await (await fetch(`${service.simulatorUrl}/ledger?${query}`)).json()) as {
    items: { amount: number; canceledAmount: number; status: string }[];
  };
  assert.equal(items.length, 1);
  const [charge] = items as [{ amount: number; canceledAmount: number; status: string }];
  return { amount: charge.amount, canceledAmount: charge.canceledAmount, status: charge.status };
}

async function cancelMovements(paymentId: string) {
  const rows = await service.auditor.query(
    `select installment_number as number, old_state, new_state from movements
     where transaction_id = $1 and type = 'Cancelamento' order by movement_id`,
    [paymentId],
  );
  return rows.map((row) => [row.number, row.old_state, row.new_state]);
}

/** Until no cancel of the payment waits for an answer. */
async function settled(paymentId: string): Promise<void> {
  await until('every cancel is answered', async () => (await read(paymentId)).cancelingAmount === 0, 60_000);
}

test('a cancel that misnames its amount does nothing, and names what it does not know', async () => {
  const paymentId = (await paid(5_000)).paymentId;
  const path = `/v1/payments/${paymentId}/cancel`;
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
    const reply = await call(service.gatewayUrl, path + query, { token: service.token(), body });
    assert.deepEqual(
      [reply.status, reply.body[0].tag],
      [400, tag],
      `${JSON.stringify(body)} ${query}: ${reply.text}`,
    );
  }
  const all = await call(service.gatewayUrl, path, { token: service.token(), raw: '\ufeff[]' });
  assert.equal(all.status, 200, all.text);
  assert.equal(all.body.amount, 5_000);
});

test('a canceled payment is Cancelada, and the acquirer gave all of it back', async () => {
  const { paymentId, authorizationCode } = await paid(10_000, 3);
  const reply = await cancel(paymentId);
  assert.equal(reply.status, 200, reply.text);
  const { releaseAt, ...rest } = reply.body;
  assert.deepEqual(rest, {
    returnCode: '0',
    description: 'Sucesso',
    paymentId,
    authorizationCode,
    amount: 10_000,
  });
  assert.match(releaseAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}-03:00$/);
  const payment = await read(paymentId);
  assert.equal(payment.statusDescription, 'Cancelada');
  assert.equal(payment.value, 10_000);
  assert.equal(payment.canceledAmount, 10_000);
  assert.equal(payment.isPartlyReturned, false);
  assert.equal(payment.cancelingAmount, 0);
  assert.deepEqual(await ledger(paymentId), { amount: 10_000, canceledAmount: 10_000, status: 'canceled' });
  assert.deepEqual(await cancelMovements(paymentId), [
    [1, 'authorized', 'canceled'],
    [2, 'authorized', 'canceled'],
    [3, 'authorized', 'canceled'],
  ]);
  const again = await cancel(paymentId);
  assert.equal(again.status, 409);
  assert.equal(again.body[0].tag, '__general__');
  assert.deepEqual(await ledger(paymentId), { amount: 10_000, canceledAmount: 10_000, status: 'canceled' });
});

test('a part comes off the last installments first, and only one of which nothing is left is Cancelada', async () => {
  const { paymentId } = await paid(10_000, 3);
  assert.equal((await cancel(paymentId, 4_000)).body.amount, 4_000);
  const payment = await read(paymentId);
  assert.equal(payment.statusDescription, 'Autorizada');
  assert.deepEqual([payment.canceledAmount, payment.isPartlyReturned], [4_000, true]);
  assert.deepEqual(payment.installments, [
    { installmentNumber: 1, amount: 3_334, canceledAmount: 0, status: 'Autorizada' },
    { installmentNumber: 2, amount: 3_333, canceledAmount: 667, status: 'Autorizada' },
    { installmentNumber: 3, amount: 3_333, canceledAmount: 3_333, status: 'Cancelada' },
  ]);
  assert.deepEqual(await cancelMovements(paymentId), [[3, 'authorized', 'canceled']]);
  assert.deepEqual(await ledger(paymentId), { amount: 10_000, canceledAmount: 4_000, status: 'approved' });
  const tooMuch = await cancel(paymentId, 6_001);
  assert.equal(tooMuch.status, 409);
  assert.equal(tooMuch.body[0].tag, 'amount');
  assert.equal((await cancel(paymentId)).body.amount, 6_000, 'all that is left');
  assert.equal((await read(paymentId)).statusDescription, 'Cancelada');
  assert.deepEqual(await ledger(paymentId), { amount: 10_000, canceledAmount: 10_000, status: 'canceled' });
});

test('an empty body, and none, cancel all that is left, as {} does', async () => {
  const headers = { authorization: `Bearer ${service.token()}` };
  for (const more of [{}, { 'content-type': 'application/json' }]) {
    const { paymentId } = await paid(3_000, 2);
    assert.equal((await cancel(paymentId, 1_000)).status, 200);
    const url = `${service.gatewayUrl}/v1/payments/${paymentId}/cancel`;
    const reply = await fetch(url, { method: 'POST', headers: { ...headers, ...more } });
    assert.equal(reply.status, 200);
    assert.equal(((await reply.json()) as { amount: number }).amount, 2_000);
    assert.equal((await read(paymentId)).statusDescription, 'Cancelada');
  }
});

test('parts that are under way side by side end in any order, each exactly once and to the cent', async () => {
  const configSplit = [
    { documentNumberBeneficiary: '11222333000181', percent: 33.33, type: 'bruto' },
    { documentNumberBeneficiary: '52998224725', percent: 10.01, type: 'bruto' },
  ];
  const { paymentId } = await paid(10_001, 3, { configSplit });
  service.bridge.spoilCancellations('silence');
  const parts = [1_999, 3_001, 777];
  const replies = await Promise.all(parts.map((amount) => cancel(paymentId, amount)));
  assert.deepEqual(
    replies.map(({ status }) => status),
    [500, 500, 500],
  );
  assert.equal((await read(paymentId)).cancelingAmount, 5_777);
  const tooMuch = await cancel(paymentId, 4_225);
  assert.deepEqual(
    [tooMuch.status, tooMuch.body[0].tag],
    [409, '__general__'],
    'it would fit if those came to nothing',
  );
  assert.equal((await cancel(paymentId, 10_002)).body[0].tag, 'amount');
  service.bridge.spoilCancellations(null);
  assert.equal((await cancel(paymentId, 223)).status, 200, 'a later one ends first');
  await settled(paymentId);
  assert.equal((await read(paymentId)).canceledAmount, 6_000);
  assert.equal((await ledger(paymentId)).canceledAmount, 6_000);
  const [sums] = await service.auditor.query(
    `select (select sum(canceled_amount)::int from installments where transaction_id = $1) as installments,
       (select max(abs(s.canceled_amount - s.amount * i.canceled_amount::numeric / i.amount))::float8
        from shares s join installments i using (merchant_id, transaction_id, installment_number)
        where s.transaction_id = $1) as most_beside`,
    [paymentId],
  );
  assert.equal(sums?.installments, 6_000);
  assert.ok((sums?.most_beside as number) < 1, `${sums?.most_beside} cents beside the proportion`);
  assert.equal((await cancel(paymentId)).body.amount, 4_001);
  assert.equal((await read(paymentId)).statusDescription, 'Cancelada');
});

test('thirty cancels of parts at once never give back more than was paid', async () => {
  const { paymentId } = await paid(10_000, 7);
  const replies = await Promise.all(Array.from({ length: 30 }, () => cancel(paymentId, 700)));
  let done = replies.filter(({ status }) => status === 200).length;
  assert.ok(done > 1, 'side by side');
  assert.equal(replies.filter(({ status }) => status === 409 || status === 503).length, 30 - done);
  while ((await cancel(paymentId, 700)).status === 200) done += 1;
  assert.equal(done, 14, 'all that fit are done');
  assert.equal((await read(paymentId)).canceledAmount, done * 700);
  assert.deepEqual(await ledger(paymentId), {
    amount: 10_000,
    canceledAmount: done * 700,
    status: 'approved',
  });
  assert.equal((await cancel(paymentId)).body.amount, 10_000 - done * 700);
  assert.equal((await ledger(paymentId)).status, 'canceled');
});

test('a cancel that was done and could not be recorded in time is not done again by whoever asks again', async () => {
  const { paymentId } = await paid(5_000, 2);
  const other = await service.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from installments where transaction_id = $1 for update', [paymentId]);
    const reply = await cancel(paymentId, 2_000);
    assert.deepEqual([reply.status, reply.body[0].tag], [500, ''], reply.text);
    assert.match(reply.body[0].description, /em andamento/);
    // Its amount is held while it cannot be recorded; a try to record holds the payment meanwhile,
    // so that the other may have to come again.
    const again = await until('it is told', async () => {
      const reported = await cancel(paymentId, 3_001);
      return reported.status === 503 ? null : reported;
    });
    assert.equal(again.status, 409, again.text);
    await other.query('commit');
    await until('it is recorded', async () => (await read(paymentId)).canceledAmount === 2_000, 60_000);
    assert.equal((await ledger(paymentId)).canceledAmount, 2_000);
  } finally {
    await other.end();
  }
});

test("a cancel that met somebody else's lock was not begun, and says so", async () => {
  const { paymentId } = await paid(5_000, 2);
  const other = await service.connect();
  try {
    await other.query('begin');
    await other.query('select 1 from transactions where transaction_id = $1 for update', [paymentId]);
    const reply = await cancel(paymentId, 2_000);
    assert.equal(reply.status, 503, reply.text);
    await other.query('commit');
    assert.equal((await read(paymentId)).cancelingAmount, 0);
    assert.equal((await cancel(paymentId, 2_000)).status, 200);
  } finally {
    await other.end();
  }
});

for (const fault of [
  'silence',
  'reset',
  'garbage',
  'unavailable',
  'wrongAmount',
  'wrongReference',
  'unheard',
] as const) {
  test(`a cancel whose answer is spoiled (${fault}) is under way, and is done once when the acquirer answers`, async () => {
    const { paymentId } = await paid(5_000, 2);
    const since = service.bridge.asked.length;
    service.bridge.spoilCancellations(fault);
    const reply = await cancel(paymentId, 2_000);
    assert.equal(reply.status, 500, reply.text);
    assert.equal(reply.body[0].tag, '');
    const payment = await read(paymentId);
    assert.equal(payment.canceledAmount, 0);
    assert.equal(payment.cancelingAmount, 2_000);
    const another = await cancel(paymentId, 3_001);
    assert.equal(another.status, 409, 'its amount is held');
    service.bridge.spoilCancellations(null);
    await settled(paymentId);
    assert.equal((await read(paymentId)).canceledAmount, 2_000);
    assert.deepEqual(await ledger(paymentId), { amount: 5_000, canceledAmount: 2_000, status: 'approved' });
    const references = askedOf(service, '/cancellations', since).map((asked) => asked.cancellationReference);
    assert.ok(references.length >= 2);
    assert.equal(new Set(references).size, 1, 'it is sent again under the same reference');
    assert.equal((await cancel(paymentId)).body.amount, 3_000, 'the next one can follow');
  });
}

const MANY = 30;

test('two processes that cancel at once never give back more than was paid', async () => {
  const { paymentId } = await paid(3_000, 2);
  const whole = await Promise.all(Array.from({ length: MANY }, () => paid(1_000, 1)));
  const beside = await service.ownProcess();
  const ask = (url: string, id: string, value: number) =>
    call(url, `/v1/payments/${id}/cancel`, { token: service.token(), body: { amount: value } });
  const urls = [service.gatewayUrl, beside.gatewayUrl];
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, index) => ask(urls[index % 2] as string, paymentId, 500)),
  );
  // At the limit they meet once of a payment: of many, many times.
  for (const each of whole) await Promise.all(urls.map((url) => ask(url, each.paymentId, 1_000)));
  let done = replies.filter(({ status }) => status === 200).length;
  // A payment that many want at once may be locked for longer than one waits: that one was not
  // begun, and may come again.
  assert.equal(replies.filter(({ status }) => status === 409 || status === 503).length, 16 - done);
  while ((await cancel(paymentId, 500)).status === 200) done += 1;
  assert.equal(done, 6, 'all that fit are done');
  const { amount, canceledAmount } = await ledger(paymentId);
  assert.deepEqual([amount, canceledAmount], [3_000, done * 500]);
  assert.equal((await read(paymentId)).canceledAmount, done * 500);
  const beyond = await service.auditor.query(
    `select from cancels where transaction_id = any($1) and refusal_reason = 'exceedsRemaining'`,
    [[paymentId, ...whole.map((each) => each.paymentId)]],
  );
  assert.equal(beyond.length, 0, 'the acquirer is asked for no more than is left');
});

test('what a service was canceling when it was killed is canceled exactly once by another', async () => {
  const { paymentId } = await paid(5_000, 2);
  const killed = await service.ownProcess();
  service.bridge.spoilCancellations('silence');
  const lost = cancel(paymentId, 1_500, service.token(), killed.gatewayUrl).catch(() => null);
  await until('the acquirer was asked', async () => (await ledger(paymentId)).canceledAmount === 1_500);
  await killed.kill();
  await lost;
  service.bridge.spoilCancellations(null);
  assert.equal((await read(paymentId)).cancelingAmount, 1_500);
  await settled(paymentId);
  assert.equal((await read(paymentId)).canceledAmount, 1_500);
  assert.deepEqual(await ledger(paymentId), { amount: 5_000, canceledAmount: 1_500, status: 'approved' });
});

test('a cancel whose service was killed before the acquirer knew of it is sent by another', async () => {
  const { paymentId } = await paid(5_000);
  const killed = await service.ownProcess();
  service.bridge.spoilCancellations('unheard');
  const lost = cancel(paymentId, undefined, service.token(), killed.gatewayUrl).catch(() => null);
  await until('the intent is committed', async () => (await read(paymentId)).cancelingAmount === 5_000);
  await killed.kill();
  await lost;
  service.bridge.spoilCancellations(null);
  await settled(paymentId);
  assert.equal((await read(paymentId)).statusDescription, 'Cancelada');
  assert.deepEqual(await ledger(paymentId), { amount: 5_000, canceledAmount: 5_000, status: 'canceled' });
});

for (const [what, text] of [
  ['intent', 'cancels.commit_intents'],
  ['outcome', 'cancels.record'],
] as const) {
  for (const moment of ['before it arrives', 'right after it'] as const) {
    test(`when the connection to the database breaks at the ${what} of a cancel, ${moment}, it is done once`, async () => {
      const { paymentId } = await paid(4_000, 2);
      const cuts = service.proxy.cuts;
      if (moment === 'before it arrives') service.proxy.cutBefore(text);
      else service.proxy.cutAfter(text);
      const reply = await cancel(paymentId, 1_000);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(service.proxy.cuts, cuts + 1, 'the connection was cut');
      assert.equal((await read(paymentId)).canceledAmount, 1_000);
      assert.deepEqual(await ledger(paymentId), {
        amount: 4_000,
        canceledAmount: 1_000,
        status: 'approved',
      });
    });
  }
}

test('what the acquirer refuses sets its amount free again', async () => {
  const { paymentId } = await paid(5_000);
  // Somebody gave money back at the acquirer, beside us.
  const body = JSON.stringify({
    cancellationReference: randomUUID(),
    reference: paymentId,
    merchantId: service.merchantId,
    amount: 3_000,
  });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${service.simulatorUrl}/cancellations`, { method: 'POST', headers, body });
  const refused = await cancel(paymentId);
  assert.equal(refused.status, 409, refused.text);
  assert.equal(refused.body[0].tag, '__general__');
  const payment = await read(paymentId);
  assert.equal(payment.canceledAmount, 0);
  assert.equal(payment.cancelingAmount, 0);
  assert.equal((await cancel(paymentId, 2_000)).status, 200);
});

test('a payment that is not settled, or that never stood, cannot be canceled', async () => {
  const declined = await pay(service.gatewayUrl, service.token(), 1_051);
  assert.equal(declined.reply.status, 402);
  const idOf = async (reference: string) => {
    const rows = await service.auditor.query(
      'select transaction_id from transactions where reference_transaction = $1',
      [reference],
    );
    return rows[0]?.transaction_id as string | undefined;
  };
  const never = await cancel((await idOf(declined.request.referenceTransaction)) as string);
  assert.equal(never.status, 409);
  const reference = `PEDIDO-${randomUUID().slice(0, 8)}`;
  const paying = pay(service.gatewayUrl, service.token(), 1_001, {
    referenceTransaction: reference,
  });
  const underWay = await until('the charge is under way', () => idOf(reference));
  assert.equal((await cancel(underWay)).status, 409);
  assert.equal((await paying).reply.status, 500);
});

test('a paid installment can be canceled within the window, and not after it', async () => {
  const { paymentId } = await paid(5_000, 2);
  const age = (days: number) =>
    service.auditor.query(
      `update transactions set sold_at = now() - $2 * interval '1 day' where transaction_id = $1`,
      [paymentId, days],
    );
  await service.auditor.query(`update installments set state = 'paid' where transaction_id = $1`, [
    paymentId,
  ]);
  await age(181);
  assert.equal((await cancel(paymentId)).status, 409);
  await age(179);
  assert.equal((await cancel(paymentId)).status, 200);
  assert.deepEqual(await cancelMovements(paymentId), [
    [1, 'paid', 'canceled'],
    [2, 'paid', 'canceled'],
  ]);
});

test("a payment of another merchant's, one that never was and a malformed id are answered alike", async () => {
  const { paymentId } = await paid(5_000);
  const [foreign, unknown, malformed] = await Promise.all([
    cancel(paymentId, 100, service.foreignToken()),
    cancel(randomUUID(), 100),
    cancel('abc', 100),
  ]);
  assert.equal(foreign.status, 404);
  assert.equal(foreign.text, unknown.text);
  assert.equal(malformed.status, 404);
  assert.equal(malformed.text, unknown.text);
  assert.equal((await ledger(paymentId)).canceledAmount, 0);
});

test('an amount that is no amount is named', async () => {
  const { paymentId } = await paid(5_000);
  for (const amount of [0, -1, 1.5, '100']) {
    const reply = await cancel(paymentId, amount as number);
    assert.equal(reply.status, 400);
    assert.equal(reply.body[0].tag, 'amount');
  }
  assert.equal((await ledger(paymentId)).canceledAmount, 0);
});
