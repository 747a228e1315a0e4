import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, encryptCard, paymentRequest, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { BESIDE, deleteCard, openVaultService, storedId, type VaultService } from '../vault/vault-service.ts';

let service: VaultService;

before(async () => {
  service = await openVaultService();
});
after(() => service.close());

type Body = Record<string, unknown>;

/**
 * Sends it; on a busy machine a connection may be refused with 503, and then it is sent again, as
 * any caller would.
 */
async function post(
  path: string,
  body: unknown,
  key: string | null,
  token = service.token(),
  url = service.gatewayUrl,
): Promise<Reply> {
  const headers = key === null ? {} : { 'idempotency-key': key };
  const send = () => call(url, path, { token, body, headers });
  let reply = await send();
  for (let tries = 1; reply.status === 503 && tries < 5; tries += 1) reply = await send();
  return reply;
}

const pay = (body: Body, key: string | null, token?: string, url?: string) =>
  post('/v1/payments', body, key, token, url);

/** The body of a payment that a fresh card token pays; the same again but for its token. */
async function request(amount: number, change: Body = {}): Promise<Body> {
  return paymentRequest(await tokenize(service.gatewayUrl, service.token()), amount, change);
}

async function withFreshToken(body: Body, token = service.token()): Promise<Body> {
  const numberToken = await tokenize(service.gatewayUrl, token);
  return { ...body, cardInfo: { ...(body.cardInfo as Body), numberToken } };
}

/** What the acquirer's own books say of a reference of the merchant's. */
async function charges(body: Body): Promise<{ status: string; amount: number }[]> {
  const path = `/homologation/acquirer/charges?reference=${body.referenceTransaction}`;
  const reply = await call(service.gatewayUrl, path, { token: service.token() });
  return reply.body.items;
}

const isReplayed = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';

async function keyCount(): Promise<number> {
  const [row] = await service.auditor.query('select count(*)::int as keys from idempotency_keys');
  return row?.keys as number;
}

test('a payment that is asked for again is answered again, and charged once', async () => {
  const key = randomUUID();
  const split = [{ documentNumberBeneficiary: '11222333000181', percent: 33.33 }];
  const payment = { transactionType: 'credit', amount: 10_001, productType: 'lojista', installments: 3 };
  const body = await request(10_001, { payment, configSplit: split });
  const first = await pay(body, key);
  assert.equal(first.status, 200, first.text);
  assert.equal(isReplayed(first), false);
  // The same token, another one, and none that was ever given: what carried the card is not looked at.
  const cardInfo = { ...(body.cardInfo as Body), numberToken: 'x'.repeat(43), securityCode: '999' };
  for (const again of [body, await withFreshToken(body), { ...body, cardInfo }]) {
    const reply = await pay(again, key);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(isReplayed(reply));
    assert.deepEqual(reply.body, first.body);
  }
  assert.deepEqual(await charges(body), [...(await charges(body)).slice(0, 1)]);
  assert.equal((await charges(body)).length, 1);
});

test('what was given back since does not change what the first request was answered', async () => {
  const key = randomUUID();
  const split = [{ documentNumberBeneficiary: '11222333000181', percent: 50 }];
  const body = await request(5_000, { configSplit: split });
  const first = await pay(body, key);
  const { paymentId } = first.body.paymentAuthorization;
  assert.equal((await post(`/v1/payments/${paymentId}/cancel`, { amount: 1_000 }, null)).status, 200);
  const again = await pay(body, key);
  assert.deepEqual([again.status, again.body], [200, first.body]);
});

test('a decline is answered again with its code, and the card is not tried again', async () => {
  const key = randomUUID();
  const body = await request(1051);
  const first = await pay(body, key);
  assert.equal(first.status, 402, first.text);
  const asked = service.bridge.asked.length;
  const again = await pay(body, key);
  assert.deepEqual([again.status, again.body, isReplayed(again)], [402, first.body, true]);
  assert.equal(service.bridge.asked.length, asked, 'nothing left for the acquirer');
});

