import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cardToStore, deniedBilling, newSubscription } from '../hostile/enrolled.ts';
import { type HostileService, openHostileService, type Shop } from '../hostile/hostile-service.ts';
import { call, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import { openSimulator, type Simulator, until } from '../kit/service.ts';
import { type CuttingProxy, openCuttingProxy } from '../kit/wire-cutter.ts';
import { cardTypedAt, linksOf } from './linked.ts';

/** An acquirer that cannot be connected to was not asked: 503, and everything is as before. */

let folder: string;
let simulator: Simulator;
/** The way to the acquirer. */
let wire: CuttingProxy;
let service: HostileService;
let shop: Shop;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parcela-away-'));
  simulator = await openSimulator(folder);
  const { hostname: host, port } = new URL(simulator.url);
  wire = await openCuttingProxy({ host, port: Number(port), user: '', password: '', database: '' });
  service = await openHostileService({
    PARCELA_ACQUIRER_URL: `http://127.0.0.1:${wire.address.port}`,
    PARCELA_CHARGES_AT_ONCE: '4',
  });
  shop = service.alice;
});
after(async () => {
  await service.close();
  await wire.close();
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Asks with a key of its own while the acquirer is away and again, the same, when it is back. */
async function askTwice(
  path: string,
  body: object | undefined,
  token = shop.tokens.gateway,
): Promise<{ away: Reply; back: Reply; afterwards: () => Promise<Reply> }> {
  const options = { method: 'POST', token, body, headers: { 'idempotency-key': randomUUID() } } as const;
  await wire.goAway();
  const away = await call(shop.url, path, options);
  await wire.comeBack();
  const back = await call(shop.url, path, options);
  const afterwards = async () => {
    await service.auditor.query('delete from idempotency_keys');
    return call(shop.url, path, options);
  };
  return { away, back, afterwards };
}

function assertUnavailable(reply: Reply): void {
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.headers.get('retry-after'), '2');
  assert.match(reply.text, /A adquirente não pôde ser contatada/);
}

async function ledger(
  query: Record<string, string>,
): Promise<{ status: string; amount: number; canceledAmount: number }[]> {
  const search = new URLSearchParams({ merchantId: shop.merchantId, ...query });
  return ((await (await fetch(`${simulator.url}/ledger?${search}`)).json()) as { items: [] }).items;
}

test('a payment that could not be sent is 503; the same request with its key and its card token pays when the acquirer is back', async () => {
  const body = paymentRequest(await tokenize(shop.url, shop.tokens.gateway), 1_000);
  const { away, back, afterwards } = await askTwice('/v1/payments', body);
  assertUnavailable(away);
  assert.equal(back.status, 200, back.text);
  assert.equal(back.headers.get('idempotent-replayed'), null);
  const merchantReference = body.referenceTransaction;
  assert.deepEqual(
    (await ledger({ merchantReference })).map(({ status }) => status),
    ['approved'],
  );
  const rows = await service.auditor.query(
    'select state, unknown_reason, fence from transactions where reference_transaction = $1 order by created_at',
    [merchantReference],
  );
  assert.deepEqual(
    rows.map(({ state, fence }) => [state, fence]),
    [
      ['voided', 0],
      ['approved', 0],
    ],
  );
  assert.match(String(rows[0]?.unknown_reason), /^not sent: no connection/);
  const attempts = await service.auditor.query(
    'select 1 from velocity_events a join transactions t using (merchant_id, transaction_id) where t.reference_transaction = $1 and t.state = $2',
    [merchantReference, 'voided'],
  );
  assert.deepEqual(attempts, []);
  const again = await afterwards();
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'], again.text);
  assert.deepEqual(again.body, back.body, 'what was sent, not what was not');
});

test('a try to pay a link that no acquirer was asked for is none of its twenty', async () => {
  const links = linksOf({ url: shop.url, token: shop.tokens.gateway });
  const link = await links.newLink();
  await service.auditor.query('update payment_links set tries = 19, card_tries = 19 where link_id = $1', [
    link.id,
  ]);
  await wire.goAway();
  assert.equal((await links.byCard(link)).body.status, 'declined');
  await wire.comeBack();
  assert.equal((await links.byCard(link)).body.status, 'paid');
});

test('a card of a subscriber that no acquirer was asked about is none of his twenty', async () => {
  const id = await newSubscription(shop);
  const token = shop.tokens.recurrence;
  const given = await call(shop.url, `/v1/recurrences/subscriptions/${id}/page`, {
    method: 'PUT',
    token,
    body: {},
  });
  const page = new URL(given.body.url).pathname;
  await service.auditor.query('update subscriber_pages set card_tries = 19 where subscription_id = $1', [id]);
  const give = async () => {
    const body = { encryptedCard: await cardTypedAt(shop.url, page) };
    return (await call(shop.url, `${page}/card`, { body })).body.status;
  };
  await wire.goAway();
  assert.equal(await give(), 'declined');
  await wire.comeBack();
  assert.equal(await give(), 'changed');
});

test('the only acquirer that cannot be reached is told by its circuit too, until a payment works', async () => {
  const pay = async () =>
    call(shop.url, '/v1/payments', {
      method: 'POST',
      token: shop.tokens.gateway,
      body: paymentRequest(await tokenize(shop.url, shop.tokens.gateway), 1_000),
      headers: { 'idempotency-key': randomUUID() },
    });
  const circuit = async () => {
    const text = await (await fetch(service.metricsUrl)).text();
    return /^parcela_acquirer_away\{kind="payment",provider="default"\} (\d)$/m.exec(text)?.[1];
  };
  await wire.goAway();
  for (let times = 0; times < 5; times += 1) assert.equal((await pay()).status, 503);
  assert.equal(await circuit(), '1');
  await wire.comeBack();
  assert.equal((await pay()).status, 200);
  assert.equal(await circuit(), '0');
});

test('a cancel that could not be sent holds nothing back; the same request gives the money back when the acquirer is there', async () => {
  const request = paymentRequest(await tokenize(shop.url, shop.tokens.gateway), 5_000);
  const paid = await call(shop.url, '/v1/payments', { token: shop.tokens.gateway, body: request });
  const { paymentId } = paid.body.paymentAuthorization;
  const { away, back, afterwards } = await askTwice(`/v1/payments/${paymentId}/cancel`, { amount: 2_000 });
  assertUnavailable(away);
  assert.equal(back.status, 200, back.text);
  const { canceledAmount, cancelingAmount } = (
    await call(shop.url, `/v1/payments/${paymentId}`, { token: shop.tokens.gateway })
  ).body;
  assert.deepEqual([canceledAmount, cancelingAmount], [2_000, 0]);
  assert.deepEqual(
    (await ledger({ reference: paymentId })).map((charge) => charge.canceledAmount),
    [2_000],
  );
  const again = await afterwards();
  assert.deepEqual(
    [again.status, again.headers.get('idempotent-replayed'), again.body],
    [200, 'true', back.body],
  );
});

test('a card that could not be verified is 503, and stored with the same token when it can', async () => {
  const body = { ...(await cardToStore(shop)), verifyCard: true };
  const { away, back } = await askTwice('/v1/vaults/cards', body);
  assertUnavailable(away);
  assert.equal(back.status, 200, back.text);
});

test('a billing that is charged by hand stays what it was, and the same request charges it', async () => {
  const billingId = await deniedBilling(shop);
  const path = `/v1/recurrences/billing/${billingId}/charge`;
  const { away, back } = await askTwice(path, undefined, shop.tokens.recurrence);
  assertUnavailable(away);
  assert.equal(back.status, 200, back.text);
  assert.equal(back.body.status, 'Paid');
});

test('a due billing is charged once when the acquirer is back: nothing was asked before, so nothing is voided', async () => {
  const subscriptionId = await newSubscription(shop);
  const billings = () =>
    service.auditor.query(
      'select billing_id, state, charges_made, transaction_id from billings where merchant_id = $1 and subscription_id = $2 order by installment',
      [shop.merchantId, subscriptionId],
    );
  const billingId = String((await billings())[0]?.billing_id);
  await wire.goAway();
  await service.auditor.query(
    'update billings set due_on = now()::date - 1, charge_on = now()::date - 1 where billing_id = $1',
    [billingId],
  );
  await until('it was tried while the acquirer is away', async () => {
    const tries = await service.auditor.query(
      "select 1 from billing_charges where billing_id = $1 and outcome = 'voided'",
      [billingId],
    );
    return tries.length > 0;
  });
  await wire.comeBack();
  await until('it is paid', async () => (await billings())[0]?.state === 'paid', 120_000);
  assert.equal((await billings())[0]?.charges_made, 1);
  assert.deepEqual(
    (await ledger({ merchantReference: billingId })).map(({ status }) => status),
    ['approved'],
  );
});
