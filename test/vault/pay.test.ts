import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { call, encryptCard, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import {
  askedOf,
  BESIDE,
  countOf,
  deleteCard,
  openVaultService,
  payBy,
  paymentBy,
  readCard,
  storedId,
  storedRow,
  type VaultService,
} from './vault-service.ts';

let service: VaultService;
before(async () => {
  service = await openVaultService();
});
after(() => service.close());

const tagsOf = (reply: Reply) => reply.body.map((error: { tag: string }) => error.tag);

async function script(...steps: object[]): Promise<void> {
  const body = JSON.stringify({ merchantId: service.merchantId, steps });
  assert.equal((await fetch(`${service.simulatorUrl}/script`, { method: 'POST', body })).status, 200);
}

async function live(reference: string): Promise<string[]> {
  const url = `${service.simulatorUrl}/ledger?merchantId=${service.merchantId}&merchantReference=${reference}`;
  const { items } = (await (await fetch(url)).json()) as { items: { status: string }[] };
  return items.map(({ status }) => status).filter((status) => status !== 'undone');
}

/** Pays and gives what the acquirer was asked. */
async function askedBy(cardInfo: Record<string, unknown>, amount = 1000) {
  const since = service.bridge.asked.length;
  const reply = await payBy(service, cardInfo, amount);
  const [asked, ...others] = askedOf(service, '/authorizations', since);
  assert.deepEqual(others, [], 'one authorization');
  return { reply, asked };
}

async function transactionOf(reply: Reply): Promise<Record<string, unknown>> {
  const { paymentId } = reply.body.paymentAuthorization;
  const [row] = await service.auditor.query('select * from transactions where transaction_id = $1', [
    paymentId,
  ]);
  return row as Record<string, unknown>;
}

const referenceIn = ({ networkTransactionId, transactionLinkId }: Record<string, unknown>) => [
  networkTransactionId,
  transactionLinkId,
];
const referenceOf = (row: Record<string, unknown>) => [row.network_transaction_id, row.transaction_link_id];

test('a stored card pays again and again; the first time its holder starts it, later the merchant, naming the first', async () => {
  const vaultId = await storedId(service);
  const first = await askedBy({ vaultId, securityCode: '123' });
  assert.equal(first.reply.status, 200, first.reply.text);
  assert.deepEqual(
    [first.asked.initiator, ...referenceIn(first.asked), first.asked.storedCard],
    ['cardholder', null, null, 'first'],
  );
  assert.deepEqual(first.asked.card, {
    number: TEST_CARD,
    expirationMonth: '12',
    expirationYear: '39',
    holderName: 'ANA SOUZA',
    securityCode: '123',
    brand: 'mastercard',
  });
  const row = await storedRow(service, vaultId);
  const charged = await transactionOf(first.reply);
  assert.ok(row.first_used_at !== null);
  assert.deepEqual(referenceOf(row), referenceOf(charged));
  assert.match(String(row.transaction_link_id), /^[\w-]{22}$/);
  assert.deepEqual([charged.vault_id, charged.initiator, charged.source_hash], [vaultId, 'cardholder', null]);
  for (const amount of [2_000, 3_000]) {
    const later = await askedBy({ vaultId }, amount);
    assert.equal(later.reply.status, 200, later.reply.text);
    assert.deepEqual(
      [later.asked.initiator, ...referenceIn(later.asked), later.asked.storedCard],
      ['merchant', ...referenceOf(row), 'later'],
    );
    assert.equal(later.asked.card.securityCode, null);
    assert.equal((await transactionOf(later.reply)).initiator, 'merchant');
  }
  const unchanged = await storedRow(service, vaultId);
  assert.deepEqual(unchanged.first_used_at, row.first_used_at);
  assert.deepEqual(referenceOf(unchanged), referenceOf(row));
});

test('a security code on a later use says that the holder is there; the first use is named all the same', async () => {
  const vaultId = await storedId(service);
  await payBy(service, { vaultId });
  const { network_transaction_id: first } = await storedRow(service, vaultId);
  const { reply, asked } = await askedBy({ vaultId, securityCode: '123' });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(
    [asked.initiator, ...referenceIn(asked), asked.storedCard, asked.card.securityCode],
    ['cardholder', first, null, 'later', '123'],
  );
});

test('a card that was verified has been used: its first payment is the merchant’s and names the verification', async () => {
  const vaultId = await storedId(service, { verifyCard: true, securityCode: '123' });
  const first = referenceOf(await storedRow(service, vaultId));
  assert.match(String(first[1]), /^[\w-]{22}$/);
  const { reply, asked } = await askedBy({ vaultId });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual([asked.initiator, ...referenceIn(asked)], ['merchant', ...first]);
});

test('a payment by token or encrypted card says nothing of stored cards', async () => {
  const numberToken = await tokenize(service.gatewayUrl, service.token());
  const { asked, reply } = await askedBy({ numberToken, ...BESIDE, securityCode: '123' });
  assert.deepEqual(
    [asked.initiator, asked.networkTransactionId, asked.storedCard],
    ['cardholder', null, null],
  );
  const row = await transactionOf(reply);
  assert.deepEqual([row.vault_id, row.initiator], [null, 'cardholder']);
});

test('a first use that is declined or unknown is no use: the next one is still the first', async () => {
  const vaultId = await storedId(service);
  assert.equal((await payBy(service, { vaultId }, 1051)).status, 402);
  await script({ fault: 'booksButSilent' });
  assert.equal((await payBy(service, { vaultId }, 1000)).status, 500);
  assert.equal((await storedRow(service, vaultId)).first_used_at, null);
  const { reply, asked } = await askedBy({ vaultId });
  assert.deepEqual([reply.status, asked.initiator, asked.storedCard], [200, 'cardholder', 'first']);
});

test('what the network calls a use is kept only as the protocol writes it; a link that the card lacks comes with a later use', async () => {
  for (const name of [null, 'not.of/the+protocol', 'x'.repeat(41)]) {
    const vaultId = await storedId(service);
    service.bridge.nameNetworkTransactions(name);
    assert.equal((await payBy(service, { vaultId })).status, 200);
    service.bridge.nameNetworkTransactions(undefined);
    const row = await storedRow(service, vaultId);
    assert.ok(row.first_used_at !== null);
    assert.deepEqual(referenceOf(row), [null, null]);
    const { reply, asked } = await askedBy({ vaultId });
    assert.deepEqual([reply.status, asked.initiator, ...referenceIn(asked)], [200, 'merchant', null, null]);
    const { transaction_link_id: link } = await storedRow(service, vaultId);
    assert.match(String(link), /^[\w-]{22}$/);
    assert.equal(link, (await transactionOf(reply)).transaction_link_id);
    const { asked: next } = await askedBy({ vaultId });
    assert.deepEqual(referenceIn(next), [null, link]);
  }
  service.bridge.nameNetworkTransactions('x'.repeat(26));
  await storedId(service, { verifyCard: true, securityCode: '123' });
  service.bridge.nameNetworkTransactions(undefined);
  const metrics = await (await fetch(service.metricsUrl)).text();
  assert.match(metrics, /^parcela_links_left_out_total\{provider="default"\} 3$/m);
});

test('a payment takes exactly one cardSource, and everything beside a stored card must be as it was stored', async () => {
  const vaultId = await storedId(service);
  const numberToken = await tokenize(service.gatewayUrl, service.token());
  const token = service.token();
  const { key } = (await call(service.gatewayUrl, '/v1/cards/public-key', { token })).body;
  const inside = { cardNumber: TEST_CARD, merchantId: service.merchantId };
  const nameless = await encryptCard(key, { ...inside, createdAt: new Date().toISOString() });
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['cardInfo.cardholderName', 'cardInfo.numberToken']],
    [{ vaultId, numberToken, ...BESIDE }, ['cardInfo.numberToken']],
    [{ vaultId, encryptedCard: 'AAAA' }, ['cardInfo.numberToken']],
    [{ numberToken, ...BESIDE, cardholderName: null }, ['cardInfo.cardholderName']],
    [{ numberToken, ...BESIDE, cardholderName: '5155 9012 2228 0001' }, ['cardInfo.cardholderName']],
    [{ encryptedCard: nameless, expirationMonth: '12', expirationYear: '39' }, ['cardInfo.cardholderName']],
    [{ vaultId, cardholderName: 'BIA' }, ['cardInfo.cardholderName']],
    [{ vaultId, brand: 'visa' }, ['cardInfo.brand']],
    [{ vaultId, expirationMonth: '11' }, ['cardInfo.expirationMonth']],
    [{ vaultId, expirationYear: '38' }, ['cardInfo.expirationYear']],
    [{ vaultId, securityCode: '1234' }, ['cardInfo.securityCode']],
    [
      { vaultId, cardholderName: 'BIA', brand: 'visa', securityCode: '1234' },
      ['cardInfo.brand', 'cardInfo.cardholderName', 'cardInfo.securityCode'],
    ],
  ];
  for (const [cardInfo, tags] of cases) {
    const { reply, asked } = await askedBy(cardInfo);
    assert.deepEqual([reply.status, tagsOf(reply).sort()], [400, tags], JSON.stringify(cardInfo));
    assert.equal(asked, undefined, 'nobody was asked');
  }
  assert.equal((await payBy(service, { vaultId, ...BESIDE, securityCode: '123' })).status, 200);
});

