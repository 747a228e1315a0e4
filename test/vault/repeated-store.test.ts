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
  readCard,
  type VaultService,
} from './vault-service.ts';

let service: VaultService;

before(async () => {
  // A test that keeps an answer back has time for all that it asks meanwhile, also on a busy machine.
  service = await openVaultService({
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '20000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '25000',
  });
});
beforeEach(() => {
  service.bridge.spoilVerifications(null);
  service.bridge.holdVerifications()();
});
after(() => service.close());

/** In the simulator's list this card is always declined. */
const DECLINED_CARD = '5200050000000267';

const newToken = (cardNumber?: string) => tokenize(service.gatewayUrl, service.token(), cardNumber);
const isReplayed = (reply: Reply) => reply.headers.get('idempotent-replayed') === 'true';
const verifications = () => askedOf(service, '/verifications').length;
const storedCards = () => countOf(service, 'select count(*) from vault_cards');
const claims = () => countOf(service, 'select count(*) from card_source_locks');
const keys = () => countOf(service, 'select count(*) from idempotency_keys');

/** Asks to verify and store; on a busy machine a 503 is sent again, as any caller would. */
async function ask(
  key: string,
  numberToken: string,
  change: Record<string, unknown> = {},
  url = service.gatewayUrl,
): Promise<Reply> {
  const body = { ...BESIDE, verifyCard: true, securityCode: '123', numberToken, ...change };
  const headers = { 'idempotency-key': key };
  const send = () => call(url, '/v1/vaults/cards', { token: service.token(), body, headers });
  let reply = await send();
  for (let tries = 1; reply.status === 503 && tries < 5; tries += 1) reply = await send();
  return reply;
}

/** Moves the keys whose cards are not there yet back in time. */
async function age(time: string): Promise<void> {
  await service.auditor.query(
    'update idempotency_keys set created_at = now() - $1::interval where not is_done',
    [time],
  );
}

function assertInFlight(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body[0]?.tag], [409, 'idempotencyKey'], reply.text);
  assert.ok(Number(reply.headers.get('retry-after')) >= 1);
}

test('while a card is verified its key answers 409, with the same token as with fresh ones', async () => {
  const beside = await service.ownProcess();
  const release = service.bridge.holdVerifications();
  try {
    const key = randomUUID();
    const numberToken = await newToken();
    const fresh = await Promise.all([newToken(), newToken()]);
    const before = verifications();
    const cards = await storedCards();
    const first = ask(key, numberToken);
    await until('the card is with the acquirer', async () => verifications() > before);
    for (const url of [service.gatewayUrl, beside.gatewayUrl]) {
      assertInFlight(await ask(key, numberToken, {}, url));
      for (const token of fresh) assertInFlight(await ask(key, token, {}, url));
      const other = await ask(key, numberToken, { cardholderName: 'BIA LIMA' }, url);
      assert.deepEqual([other.status, other.body[0].tag], [422, 'idempotencyKey'], other.text);
    }
    release();
    const reported = await first;
    assert.deepEqual([reported.status, isReplayed(reported)], [200, false], reported.text);
    for (const token of [numberToken, ...fresh]) {
      const again = await ask(key, token);
      assert.deepEqual([again.status, again.body, isReplayed(again)], [200, reported.body, true], again.text);
    }
    assert.equal(verifications(), before + 1);
    assert.equal(await storedCards(), cards + 1);
    for (const token of fresh)
      assert.equal((await ask(randomUUID(), token)).status, 200, 'its token is free');
  } finally {
    release();
  }
});

test('of twenty requests with one key at once one is verified, and the others get its answer or are asked to wait', async () => {
  const beside = await service.ownProcess();
  const urls = [service.gatewayUrl, beside.gatewayUrl];
  for (const withOneToken of [true, false]) {
    const key = randomUUID();
    const numberToken = await newToken();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => (withOneToken ? numberToken : newToken())),
    );
    const [asked, taken, cards] = [verifications(), await claims(), await storedCards()];
    const replies = await Promise.all(tokens.map((token, index) => ask(key, token, {}, urls[index % 2])));
    const stored = replies.filter(({ status }) => status === 200);
    assert.equal(stored.filter((reply) => !isReplayed(reply)).length, 1);
    for (const reply of stored) assert.deepEqual(reply.body, stored[0]?.body);
    for (const reply of replies.filter(({ status }) => status !== 200)) assertInFlight(reply);
    assert.deepEqual(
      [verifications(), await claims(), await storedCards()],
      [asked + 1, taken + 1, cards + 1],
    );
  }
});

