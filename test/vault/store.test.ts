import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { wrappingContext } from '../../src/keys/key-store.ts';
import { openKeyFile } from '../../src/keys/stores/read-key-file.ts';
import { wrapNewKey } from '../../src/keys/wrap-data-key.ts';
import { keyFileIn } from '../kit/keys.ts';
import { call, encryptCard, type Reply, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { VERIFICATION_FAULTS } from '../kit/recording-acquirer.ts';
import { until } from '../kit/service.ts';
import {
  askedOf,
  BESIDE,
  countOf,
  openVaultService,
  payBy,
  readCard,
  store,
  storeBy,
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
const newToken = (cardNumber?: string) => tokenize(service.gatewayUrl, service.token(), cardNumber);
const storedCards = () => countOf(service, 'select count(*) from vault_cards');

async function encrypted(fields: Record<string, string> = {}): Promise<string> {
  const { body } = await call(service.gatewayUrl, '/v1/cards/public-key', {
    token: service.token(),
  });
  const card = {
    cardNumber: TEST_CARD,
    merchantId: service.merchantId,
    createdAt: new Date().toISOString(),
    ...fields,
  };
  return encryptCard(body.key, card);
}

test('a card stored by its token can be read, with six and four digits of its number', async () => {
  const vaultId = await storedId(service);
  const read = await readCard(service, vaultId);
  assert.deepEqual(read.body, {
    vaultId,
    brand: 'mastercard',
    firstSixDigits: '515590',
    lastFourDigits: '0001',
    expirationMonth: '12',
    expirationYear: '39',
    cardholderName: 'ANA SOUZA',
    status: 'Active',
  });
  const upper = await readCard(service, vaultId.toUpperCase());
  assert.equal(upper.text, read.text, 'an id is the same in capitals');
});

test('a card that the page encrypted brings name and expiry with it', async () => {
  const inside = { expirationMonth: '11', expirationYear: '38', cardholderName: 'BIA LIMA' };
  const reply = await storeBy(service, { encryptedCard: await encrypted(inside) });
  assert.equal(reply.status, 200, reply.text);
  const { body } = await readCard(service, reply.body.vaultId);
  assert.deepEqual(
    [body.brand, body.expirationMonth, body.expirationYear, body.cardholderName],
    ['mastercard', '11', '38', 'BIA LIMA'],
  );
});

test('everything that is missing or contradicts itself is refused by the name of its field, and nothing is stored', async () => {
  const before = await storedCards();
  const numberToken = await newToken();
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['numberToken', 'cardholderName', 'expirationMonth', 'expirationYear']],
    [{ numberToken, encryptedCard: 'AAAA', ...BESIDE }, ['numberToken']],
    [{ numberToken }, ['cardholderName', 'expirationMonth', 'expirationYear']],
    [{ numberToken: 'unknown', ...BESIDE }, ['numberToken']],
    [{ encryptedCard: 'AAAA', ...BESIDE }, ['encryptedCard']],
    [{ encryptedCard: await encrypted() }, ['cardholderName', 'expirationMonth', 'expirationYear']],
    [{ encryptedCard: await encrypted({ cardholderName: 'BIA' }), ...BESIDE }, ['cardholderName']],
    [{ encryptedCard: await encrypted({ expirationYear: '38' }), ...BESIDE }, ['expirationYear']],
    [
      { encryptedCard: await encrypted({ securityCode: '123' }), ...BESIDE, securityCode: '124' },
      ['securityCode'],
    ],
    [{ numberToken, ...BESIDE, brand: 'amex' }, ['brand']],
    [{ numberToken, ...BESIDE, brand: 'bank' }, ['brand']],
    [{ numberToken, ...BESIDE, securityCode: '1234' }, ['securityCode']],
    [{ numberToken, ...BESIDE, expirationYear: '20' }, ['expirationYear']],
    [{ numberToken, ...BESIDE, verifyCard: 'yes' }, ['verifyCard']],
    [{ numberToken, ...BESIDE, cardholderName: ' ' }, ['cardholderName']],
    [{ numberToken, ...BESIDE, cardholderName: 'A'.repeat(31) }, ['cardholderName']],
    [{ numberToken, ...BESIDE, cardholderName: TEST_CARD }, ['cardholderName']],
    [{ numberToken, ...BESIDE, cardholderName: '5155-9012 2228-0001' }, ['cardholderName']],
    [
      {
        encryptedCard: await encrypted({
          cardholderName: TEST_CARD,
          expirationMonth: '12',
          expirationYear: '39',
        }),
      },
      ['cardholderName'],
    ],
  ];
  for (const [body, tags] of cases) {
    const reply = await storeBy(service, body);
    assert.deepEqual([reply.status, tagsOf(reply)], [400, tags], JSON.stringify(body));
  }
  assert.equal(await storedCards(), before);
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 200, 'its token is still free');
});