test('of fifty requests with one key one charges, and all the others get its answer or are asked to wait', async () => {
  const beside = await service.ownProcess();
  for (const withOneToken of [true, false]) {
    const key = randomUUID();
    const body = await request(7_700);
    const bodies = await Promise.all(
      Array.from({ length: 50 }, () => (withOneToken ? body : withFreshToken(body))),
    );
    const urls = [service.gatewayUrl, beside.gatewayUrl];
    const replies = await Promise.all(
      bodies.map((one, index) => pay(one, key, service.token(), urls[index % 2])),
    );
    const approved = replies.filter(({ status }) => status === 200);
    assert.equal(approved.filter((reply) => !isReplayed(reply)).length, 1);
    for (const reply of approved) assert.deepEqual(reply.body, approved[0]?.body);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual([reply.status, reply.body[0].tag], [409, 'idempotencyKey'], reply.text);
      assert.ok(Number(reply.headers.get('retry-after')) >= 1);
    }
    assert.equal((await charges(body)).length, 1);
    // The tokens of those who came too late were not used up.
    const unused = bodies.find(({ cardInfo }) => cardInfo !== body.cardInfo);
    const rows = await service.auditor.query(
      `select 1 from card_source_locks c where not exists
           (select 1 from transactions t where t.transaction_id = c.transaction_id)`,
    );
    assert.deepEqual(
      rows,
      [],
      `no claim without a transaction${unused === undefined ? '' : ', of fresh tokens too'}`,
    );
  }
});

test('the key of a request that died with its process answers the truth when it is settled', async () => {
  const key = randomUUID();
  const body = await request(1002);
  const killed = await service.ownProcess();
  const lost = pay(body, key, service.token(), killed.gatewayUrl).catch(() => 'lost');
  await until('the charge is booked', async () => (await charges(body)).length === 1);
  await killed.kill();
  assert.equal(await lost, 'lost');
  let last = await pay(body, key);
  assert.equal(last.status, 409, 'its lease has not ended');
  await until(
    'it is settled',
    async () => {
      last = await pay(body, key);
      return last.status !== 409;
    },
    60_000,
  );
  assert.deepEqual([last.status, isReplayed(last)], [500, true], last.text);
  assert.deepEqual(
    (await charges(body)).map(({ status }) => status),
    ['undone'],
  );
});

test('a key that was used for another body is refused, whatever differs', async () => {
  const key = randomUUID();
  const body = await request(4_000);
  assert.equal((await pay(body, key)).status, 200);
  const others: Body[] = [
    { ...body, payment: { ...(body.payment as Body), amount: 4_001 } },
    { ...body, referenceTransaction: 'outro' },
    { ...body, cardInfo: { ...(body.cardInfo as Body), expirationYear: '38' } },
    { ...body, customer: { firstName: 'Ana' } },
    { ...body, cardInfo: { vaultId: randomUUID() } },
  ];
  for (const other of others) {
    const reply = await pay(other, key);
    assert.deepEqual([reply.status, reply.body[0].tag], [422, 'idempotencyKey'], reply.text);
  }
  // The same request in another order, with capital first letters, nulls and unknown names.
  const { payment, ...rest } = body;
  const same = await pay({ Unknown: 1, ...rest, customer: null, Payment: payment }, key);
  assert.deepEqual([same.status, isReplayed(same)], [200, true], same.text);
});

/** Another good card of the same brand. */
const OTHER_CARD = '5555555555554444';

type Inside = Record<string, string>;

/** A card as a buyer's page encrypts it now. */
async function encrypted(cardNumber: string, change: Inside = {}): Promise<string> {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', { token: service.token() });
  const { key, createdAt, merchantId } = body;
  const inside = { expirationMonth: '12', expirationYear: '39', cardholderName: 'ANA SOUZA' };
  const card = { cardNumber, securityCode: '123', merchantId, createdAt, ...inside, ...change };
  return encryptCard(key, card);
}