test('a request that dies while its card is verified answers 409, after a minute 500, and is never verified again', async () => {
  const key = randomUUID();
  const [numberToken, fresh] = await Promise.all([newToken(), newToken()]);
  const [asked, cards] = [verifications(), await storedCards()];
  const release = service.bridge.holdVerifications();
  const killed = await service.ownProcess();
  const lost = ask(key, numberToken, {}, killed.gatewayUrl).catch(() => 'lost');
  await until('the card is with the acquirer', async () => verifications() > asked);
  await killed.kill();
  assert.equal(await lost, 'lost');
  release();
  for (const token of [numberToken, fresh]) assertInFlight(await ask(key, token));
  await age('30 seconds');
  assertInFlight(await ask(key, fresh));
  await age('61 seconds');
  for (const token of [numberToken, fresh]) {
    const reply = await ask(key, token);
    assert.deepEqual([reply.status, reply.body[0].tag, isReplayed(reply)], [500, '', true], reply.text);
  }
  assert.deepEqual([verifications(), await storedCards()], [asked + 1, cards]);
  const another = await ask(randomUUID(), fresh);
  assert.deepEqual([another.status, isReplayed(another)], [200, false], another.text);
});

test('a card that the issuer declines leaves key and token free', async () => {
  const key = randomUUID();
  const before = [await keys(), await claims(), await storedCards()];
  const declined = await newToken(DECLINED_CARD);
  const first = await ask(key, declined);
  assert.deepEqual([first.status, isReplayed(first)], [402, false], first.text);
  assert.deepEqual([await keys(), await claims(), await storedCards()], before);
  const asked = verifications();
  const again = await ask(key, declined);
  assert.deepEqual([again.status, isReplayed(again)], [402, false], again.text);
  assert.equal(verifications(), asked + 1);
  const good = await ask(key, await newToken());
  assert.deepEqual([good.status, isReplayed(good)], [200, false], good.text);
});

test('a verification without an answer leaves key and token free', async () => {
  const key = randomUUID();
  const numberToken = await newToken();
  const before = [await keys(), await claims(), await storedCards()];
  for (const fault of ['reset', 'garbage'] as const) {
    service.bridge.spoilVerifications(fault);
    const lost = await ask(key, numberToken);
    assert.deepEqual([lost.status, isReplayed(lost)], [500, false], lost.text);
    assert.deepEqual([await keys(), await claims(), await storedCards()], before);
  }
  service.bridge.spoilVerifications(null);
  const good = await ask(key, numberToken);
  assert.deepEqual([good.status, isReplayed(good)], [200, false], good.text);
});

test('a request that is answered as lost stores nothing when its answer comes after all', async () => {
  for (const cardNumber of [undefined, DECLINED_CARD]) {
    const key = randomUUID();
    const numberToken = await newToken(cardNumber);
    const [asked, cards] = [verifications(), await storedCards()];
    const release = service.bridge.holdVerifications();
    const first = ask(key, numberToken);
    await until('the card is with the acquirer', async () => verifications() > asked);
    await age('61 seconds');
    assert.equal((await ask(key, numberToken)).status, 500);
    release();
    const reported = await first;
    assert.equal(reported.status, cardNumber === undefined ? 500 : 402, reported.text);
    assert.equal(await storedCards(), cards);
    const again = await ask(key, numberToken);
    assert.deepEqual([again.status, isReplayed(again)], [500, true], again.text);
  }
});

test('a stored card that was removed since is still answered to whoever repeats its request', async () => {
  for (const verifyCard of [true, false]) {
    const key = randomUUID();
    const first = await ask(key, await newToken(), { verifyCard });
    assert.equal(first.status, 200, first.text);
    const { vaultId } = first.body;
    assert.equal((await deleteCard(service, vaultId)).status, 200);
    const again = await ask(key, await newToken(), { verifyCard });
    assert.deepEqual([again.status, again.body, isReplayed(again)], [200, first.body, true], again.text);
    assert.equal((await readCard(service, vaultId)).status, 404);
  }
});
