import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type HostileService, openHostileService, type Shop } from '../hostile/hostile-service.ts';
import { call, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';
import { openResolvingBridge, type ResolvingBridge } from '../kit/spoiling-acquirer.ts';

/** An acquirer that is slow for a brand of a merchant slows neither its other brands nor other merchants. */

let folder: string;
let simulator: Simulator;
let bridge: ResolvingBridge;
let service: HostileService;

/** Of 256 connections: what one brand of one merchant may have while no other uses any. */
const SHARE = 110;
const SURPLUS = 12;
const VISA = '4111111111111111';
const LONG_MILLISECONDS = 120_000;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-shares-'));
  simulator = await openSimulator(folder);
  bridge = await openResolvingBridge(simulator.url);
  service = await openHostileService({
    PARCELA_ACQUIRER_URL: bridge.url,
    // What is held stays held until the test lets go of it.
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '60000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '90000',
  });
});
after(async () => {
  await service.close();
  await bridge.close();
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

const cardOf = (shop: Shop, cardNumber: string) => tokenize(shop.url, shop.tokens.gateway, cardNumber);

async function payBy(
  shop: Shop,
  referenceTransaction: string,
  cardNumber: string,
  numberToken?: string,
): Promise<Reply> {
  const token = shop.tokens.gateway;
  const card = numberToken ?? (await cardOf(shop, cardNumber));
  const body = paymentRequest(card, 1_000, { referenceTransaction });
  body.cardInfo.brand = cardNumber === VISA ? 'visa' : 'mastercard';
  return call(shop.url, '/v1/payments', { token, body, timeoutMilliseconds: LONG_MILLISECONDS });
}

const MASTERCARD = '5155901222280001';

test('charges of one brand of one merchant that hang leave connections to everything else', async () => {
  const { alice, bob } = service;
  const earlier = await payBy(alice, 'EARLIER', VISA);
  assert.equal(earlier.status, 200, earlier.text);
  bridge.spoil(({ kind, order }) => (kind === 'authorization' && order?.startsWith('SLOW') ? 'hold' : null));
  let ended = 0;
  // Made before, so that nothing hangs for longer than it must.
  const cards = await Promise.all(Array.from({ length: SHARE + SURPLUS }, () => cardOf(alice, VISA)));
  const slow = cards.map(async (card, index) => {
    const reply = await payBy(alice, `SLOW-${index}`, VISA, card);
    ended += 1;
    return reply;
  });
  await until('its share is under way', async () => bridge.held() === SHARE, LONG_MILLISECONDS);
  await until('what is more was refused', async () => ended === SURPLUS, LONG_MILLISECONDS);

  assert.equal((await payBy(bob, 'WELL-1', VISA)).status, 200);
  assert.equal((await payBy(bob, 'WELL-2', MASTERCARD)).status, 200);
  assert.equal((await payBy(alice, 'WELL-3', MASTERCARD)).status, 200);
  const cancel = await call(alice.url, `/v1/payments/${earlier.body.paymentAuthorization.paymentId}/cancel`, {
    token: alice.tokens.gateway,
    body: { amount: 1_000 },
  });
  assert.equal(cancel.status, 200, cancel.text);
  assert.deepEqual([bridge.held(), ended], [SHARE, SURPLUS], 'the slow ones are as slow as they were');

  bridge.release();
  const replies = await Promise.all(slow);
  const refused = replies.filter(({ status }) => status === 503);
  assert.equal(refused.length, SURPLUS);
  for (const { headers, text } of refused) {
    assert.equal(headers.get('retry-after'), '2');
    assert.match(text, /Serviço temporariamente indisponível/);
  }
  assert.equal(replies.filter(({ status }) => status === 200).length, SHARE);
  const rows = await service.auditor.query(
    "select state, count(*)::integer from transactions where reference_transaction like 'SLOW%' group by 1 order by 1",
  );
  assert.deepEqual(rows, [
    { state: 'approved', count: SHARE },
    { state: 'voided', count: SURPLUS },
  ]);
  const search = new URLSearchParams({ merchantId: alice.merchantId, limit: '1000' });
  const { items } = (await (await fetch(`${simulator.url}/ledger?${search}`)).json()) as { items: object[] };
  assert.equal(items.length, SHARE + 2, 'the acquirer never saw what was refused');
});

/** Of the 32 connections over which outcomes are found. */
const RESOLVING_SHARE = 16;

test('outcomes of one merchant that the acquirer holds back leave connections to those of others', async () => {
  const { alice, bob } = service;
  bridge.spoil(({ kind, order }) => {
    if (kind === 'authorization') return 'reset';
    return order?.startsWith('HELD') ? 'hold' : null;
  });
  const lost = Array.from({ length: 3 * RESOLVING_SHARE }, (_, index) => payBy(alice, `HELD-${index}`, VISA));
  for (const { status } of await Promise.all(lost)) assert.equal(status, 500);
  await until('its share is taken', async () => bridge.held() === RESOLVING_SHARE);
  assert.equal((await payBy(bob, 'LOST', VISA)).status, 500);
  await until('the outcome of the other is found', async () => {
    const rows = await service.auditor.query(
      "select 1 from transactions where reference_transaction = 'LOST' and state = 'voided'",
    );
    return rows.length === 1;
  });
  assert.equal(bridge.held(), RESOLVING_SHARE, 'those that are held are still held');
  bridge.spoil(null);
  bridge.release();
});