async function assertReplays(
  send: (body: Body, key: string) => Promise<Reply>,
  first: Body,
  same: readonly Body[],
  others: readonly Body[],
): Promise<void> {
  const key = randomUUID();
  const made = await send(first, key);
  assert.equal(isReplayed(made), false, made.text);
  for (const body of same) {
    const reply = await send(body, key);
    assert.deepEqual(
      [reply.status, isReplayed(reply), reply.body],
      [made.status, true, made.body],
      reply.text,
    );
  }
  for (const body of others) {
    const reply = await send(body, key);
    assert.deepEqual([reply.status, reply.body[0]?.tag], [422, 'idempotencyKey'], reply.text);
  }
}

test('one key pays with one card: encrypted anew it is the same request, another card is another', async () => {
  const other = await encrypted(OTHER_CARD);
  const usedBlob = await encrypted(OTHER_CARD);
  const usedToken = await tokenize(service.gatewayUrl, service.token(), OTHER_CARD);
  for (const cardInfo of [
    { encryptedCard: usedBlob, cardholderName: 'ANA SOUZA' },
    { ...((await request(1)).cardInfo as Body), numberToken: usedToken },
  ])
    assert.equal((await pay(await request(5_100, { cardInfo }), null)).status, 200);
  const dayAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
  for (const amount of [5_000, 1051]) {
    const body = await request(amount);
    const of = (encryptedCard: string): Body => ({
      ...body,
      cardInfo: { encryptedCard, cardholderName: 'ANA SOUZA' },
    });
    const first = await encrypted(TEST_CARD);
    const same = [first, await encrypted(TEST_CARD), await encrypted(TEST_CARD, { createdAt: dayAgo })];
    const unreadable = 'x'.repeat(512);
    const others = [
      other,
      usedBlob,
      await encrypted(OTHER_CARD, { createdAt: dayAgo }),
      await encrypted(TEST_CARD, { expirationYear: '38' }),
      await encrypted('x'),
    ];
    await assertReplays(pay, of(first), [...same, unreadable].map(of), others.map(of));
    const token = (numberToken: string): Body => ({
      ...body,
      cardInfo: { ...(body.cardInfo as Body), numberToken },
    });
    const own = (body.cardInfo as { numberToken: string }).numberToken;
    const fresh = await tokenize(service.gatewayUrl, service.token());
    const otherToken = await tokenize(service.gatewayUrl, service.token(), OTHER_CARD);
    await assertReplays(
      pay,
      token(own),
      [own, fresh, randomUUID()].map(token),
      [otherToken, usedToken].map(token),
    );
  }
});

test('one key stores one card, verified or not', async () => {
  const store = (body: Body, key: string) => post('/v1/vaults/cards', body, key);
  for (const verifyCard of [false, true]) {
    const of = (encryptedCard: string): Body => ({ encryptedCard, verifyCard });
    const first = await encrypted(TEST_CARD);
    const others = [await encrypted(OTHER_CARD), await encrypted(TEST_CARD, { cardholderName: 'BIA' })];
    await assertReplays(store, of(first), [first, await encrypted(TEST_CARD)].map(of), others.map(of));
    const token = (numberToken: string): Body => ({ ...BESIDE, numberToken, verifyCard });
    const [own, fresh] = [
      await tokenize(service.gatewayUrl, service.token()),
      await tokenize(service.gatewayUrl, service.token()),
    ];
    const other = await tokenize(service.gatewayUrl, service.token(), OTHER_CARD);
    await assertReplays(store, token(own), [own, fresh].map(token), [token(other)]);
  }
});

test("a key is the merchant's own, and belongs to one path", async () => {
  const key = randomUUID();
  const body = await request(3_300);
  const first = await pay(body, key);
  assert.equal(first.status, 200, first.text);
  const foreign = await pay(await withFreshToken(body, service.foreignToken()), key, service.foreignToken());
  assert.deepEqual([foreign.status, isReplayed(foreign)], [200, false], foreign.text);
  const { paymentId } = first.body.paymentAuthorization;
  const cancel = await post(`/v1/payments/${paymentId}/cancel`, {}, key);
  assert.deepEqual([cancel.status, isReplayed(cancel)], [200, false], cancel.text);
});