test('a brand that our list does not confirm is stored with a warning; one that is unknown must be named', async () => {
  const reply = await store(service, { brand: 'elo' }, '4111111111111111');
  assert.equal(reply.status, 200, reply.text);
  await until('the log warns', async () =>
    service.log.some((line) => line.includes('the brand given is not the one of our list')),
  );
  const unknown = await storeBy(service, {
    numberToken: await newToken('9999999999999995'),
    ...BESIDE,
    brand: null,
  });
  assert.deepEqual([unknown.status, tagsOf(unknown)], [400, ['brand']]);
});

test('a token is used up by storing: it stores no second card and pays nothing', async () => {
  const numberToken = await newToken();
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 200);
  const again = await storeBy(service, { numberToken, ...BESIDE });
  assert.deepEqual([again.status, tagsOf(again)], [400, ['numberToken']]);
  assert.equal((await payBy(service, { numberToken, ...BESIDE })).status, 400);
});

test('a token that paid stores nothing, and neither does the encrypted card it was made from', async () => {
  const encryptedCard = await encrypted();
  const made = await call(service.gatewayUrl, '/v1/cards/tokenization', {
    token: service.token(),
    body: { encryptedCard },
  });
  const { numberToken } = made.body[0];
  assert.equal((await payBy(service, { numberToken, ...BESIDE })).status, 200);
  const byToken = await storeBy(service, { numberToken, ...BESIDE });
  const byBlob = await storeBy(service, { encryptedCard, ...BESIDE });
  assert.deepEqual([byToken.status, tagsOf(byToken)], [400, ['numberToken']]);
  assert.deepEqual([byBlob.status, tagsOf(byBlob)], [400, ['encryptedCard']]);
});

test('fifty storings of one token at once store one card', async () => {
  const before = await storedCards();
  const numberToken = await newToken();
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => storeBy(service, { numberToken, ...BESIDE })),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ status }) => status === 400).length, 49);
  assert.equal(await storedCards(), before + 1);
});

test('of a payment and a storing that race for one token, exactly one wins', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const numberToken = await newToken();
      const [paid, kept] = await Promise.all([
        payBy(service, { numberToken, ...BESIDE }),
        storeBy(service, { numberToken, ...BESIDE }),
      ]);
      return [paid.status, kept.status].sort().join();
    }),
  );
  assert.deepEqual(new Set(outcomes), new Set(['200,400']));
});

test('a verification asks the acquirer for nothing but a check, with the security code, and counts as the first use', async () => {
  const since = service.bridge.asked.length;
  const vaultId = await storedId(service, { verifyCard: true, securityCode: '907' });
  const [check, ...others] = askedOf(service, '/verifications', since);
  assert.deepEqual(others, []);
  assert.deepEqual(askedOf(service, '/authorizations', since), []);
  assert.equal(check.merchantId, service.merchantId);
  assert.equal(check.amount, undefined);
  assert.deepEqual([check.card.number, check.card.securityCode], [TEST_CARD, '907']);
  const row = await storedRow(service, vaultId);
  assert.ok(row.verified_at !== null && row.first_used_at !== null);
  assert.match(String(row.network_transaction_id), /^3\d{14}$/);
  assert.match(String(row.transaction_link_id), /^[\w-]{22}$/);
});

test('without verifyCard nobody is asked, and the card was never used', async () => {
  const since = service.bridge.asked.length;
  const row = await storedRow(service, await storedId(service, { securityCode: '907' }));
  assert.equal(service.bridge.asked.length, since);
  assert.deepEqual([row.verified_at, row.first_used_at, row.network_transaction_id], [null, null, null]);
});

test("a card that the issuer does not find good is not stored, and the issuer's code says why", async () => {
  const before = await storedCards();
  // In the simulator's list this card is always declined with 79 and advice 03.
  const numberToken = await newToken('5200050000000267');
  const reply = await storeBy(service, { numberToken, ...BESIDE, verifyCard: true });
  assert.equal(reply.status, 402, reply.text);
  const [error] = reply.body;
  assert.deepEqual([error.tag, error.returnCode, error.brand], ['79', '79', 'mastercard']);
  assert.deepEqual([error.merchantAdviceCode, error.retryable], ['03', false]);
  assert.equal(await storedCards(), before);
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 200, 'its token stays free');
});

for (const fault of VERIFICATION_FAULTS) {
  test(`when a verification is answered with ${fault}, nothing is stored and the token stays free`, async () => {
    const before = await storedCards();
    const numberToken = await newToken();
    service.bridge.spoilVerifications(fault);
    const reply = await storeBy(service, { numberToken, ...BESIDE, verifyCard: true });
    service.bridge.spoilVerifications(null);
    assert.equal(reply.status, 500, reply.text);
    assert.deepEqual(tagsOf(reply), ['']);
    assert.equal(await storedCards(), before);
    const again = await storeBy(service, { numberToken, ...BESIDE, verifyCard: true });
    assert.equal(again.status, 200, again.text);
  });
}