test('a card number in a field of the buyer’s name or address is refused; an order number may look like one', async () => {
  const vaultId = await storedId(service);
  const customer = {
    firstName: TEST_CARD,
    lastName: '5155-9012-2228-0001',
    city: '5155 9012 2228 0001',
    documentNumber: '52998224725',
  };
  const body = { ...paymentBy({ vaultId }), customer };
  const options = { token: service.token(), body };
  const refused = await call(service.gatewayUrl, '/v1/payments', options);
  assert.equal(refused.status, 400);
  assert.deepEqual(tagsOf(refused).sort(), ['customer.city', 'customer.firstName', 'customer.lastName']);
  const order = { ...paymentBy({ vaultId }), referenceTransaction: '18000000000009' };
  const paid = await call(service.gatewayUrl, '/v1/payments', {
    token: service.token(),
    body: order,
  });
  assert.equal(paid.status, 200, paid.text);
});

test('the number of the very card that pays is refused in every text that is kept', async () => {
  const vaultId = await storedId(service);
  const customer = {
    documentNumber: TEST_CARD,
    address: `card ${TEST_CARD}`,
    email: `a${TEST_CARD}@shop.example`,
  };
  const texts = {
    referenceTransaction: '5155 9012-2228.0001',
    urlCallBack: `https://shop.example/?c=${TEST_CARD}`,
  };
  const body = { ...paymentBy({ vaultId }), ...texts, customer };
  const refused = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
  assert.equal(refused.status, 400, refused.text);
  const names = [
    'customer.address',
    'customer.documentNumber',
    'customer.email',
    'referenceTransaction',
    'urlCallBack',
  ];
  assert.deepEqual(tagsOf(refused).sort(), names);
});