test('what is refused before the acquirer is asked leaves the key free', async () => {
  const key = randomUUID();
  const body = await request(2_200);
  const before = await keyCount();
  const unknown = { ...body, cardInfo: { ...(body.cardInfo as Body), numberToken: 'y'.repeat(43) } };
  assert.equal((await pay(unknown, key)).status, 400);
  assert.equal((await pay({ ...body, payment: 'none' }, key)).status, 400);
  assert.equal((await pay({ ...body, customer: { email: 'reject@test.com' } }, key)).status, 402);
  assert.equal(await keyCount(), before);
  const paid = await pay(body, key);
  assert.deepEqual([paid.status, isReplayed(paid)], [200, false], paid.text);
});

test('a key must be one header of 1 to 255 visible characters', async () => {
  const body = await request(1_234);
  for (const key of ['', 'x'.repeat(256), 'é', 'a\tb']) {
    const reply = await pay(body, key);
    assert.deepEqual([reply.status, reply.body[0].tag], [400, 'idempotencyKey'], JSON.stringify(key));
  }
  assert.equal((await pay(body, 'x'.repeat(255))).status, 200);
});

test('while the first request is under way the key answers 409, and then its outcome', async () => {
  const key = randomUUID();
  const body = await request(1002);
  const first = pay(body, key);
  await until('the charge is booked', async () => (await charges(body)).length === 1);
  const meanwhile = await pay(body, key);
  assert.deepEqual([meanwhile.status, meanwhile.body[0].tag], [409, 'idempotencyKey'], meanwhile.text);
  assert.equal((await first).status, 500);
  let last = meanwhile;
  await until('it is settled', async () => {
    last = await pay(body, key);
    return last.status !== 409;
  });
  assert.deepEqual([last.status, isReplayed(last), last.body[0].tag], [500, true, '']);
  assert.deepEqual(
    (await charges(body)).map(({ status }) => status),
    ['undone'],
  );
});

test('a cancel that is asked for again gives the money back once', async () => {
  const paid = await pay(await request(9_000), null);
  const path = `/v1/payments/${paid.body.paymentAuthorization.paymentId}/cancel`;
  const key = randomUUID();
  const first = await post(path, { amount: 2_000 }, key);
  assert.equal(first.status, 200, first.text);
  const again = await post(path, { amount: 2_000 }, key);
  assert.deepEqual([again.status, again.body, isReplayed(again)], [200, first.body, true]);
  const capitals = path.replace(/[0-9a-f-]{36}/, (id) => id.toUpperCase());
  const shouted = await post(capitals, { amount: 2_000 }, key);
  assert.deepEqual(
    [shouted.status, isReplayed(shouted)],
    [200, true],
    'one payment, however its id is written',
  );
  const other = await post(path, { amount: 3_000 }, key);
  assert.deepEqual([other.status, other.body[0].tag], [422, 'idempotencyKey']);
  const many = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      post(path, { amount: 1_000 }, index < 10 ? 'one key' : 'the other'),
    ),
  );
  for (const reply of many) assert.ok(reply.status === 200 || reply.status === 409, reply.text);
  const read = await call(service.gatewayUrl, path.replace('/cancel', ''), {
    token: service.token(),
  });
  assert.ok(read.body.canceledAmount === 3_000 || read.body.canceledAmount === 4_000, read.text);
  assert.equal(read.body.cancelingAmount, 0);
});