test('of a used card nobody is asked again: not by its token, not by its encrypted card, not by many at once', async () => {
  const [used, encryptedCard, fresh] = [await newToken(), await encrypted(), await newToken()];
  assert.equal((await payBy(service, { numberToken: used, ...BESIDE })).status, 200);
  assert.equal((await payBy(service, { encryptedCard, ...BESIDE })).status, 200);
  const since = service.bridge.asked.length;
  const byToken = await storeBy(service, { numberToken: used, ...BESIDE, verifyCard: true });
  const byBlob = await storeBy(service, { encryptedCard, ...BESIDE, verifyCard: true });
  assert.deepEqual([byToken.status, tagsOf(byToken)], [400, ['numberToken']]);
  assert.deepEqual([byBlob.status, tagsOf(byBlob)], [400, ['encryptedCard']]);
  assert.deepEqual(askedOf(service, '/verifications', since), []);
  const atOnce = Array.from({ length: 20 }, () =>
    storeBy(service, { numberToken: fresh, ...BESIDE, verifyCard: true }),
  );
  const statuses = (await Promise.all(atOnce)).map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(19).fill(400)]);
  assert.equal(askedOf(service, '/verifications', since).length, 1);
});

test('a used token is answered as an unknown one, whatever else is wrong', async () => {
  const numberToken = await newToken();
  assert.equal((await payBy(service, { numberToken, ...BESIDE })).status, 200);
  const wrong = { ...BESIDE, brand: 'amex', securityCode: '12' };
  const used = await payBy(service, { numberToken, ...wrong });
  const unknown = await payBy(service, { numberToken: 'x'.repeat(43), ...wrong });
  assert.deepEqual([used.status, used.body], [unknown.status, unknown.body]);
});

test('verifications have a metric of their own', async () => {
  const text = await (await fetch(service.metricsUrl)).text();
  assert.match(
    text,
    /parcela_acquirer_call_duration_seconds_count\{operation="verify",result="approved"\} [1-9]/,
  );
});

async function storedOnce(numberToken: string): Promise<void> {
  const before = await storedCards();
  const reply = await storeBy(service, { numberToken, ...BESIDE });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(await storedCards(), before + 1);
  assert.equal((await readCard(service, reply.body.vaultId)).status, 200);
  const reported = `select count(*) from audit_entries where action = 'card.store' and resource like '%' || $1`;
  assert.equal(await countOf(service, reported, [reply.body.vaultId]), 1, 'the audit log tells of it once');
}

test('when the connection to the database breaks exactly at the commit of a card, one is stored and answered', async () => {
  const numberToken = await newToken();
  const { cuts } = service.proxy;
  service.proxy.cutAfter('commit');
  await storedOnce(numberToken);
  assert.equal(service.proxy.cuts, cuts + 1, 'the connection was cut');
});

test('when it breaks before the storing arrives, 503 says that nothing was stored, and the token is free', async () => {
  const before = await storedCards();
  const numberToken = await newToken();
  const { cuts } = service.proxy;
  service.proxy.cutBefore('vault.store_card');
  assert.equal((await storeBy(service, { numberToken, ...BESIDE })).status, 503);
  assert.equal(service.proxy.cuts, cuts + 1, 'the connection was cut');
  assert.equal(await storedCards(), before);
  await storedOnce(numberToken);
});

test('when the database goes away in the middle, the caller is cut off or gets the truth', async () => {
  const numberToken = await newToken();
  const before = await storedCards();
  service.proxy.silenceAfter('vault.store_card');
  const reply = await storeBy(service, { numberToken, ...BESIDE }).catch(() => null);
  const kept = (await storedCards()) - before;
  const isTrue = (reply?.status === 200 && kept === 1) || (reply?.status === 503 && kept === 0);
  assert.ok(reply === null || isTrue, `${reply?.status}, ${kept} stored`);
});

test('when nobody can know whether a card was stored before the deadline, the caller is cut off without a word', async () => {
  const numberToken = await newToken();
  const before = await storedCards();
  service.proxy.loseAfter('commit\0', 'vault.store_card');
  const storing = storeBy(service, { numberToken, ...BESIDE }).catch((error: Error) => error.name);
  assert.equal(await storing.finally(service.proxy.comeBack), 'TypeError', 'the connection was cut');
  assert.equal(await storedCards(), before + 1, 'its commit was carried out');
});