test('an unknown, foreign or malformed vaultId is one and the same refusal', async () => {
  const vaultId = await storedId(service);
  const replies = await Promise.all([
    payBy(service, { vaultId: randomUUID() }),
    payBy(service, { vaultId: 'not-an-id' }),
    payBy(service, { vaultId: 'a'.repeat(36) }),
    payBy(service, { vaultId }, 1000, service.foreignToken()),
  ]);
  for (const reply of replies) {
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body, [{ tag: 'cardInfo.vaultId', description: 'Cofre não encontrado' }]);
  }
});

test('a stored card that expires says so when it is read, and is not charged any more', async () => {
  const vaultId = await storedId(service);
  await service.auditor.query(`update vault_cards set expiration_year = '20' where vault_id = $1`, [vaultId]);
  assert.equal((await readCard(service, vaultId)).body.status, 'Expired');
  const { reply, asked } = await askedBy({ vaultId });
  assert.deepEqual([reply.status, tagsOf(reply)], [400, ['cardInfo.expirationYear']]);
  assert.equal(asked, undefined);
});

test('thirty payments of one stored card at once are thirty charges, and its first use is marked once', async () => {
  const vaultId = await storedId(service);
  const since = service.bridge.asked.length;
  const replies = await Promise.all(Array.from({ length: 30 }, () => payBy(service, { vaultId })));
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const initiators = new Set(askedOf(service, '/authorizations', since).map(({ initiator }) => initiator));
  assert.ok(initiators.has('cardholder'));
  const { reply, asked } = await askedBy({ vaultId });
  assert.deepEqual([reply.status, asked.initiator], [200, 'merchant']);
  const first = referenceOf(await storedRow(service, vaultId));
  assert.deepEqual(referenceIn(asked), first);
  const named = `select count(*) from transactions
    where vault_id = $1 and network_transaction_id = $2 and transaction_link_id = $3`;
  assert.equal(
    await countOf(service, named, [vaultId, ...first]),
    1,
    'they are the names of one of its charges',
  );
});