test('a card is stored once for one key, and verified once', async () => {
  const key = randomUUID();
  const numberToken = () => tokenize(service.gatewayUrl, service.token());
  const body = { ...BESIDE, verifyCard: true, securityCode: '123' };
  const first = await post('/v1/vaults/cards', { ...body, numberToken: await numberToken() }, key);
  assert.equal(first.status, 200, first.text);
  const asked = service.bridge.asked.length;
  const again = await post('/v1/vaults/cards', { ...body, numberToken: await numberToken() }, key);
  assert.deepEqual([again.status, again.body, isReplayed(again)], [200, first.body, true]);
  assert.equal(service.bridge.asked.length, asked);
  const parallel = randomUUID();
  const tokens = await Promise.all(Array.from({ length: 12 }, numberToken));
  const replies = await Promise.all(
    tokens.map((token) => post('/v1/vaults/cards', { ...BESIDE, numberToken: token }, parallel)),
  );
  for (const reply of replies) assert.deepEqual(reply.body, replies[0]?.body, reply.text);
  assert.equal(replies.filter((reply) => !isReplayed(reply)).length, 1);
});

test('an anti-fraud code is given once for one key', async () => {
  const key = randomUUID();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => post('/v1/antifraud/sessions', { deviceId: 'a' }, key)),
  );
  for (const reply of replies) assert.deepEqual([reply.status, reply.body], [200, replies[0]?.body]);
  assert.equal(replies.filter((reply) => !isReplayed(reply)).length, 1);
  const other = await post('/v1/antifraud/sessions', { deviceId: 'b' }, key);
  assert.equal(other.status, 422);
  const [again] = await Promise.all([post('/v1/antifraud/sessions', { deviceId: 'a' }, randomUUID())]);
  assert.notDeepEqual(again?.body, replies[0]?.body);
});

test('a stored card pays once for one key', async () => {
  const vaultId = await storedId(service);
  const key = randomUUID();
  const body = { ...(await request(6_600)), cardInfo: { vaultId } };
  const replies = await Promise.all(Array.from({ length: 20 }, () => pay(body, key)));
  assert.equal(replies.filter((reply) => reply.status === 200 && !isReplayed(reply)).length, 1);
  for (const reply of replies) assert.ok(reply.status === 200 || reply.status === 409, reply.text);
  const other = await pay({ ...body, cardInfo: { vaultId: await storedId(service) } }, key);
  assert.deepEqual([other.status, other.body[0]?.tag], [422, 'idempotencyKey'], other.text);
  const first = replies.find(({ status }) => status === 200)?.body;
  const assertReplayed = async (when: string) => {
    const again = await pay(body, key);
    assert.deepEqual(
      [again.status, isReplayed(again), again.body],
      [200, true, first],
      `${when}: ${again.text}`,
    );
  };
  // As a restore leaves it: the payment and its card are there, the row of the key is not.
  await service.auditor.query('delete from idempotency_keys where resource_id = $1', [
    first.paymentAuthorization.paymentId,
  ]);
  await assertReplayed('without the row of the key');
  assert.equal((await deleteCard(service, vaultId)).status, 200);
  await assertReplayed('without row and card');
  assert.equal((await charges(body)).length, 1);
});

test('a payment whose stored card was deleted since is answered again', async () => {
  const vaultId = await storedId(service);
  const key = randomUUID();
  const body = { ...(await request(6_700)), cardInfo: { vaultId } };
  const first = await pay(body, key);
  assert.equal(first.status, 200, first.text);
  assert.equal((await deleteCard(service, vaultId)).status, 200);
  const again = await pay(body, key);
  assert.deepEqual([again.status, isReplayed(again), again.body], [200, true, first.body]);
  const anew = await pay(body, randomUUID());
  assert.deepEqual([anew.status, anew.body[0]?.tag], [400, 'cardInfo.vaultId'], anew.text);
});

test("one key and one stored card named by two merchants at once pay for the card's merchant alone", async () => {
  const vaultId = await storedId(service);
  const key = randomUUID();
  const body = { ...(await request(6_800)), cardInfo: { vaultId } };
  const tokens = [service.token(), service.foreignToken()];
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => pay(body, key, tokens[index % 2])),
  );
  for (const [index, reply] of replies.entries()) {
    if (index % 2 === 1)
      assert.deepEqual([reply.status, reply.body[0]?.tag], [400, 'cardInfo.vaultId'], reply.text);
    else assert.ok(reply.status === 200 || reply.status === 409, reply.text);
  }
  assert.equal(replies.filter((reply) => reply.status === 200 && !isReplayed(reply)).length, 1);
  assert.equal((await charges(body)).length, 1);
});

