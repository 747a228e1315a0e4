import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { call, type Reply, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  askedOf,
  BESIDE,
  countOf,
  deleteCard,
  openVaultService,
  store,
  storeBy,
  storedId,
  storedRow,
  type VaultService,
} from './vault-service.ts';

const MOST = 3;
const OTHER_CARD = '5105105105105100';

let service: VaultService;
before(async () => {
  service = await openVaultService({
    PARCELA_STORED_COPIES: String(MOST),
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '20000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '25000',
  });
});
beforeEach(async () => void (await service.auditor.query('delete from vault_cards')));
after(() => service.close());

const newToken = () => tokenize(service.gatewayUrl, service.token());
const copies = () => countOf(service, 'select count(*) from vault_cards');
const verifications = () => askedOf(service, '/verifications').length;

function assertFull(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body[0]?.tag], [409, '__general__'], reply.text);
  assert.match(reply.body[0].description, /vaultId/);
}

async function fill(count = MOST): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await storedId(service));
  return ids;
}

/** On a busy machine a 503 is sent again, as any caller would. */
async function ask(body: object, key = randomUUID(), url = service.gatewayUrl): Promise<Reply> {
  const headers = { 'idempotency-key': key };
  const send = () =>
    call(url, '/v1/vaults/cards', { token: service.token(), body: { ...BESIDE, ...body }, headers });
  let reply = await send();
  for (let tries = 1; reply.status === 503 && tries < 20; tries += 1) reply = await send();
  return reply;
}

test('a card is stored so often and no more, by whatever name and expiry, and its token stays free', async () => {
  const [first = ''] = await fill();
  const numberToken = await newToken();
  for (const verifyCard of [false, true]) {
    const full = await storeBy(service, { numberToken, ...BESIDE, verifyCard });
    assertFull(full);
    assert.equal(full.body[0].vaultId, first);
    assert.ok(full.body[0].description.includes(first), full.text);
  }
  assertFull(await store(service, { cardholderName: 'BIA LIMA', expirationYear: '38' }));
  assert.equal((await store(service, {}, OTHER_CARD)).status, 200, 'another card');
  const foreign = await call(service.gatewayUrl, '/v1/vaults/cards', {
    token: service.foreignToken(),
    body: { numberToken: await tokenize(service.gatewayUrl, service.foreignToken()), ...BESIDE },
  });
  assert.equal(foreign.status, 200, 'another merchant');
  assert.equal((await deleteCard(service, first)).status, 200);
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 200, 'one was removed');
});

test('of many stores of one card at once, at two processes, no more than the bound are made', async () => {
  const beside = await service.startBeside();
  try {
    const urls = [service.gatewayUrl, beside.gatewayUrl];
    const tokens = await Promise.all(Array.from({ length: 24 }, newToken));
    const replies = await Promise.all(
      tokens.map((numberToken, index) => ask({ numberToken }, randomUUID(), urls[index % 2])),
    );
    assert.equal(await copies(), MOST);
    assert.equal(replies.filter(({ status }) => status === 200).length, MOST);
    for (const reply of replies) if (reply.status !== 200) assertFull(reply);
  } finally {
    await beside.stop();
  }
});

test('while one card is locked, other cards of its merchant and of others are stored', async () => {
  const locker = await service.connect();
  await locker.query('begin');
  await locker.query(
    "select pg_advisory_xact_lock(hashtextextended('stored copies|' || $1 || '|5155900001', 0))",
    [service.merchantId],
  );
  let ended = 0;
  const tokens = await Promise.all([newToken(), newToken(), newToken(), newToken()]);
  const waiting = tokens.map(async (numberToken) => {
    const reply = await storeBy(service, { numberToken, ...BESIDE });
    ended += 1;
    return reply;
  });
  try {
    for (let times = 0; times < 5; times += 1)
      assert.equal((await store(service, {}, OTHER_CARD)).status, times < MOST ? 200 : 409);
    const foreign = await call(service.gatewayUrl, '/v1/vaults/cards', {
      token: service.foreignToken(),
      body: { numberToken: await tokenize(service.gatewayUrl, service.foreignToken()), ...BESIDE },
    });
    assert.equal(foreign.status, 200, foreign.text);
    assert.equal(ended, 0, 'the locked card is as locked as it was');
  } finally {
    await locker.query('rollback');
    await locker.end();
  }
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 200, 409]);
});

test('a card that may not be stored once more is not verified either', async () => {
  await fill();
  const [asked, numberToken] = [verifications(), await newToken()];
  assertFull(await storeBy(service, { numberToken, ...BESIDE, verifyCard: true }));
  assert.equal(verifications(), asked);
});

test('of two that are verified at once for the last place one is stored, and the token of the other is free', async () => {
  const [gone = ''] = await fill(MOST - 1);
  const tokens = await Promise.all([newToken(), newToken()]);
  const [asked, release] = [verifications(), service.bridge.holdVerifications()];
  const asking = tokens.map((numberToken) => ask({ numberToken, verifyCard: true }));
  await until('both are with the acquirer', async () => verifications() === asked + 2);
  release();
  const replies = await Promise.all(asking);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
  const refused = replies.findIndex(({ status }) => status === 409);
  assertFull(replies[refused] as Reply);
  assert.equal(await copies(), MOST);
  assert.equal((await deleteCard(service, gone)).status, 200);
  assert.equal((await ask({ numberToken: tokens[refused] })).status, 200);
});

test('a repetition with its key is answered again at the bound, and takes no place', async () => {
  await fill(MOST - 1);
  const key = randomUUID();
  const tokens = await Promise.all([newToken(), newToken(), newToken()]);
  const replies = await Promise.all(tokens.map((numberToken) => ask({ numberToken }, key)));
  const again = await ask({ numberToken: await newToken() }, key);
  const stored = [...replies, again].filter(({ status }) => status === 200);
  assert.equal(new Set(stored.map(({ body }) => body.vaultId)).size, 1);
  assert.equal(again.status, 200, again.text);
  for (const reply of replies)
    assert.ok(reply.status === 200 || reply.body[0].tag === 'idempotencyKey', reply.text);
  assert.equal(await copies(), MOST);
  assertFull(await ask({ numberToken: await newToken() }, randomUUID()));
});

test('copies from before a rotation of keys count beside those from after it, at once', async () => {
  const [first = ''] = await fill();
  const rotated = await service.parcela('key', 'rotate', '--kind', 'fingerprint');
  assert.equal(rotated.exitCode, 0, rotated.errors);
  assertFull(await store(service));
  assert.equal((await deleteCard(service, first)).status, 200);
  const vaultId = await storedId(service);
  const [one, other] = [await storedRow(service, vaultId), await oneBeside(vaultId)];
  assert.notDeepEqual(one.card_fingerprint, other, 'it is printed under the new key');
  assertFull(await store(service));
});

async function oneBeside(vaultId: string): Promise<unknown> {
  const [row] = await service.auditor.query(
    'select card_fingerprint from vault_cards where vault_id <> $1 limit 1',
    [vaultId],
  );
  return row?.card_fingerprint;
}

test('a store whose commit is lost on the wire is answered as stored, also at the last place', async () => {
  await fill(MOST - 1);
  service.proxy.cutAfter('commit');
  const reply = await store(service);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(await copies(), MOST);
});