test('payments by token and by stored cards go together in one batch, each with what is its own', async () => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => storedId(service)));
  const tokens = await Promise.all(ids.map(() => tokenize(service.gatewayUrl, service.token())));
  const used = tokens[0] as string;
  assert.equal((await payBy(service, { numberToken: used, ...BESIDE })).status, 200);
  const [byCard, byToken] = await Promise.all([
    Promise.all(ids.map((vaultId) => payBy(service, { vaultId }))),
    Promise.all(tokens.map((numberToken) => payBy(service, { numberToken, ...BESIDE }))),
  ]);
  assert.deepEqual(new Set(byCard.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(
    byToken.map(({ status }) => status),
    [400, ...tokens.slice(1).map(() => 200)],
    'the token that had paid is refused, and nobody else',
  );
  for (const vaultId of ids) assert.ok((await storedRow(service, vaultId)).first_used_at !== null);
});

for (const [name, text] of Object.entries({
  intent: 'transactions.commit_intents',
  outcome: 'transactions.commit_outcomes',
})) {
  test(`when the connection to the database breaks at the ${name} of a stored card's payment, there is one charge`, async () => {
    const vaultId = await storedId(service);
    const body = paymentBy({ vaultId });
    service.proxy.cutAfter(text);
    const reply = await call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(await live(body.referenceTransaction), ['approved']);
    assert.ok((await storedRow(service, vaultId)).first_used_at !== null);
  });
}

test('a stored card that is deleted while its payment is under way: the payment ends as it would', async () => {
  const vaultId = await storedId(service);
  await script({ delayMilliseconds: 1_000 });
  const body = paymentBy({ vaultId });
  const since = service.bridge.asked.length;
  const paying = call(service.gatewayUrl, '/v1/payments', { token: service.token(), body });
  await until('the acquirer is asked', async () => askedOf(service, '/authorizations', since).length === 1);
  assert.equal((await deleteCard(service, vaultId)).status, 200);
  const reply = await paying;
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(await live(body.referenceTransaction), ['approved']);
  assert.equal((await transactionOf(reply)).vault_id, vaultId);
});

test('an approval does not wait for somebody who has the stored card locked, and its first use is marked once the lock is gone', async () => {
  const vaultId = await storedId(service);
  const somebody = await service.connect();
  const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update vault_cards%'
    and datname = current_database()`;
  let named: unknown[] = [];
  try {
    await somebody.query('begin');
    await somebody.query('select 1 from vault_cards where vault_id = $1 for update', [vaultId]);
    const reply = await payBy(service, { vaultId });
    assert.equal(reply.status, 200);
    named = referenceOf(await transactionOf(reply));
    await until(
      'the mark waits for the lock',
      async () => (await service.auditor.query(isWaiting)).length > 0,
    );
    assert.equal((await storedRow(service, vaultId)).first_used_at, null);
  } finally {
    await somebody.end();
  }
  await until('it is marked', async () => (await storedRow(service, vaultId)).first_used_at !== null);
  assert.deepEqual(referenceOf(await storedRow(service, vaultId)), named);
  const { reply, asked } = await askedBy({ vaultId });
  assert.deepEqual([reply.status, asked.initiator], [200, 'merchant']);
  assert.deepEqual(referenceIn(asked), named);
});

test('after kill -9 in the middle of its payment the charge is voided, and the stored card pays on', async () => {
  const vaultId = await storedId(service);
  await script({ delayMilliseconds: 500 });
  const body = paymentBy({ vaultId });
  const since = service.bridge.asked.length;
  const killed = await service.ownProcess();
  const paying = call(killed.gatewayUrl, '/v1/payments', { token: service.token(), body }).catch(() => null);
  await until('the acquirer is asked', async () => askedOf(service, '/authorizations', since).length === 1);
  await killed.kill();
  assert.equal(await paying, null);
  await until(
    'the charge is settled',
    async () =>
      (await countOf(
        service,
        `select count(*) from transactions where reference_transaction = $1 and state = 'voided'`,
        [body.referenceTransaction],
      )) === 1,
    60_000,
  );
  assert.deepEqual(await live(body.referenceTransaction), []);
  assert.equal((await storedRow(service, vaultId)).first_used_at, null);
  const { reply, asked } = await askedBy({ vaultId });
  assert.deepEqual([reply.status, asked.initiator, asked.storedCard], [200, 'cardholder', 'first']);
});