test('a card that waits for a lock when the database goes away is not stored, and its token is free', async () => {
  const numberToken = await newToken();
  const before = await storedCards();
  const somebody = await service.connect();
  try {
    await somebody.query('begin');
    await somebody.query(`select 1 from data_keys where purpose = 'card' and retired_at is null for update`);
    const storing = storeBy(service, { numberToken, ...BESIDE });
    await until('the storing waits for the key', isStoringWaiting);
    await service.proxy.goAway();
    assert.equal((await storing).status, 503);
  } finally {
    await somebody.end();
    await service.proxy.comeBack();
  }
  assert.equal(await storedCards(), before);
  const again = await until('the database is back', async () => {
    const reply = await storeBy(service, { numberToken, ...BESIDE });
    return reply.status === 503 ? null : reply;
  });
  assert.equal(again.status, 200, 'nothing was stored, so the token is free');
});

/** Whether a statement that stores a card waits for a lock. */
async function isStoringWaiting(): Promise<boolean> {
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%data_keys%'
    and datname = current_database()`;
  return (await service.auditor.query(waiting)).length > 0;
}

/** Number, wrapped key and key-encryption key of a card key to be, as a rotation makes one. */
async function wrappedSuccessor(): Promise<unknown[]> {
  const [next] = await service.auditor.query(`select nextval('data_keys_data_key_id_seq')::int as id`);
  const id = next?.id as number;
  const store = await openKeyFile(keyFileIn(service.folder), 'homologation');
  const { keyId, wrapped } = await wrapNewKey(store, wrappingContext(id, 'card', 'homologation'));
  return [id, wrapped, keyId];
}

test('a card whose data key is retired while it is being stored is sealed again under its successor', async () => {
  const numberToken = await newToken();
  const rotation = await service.connect();
  try {
    await rotation.query('begin');
    const { rows } = await rotation.query(
      `select data_key_id from data_keys where purpose = 'card' and retired_at is null for update`,
    );
    const retired = rows[0].data_key_id as number;
    const storing = storeBy(service, { numberToken, ...BESIDE });
    await until('the storing waits for the key', isStoringWaiting);
    const successor = await wrappedSuccessor();
    await rotation.query('update data_keys set retired_at = now() where data_key_id = $1', [retired]);
    await rotation.query(
      `insert into data_keys (data_key_id, purpose, environment, wrapped_key, key_encryption_key_id)
       overriding system value values ($1, 'card', 'homologation', $2, $3)`,
      successor,
    );
    await rotation.query('commit');
    const reply = await storing;
    assert.equal(reply.status, 200, reply.text);
    assert.ok(Number((await storedRow(service, reply.body.vaultId)).data_key_id) > retired);
    assert.equal((await payBy(service, { vaultId: reply.body.vaultId })).status, 200);
  } finally {
    await rotation.end();
  }
});

test('the audit log records who stored which card and from where', async () => {
  const vaultId = await storedId(service);
  const [entry] = await service.auditor.query(
    `select * from audit_entries where action = 'card.store' and resource like '%' || $1`,
    [vaultId],
  );
  assert.deepEqual(
    [entry?.actor, entry?.outcome, entry?.resource],
    [service.userName, 'success', `merchants/${service.merchantId}/cards/${vaultId}`],
  );
  assert.match(String(entry?.origin), /127\.0\.0\.1|::1/);
});

test('unknown, foreign and malformed ids are not found, all alike', async () => {
  const vaultId = await storedId(service);
  const absent = await readCard(service, randomUUID());
  const foreign = await readCard(service, vaultId, service.foreignToken());
  const malformed = await readCard(service, 'not-an-id');
  assert.deepEqual([absent.status, foreign.status, malformed.status], [404, 404, 404]);
  assert.equal(new Set([absent.text, foreign.text, malformed.text]).size, 1);
});

test('neither the number nor the security code of a stored card stands in any column or in the log', async () => {
  const number = '5105105105105100';
  const encryptedCard = await encrypted({ cardNumber: number, securityCode: '739' });
  const first = await storeBy(service, { encryptedCard, ...BESIDE, verifyCard: true });
  const second = await store(service, { securityCode: '739', verifyCard: true }, number);
  assert.deepEqual([first.status, second.status], [200, 200], first.text + second.text);
  const paid = await payBy(service, { vaultId: second.body.vaultId, securityCode: '739' });
  assert.equal(paid.status, 200, paid.text);
  const tables = await service.auditor.query(
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { table_name } of tables) {
    const rows = await service.auditor.query(`select t::text as text from ${table_name} t`);
    const texts = rows.map((row) => String(row.text)).join('\n');
    for (const needle of [number, Buffer.from(number).toString('hex'), encryptedCard]) {
      assert.ok(!texts.includes(needle), `the card is in ${table_name}`);
    }
    assert.ok(!/[("',]739[)"',]/.test(texts), `the security code is in ${table_name}`);
  }
  const log = service.log.join('\n');
  assert.ok(!log.includes(number) && !log.includes('"739"'));
});