test('a stored card that cannot be read is a fault of its payment alone', async () => {
  const [bad, good] = [await storedId(service), await storedId(service)];
  const body = await request(6_900);
  await service.auditor.query("update vault_cards set brand = 'diners' where vault_id = $1", [bad]);
  const vaultIds = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? bad : good));
  const replies = await Promise.all(
    vaultIds.map((vaultId) => pay({ ...body, cardInfo: { vaultId } }, randomUUID())),
  );
  for (const [index, reply] of replies.entries())
    assert.equal(reply.status, index % 2 === 0 ? 500 : 200, reply.text);
});

test('nothing that a caller writes into a key is kept', async () => {
  const key = `chave-${randomUUID()}`;
  assert.equal((await pay(await request(3_210), key)).status, 200);
  const rows = await service.auditor.query('select k::text as reported from idempotency_keys k');
  assert.ok(rows.length > 0);
  for (const { reported } of rows)
    assert.ok(
      !String(reported).includes(key) && !String(reported).includes(Buffer.from(key).toString('hex')),
    );
});

test('after thirty days a key is forgotten, and what it paid or gave back is met by its id', async () => {
  const key = randomUUID();
  const body = await request(3_211);
  const first = await pay(body, key);
  assert.equal(first.status, 200, first.text);
  const { paymentId } = first.body.paymentAuthorization;
  assert.equal(paymentId.charAt(14), '8');
  const path = `/v1/payments/${paymentId}/cancel`;
  const canceled = await post(path, { amount: 1_000 }, key);
  assert.equal(canceled.status, 200, canceled.text);
  const session = await post('/v1/antifraud/sessions', { deviceId: 'a' }, key);
  await service.auditor.query(`update idempotency_keys set created_at = now() - interval '30 days 1 minute'`);
  const younger = randomUUID();
  await post('/v1/antifraud/sessions', { deviceId: 'a' }, younger);
  await service.auditor.query(
    `update idempotency_keys set created_at = now() - interval '29 days 23 hours' where created_at > now() - interval '1 day'`,
  );
  await service.stop();
  await service.restart();
  await until('older ones are forgotten', async () => (await keyCount()) <= 1, 60_000);
  assert.ok(isReplayed(await post('/v1/antifraud/sessions', { deviceId: 'a' }, younger)));
  const again = await pay(await withFreshToken(body), key);
  assert.deepEqual([again.status, isReplayed(again), again.body], [200, true, first.body]);
  const other = await pay({ ...body, referenceTransaction: 'outro' }, key);
  assert.deepEqual([other.status, other.body[0].tag], [422, 'idempotencyKey'], other.text);
  const numberToken = await tokenize(service.gatewayUrl, service.token(), OTHER_CARD);
  const ofOtherCard = await pay({ ...body, cardInfo: { ...(body.cardInfo as Body), numberToken } }, key);
  assert.deepEqual([ofOtherCard.status, ofOtherCard.body[0]?.tag], [422, 'idempotencyKey'], ofOtherCard.text);
  const canceledAgain = await post(path, { amount: 1_000 }, key);
  assert.deepEqual(
    [canceledAgain.status, isReplayed(canceledAgain), canceledAgain.body],
    [200, true, canceled.body],
  );
  assert.equal((await post(path, { amount: 1_001 }, key)).status, 422);
  assert.equal((await post(path, { amount: 1_000 }, randomUUID())).status, 200, 'another key is another');
  const anew = await post('/v1/antifraud/sessions', { deviceId: 'a' }, key);
  assert.deepEqual([anew.status, isReplayed(anew)], [200, false]);
  assert.notDeepEqual(anew.body, session.body);
});
