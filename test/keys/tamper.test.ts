import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { findEarlierRequest, identifyRequest } from '../../src/idempotency/answer-once.ts';
import { requestsRead } from '../../src/idempotency/idempotency-keys.sql.ts';

import { openBytes } from '../../src/keys/sealing.ts';
import { batchReads } from '../../src/platform/postgres/batched-reads.ts';
import type { AuditedTools } from '../kit/keys.ts';
import { call, logIn, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { type OpenedService, until } from '../kit/service.ts';
import { fillVault, type KeySetup, openKeySetup } from './key-setup.ts';

let setup: KeySetup;
let demo: Demo;
let tools: AuditedTools;
let service: OpenedService;
let token: string;

before(async () => {
  setup = await openKeySetup();
  ({ demo, tools } = await setup.makeDemo());
  service = await setup.openService();
  token = await logIn(service.gatewayUrl, demo.gateway);
});
after(() => setup.close());

async function payWith(cardInfo: Record<string, unknown>) {
  const body = { ...paymentRequest('', 1000), cardInfo };
  const reply = await call(service.gatewayUrl, '/v1/payments', { token, body });
  return { status: reply.status, tag: reply.body?.[0]?.tag as string | undefined };
}

async function cardOfToken(): Promise<{ cardInfo: Record<string, unknown>; hash: Buffer }> {
  const numberToken = await tokenize(service.gatewayUrl, token);
  const hash = createHash('sha256').update(`numberToken${numberToken}`).digest();
  return { cardInfo: paymentRequest(numberToken, 1000).cardInfo, hash };
}

/**
 * Runs what somebody with the database in hand could do, on a token of ours; gives how a payment
 * with it is answered.
 */
async function tamper(text: string, more: unknown[] = []) {
  const { cardInfo, hash } = await cardOfToken();
  const alarms = () => service.log.filter((line) => /"level":"error".*does not open/.test(line)).length;
  const before = alarms();
  const changed = await setup.auditor.query(`${text} returning 1`, [hash, ...more]);
  assert.equal(changed.length, 1, 'the row was changed');
  const answer = await payWith(cardInfo);
  await until('the alarm is in the log', async () => alarms() > before);
  return answer;
}

const REFUSED = { status: 400, tag: 'cardInfo.numberToken' };

test('a sealed card number that was altered or moved pays nothing: it is answered as an unknown token, with an alarm', async () => {
  const [vaultId] = await fillVault(setup, tools, demo.merchantId, 1);
  const other = await cardOfToken();
  const mine = 'where token_hash = $1';
  for (const byte of [0, 11, 12, 20, 43])
    assert.deepEqual(
      await tamper(
        `update card_tokens set sealed_number = set_byte(sealed_number, ${byte}, get_byte(sealed_number, ${byte}) # 1) ${mine}`,
      ),
      REFUSED,
    );
  assert.deepEqual(await tamper(`update card_tokens set sealed_number = '' ${mine}`), REFUSED);
  const fromToken = '(select sealed_number from card_tokens where token_hash = $2)';
  assert.deepEqual(
    await tamper(`update card_tokens set sealed_number = ${fromToken} ${mine}`, [other.hash]),
    REFUSED,
    'the number of another token',
  );
  const fromVault = '(select sealed_number from vault_cards where vault_id = $2)';
  assert.deepEqual(
    await tamper(`update card_tokens set sealed_number = ${fromVault} ${mine}`, [vaultId]),
    REFUSED,
    'the number of a stored card',
  );
  for (const purpose of ['keyPair', 'fingerprint', 'audit'])
    assert.deepEqual(
      await tamper(
        `update card_tokens set data_key_id = (select data_key_id from data_keys where purpose = $2 and retired_at is null) ${mine}`,
        [purpose],
      ),
      REFUSED,
      `the key of ${purpose}`,
    );
  assert.equal((await payWith(other.cardInfo)).status, 200, 'what was not touched still pays');
  const metrics = await (await fetch(service.metricsUrl)).text();
  const counted = /^parcela_seal_alarms_total\{purpose="card"\} (\d+)$/m.exec(metrics)?.[1];
  assert.ok(Number(counted) >= 11, 'each alarm is counted for whoever watches the metrics');
  assert.match(metrics, /^parcela_data_key_age_seconds\{purpose="card"\} \d/m);
});

test('a public key put into the database by somebody else is never handed out', async () => {
  const url = service.gatewayUrl;
  const keyAt = async (at: string) => (await call(at, '/v1/cards/public-key', { token })).body.key;
  const keyInUse = () => keyAt(url);
  const before = await keyInUse();
  await setup.auditor.query(`update card_key_pairs set public_key = '\\x3082'`);
  const again = await setup.openService();
  assert.deepEqual(await keyAt(again.gatewayUrl), before);
  assert.deepEqual(await keyInUse(), before);
});

test('a token and a stored card moved to another merchant do not open there', async () => {
  await setup.auditor.query(
    `insert into merchants select (jsonb_populate_record(m, '{"merchant_id": "OUTRA"}')).* from merchants m
     where merchant_id = $1`,
    [demo.merchantId],
  );
  const theirs = await fillVault(setup, tools, 'OUTRA', 1);
  await setup.auditor.query(`update vault_cards set merchant_id = $1 where vault_id = $2`, [
    demo.merchantId,
    theirs[0],
  ]);
  assert.deepEqual(await payWith({ vaultId: theirs[0] }), { status: 400, tag: 'cardInfo.vaultId' });
  const [mine, swapped] = await fillVault(setup, tools, demo.merchantId, 2);
  await setup.auditor.query(
    `update vault_cards a set sealed_number = b.sealed_number from vault_cards b where a.vault_id = $1 and b.vault_id = $2`,
    [mine, swapped],
  );
  assert.deepEqual(await payWith({ vaultId: mine }), { status: 400, tag: 'cardInfo.vaultId' });
  assert.equal((await payWith({ vaultId: swapped })).status, 200);
});

test('rows that do not open are left where they are by a rotation, which says so and how many', async () => {
  const [broken, good] = await fillVault(setup, tools, demo.merchantId, 2);
  await setup.auditor.query('delete from card_tokens');
  await setup.auditor.query('delete from vault_cards where vault_id <> all($1::uuid[])', [[broken, good]]);
  await setup.auditor.query(`update vault_cards set sealed_number = '\\x00' where vault_id = $1`, [broken]);
  const { code, said } = await setup.parcela(['key', 'rotate', '--kind', 'card']);
  assert.equal(code, 1);
  assert.match(said, new RegExp(`vault card\\|${demo.merchantId}\\|${broken}.* does not open`));
  assert.match(said, /is in use, but 1 rows do not open.*Restore them from a backup, or delete them/s);
  assert.equal((await payWith({ vaultId: good })).status, 200);
  // They keep nobody from another key, and nothing else from being rotated.
  const again = await setup.parcela(['key', 'rotate', '--kind', 'all']);
  assert.equal(again.code, 1);
  assert.equal(again.said.match(/does not open/g)?.length, 1, 'each is named once');
  for (const kind of ['key-encryption', 'keyPair', 'secret', 'fingerprint', 'audit', 'rsa'])
    assert.match(again.said, new RegExp(`^${kind}: `, 'm'));
  const [key] = await setup.auditor.query(
    `select count(*)::int as keys from data_keys where purpose = 'card' and retired_at is not null`,
  );
  assert.ok((key?.keys as number) >= 2);
  await setup.auditor.query('delete from vault_cards where vault_id = $1', [broken]);
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'card'])).code, 0);
});

test('a private key that was altered does not stop a running service, and a new start names its table', async () => {
  await setup.auditor.query(
    `update card_key_pairs set sealed_private_key = set_byte(sealed_private_key, 99, get_byte(sealed_private_key, 99) # 1)`,
  );
  assert.equal(
    (await call(service.gatewayUrl, '/v1/cards/public-key', { token })).status,
    200,
    'what is open stays open',
  );
  const { code, said } = await setup.startInVain();
  assert.equal(code, 1);
  assert.match(said, /the RSA pair in use does not open: restore the table card_key_pairs/);
});

test('a stolen dump opens nothing: no bytes in it are a key of anything in it, and no card number stands in it', async () => {
  const [vaultId] = await fillVault(setup, tools, demo.merchantId, 1);
  const tables = await setup.auditor.query(
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  let dump = '';
  for (const { relname } of tables) {
    const rows = await setup.auditor.query(`select t::text as row from ${relname} t`);
    dump += rows.map(({ row }) => row).join('\n');
  }
  for (const text of [
    TEST_CARD,
    Buffer.from(TEST_CARD).toString('hex'),
    Buffer.from(TEST_CARD).toString('base64'),
  ])
    assert.ok(!dump.includes(text), 'no card number in clear');
  for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
    const hashed = createHash(algorithm).update(TEST_CARD).digest();
    assert.ok(!dump.includes(hashed.toString('hex')) && !dump.includes(hashed.toString('base64')), algorithm);
  }
  const [sealed] = await setup.auditor.query(
    'select sealed_number, data_key_id from vault_cards where vault_id = $1',
    [vaultId],
  );
  const context = `card|vault card|${demo.merchantId}|${vaultId}|${sealed?.data_key_id}`;
  const number = sealed?.sealed_number as Buffer;
  const opens = (key: Buffer) => {
    try {
      return openBytes(key, context, number).length > 0;
    } catch {
      return false;
    }
  };
  let tried = 0;
  const wrapped = await setup.auditor.query('select wrapped_key from data_keys');
  for (const { wrapped_key } of wrapped) {
    const bytes = wrapped_key as Buffer;
    for (let start = 0; start + 32 <= bytes.length; start += 1) {
      tried += 1;
      assert.ok(!opens(bytes.subarray(start, start + 32)));
    }
  }
  for (const [, hex] of dump.matchAll(/\\+x([0-9a-f]{64})(?![0-9a-f])/g)) {
    tried += 1;
    assert.ok(!opens(Buffer.from(hex as string, 'hex')));
  }
  assert.ok(tried > 100, `${tried} keys were tried`);
  const plain = await tools.keyring.open('card', `vault card|${demo.merchantId}|${vaultId}`, {
    dataKeyId: sealed?.data_key_id as number,
    bytes: number,
  });
  assert.equal(plain?.toString(), TEST_CARD, 'with the key-encryption key it opens');
});

test('a nonce never comes twice', async () => {
  const seen = new Set<string>();
  const count = Number(process.env.SEALS ?? 100_000);
  const plain = Buffer.from(TEST_CARD);
  for (let index = 0; index < count; index += 1)
    seen.add(tools.keyring.seal('card', 'record', plain).bytes.toString('latin1', 0, 12));
  assert.equal(seen.size, count);
});

test('prints of one card compare under each key that is not deleted, the one in use first', async () => {
  await tools.keyring.reload();
  const [before, ...older] = tools.keyring.fingerprints(TEST_CARD);
  assert.deepEqual(tools.keyring.fingerprint(TEST_CARD), before);
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'fingerprint'])).code, 0);
  await tools.keyring.reload();
  const now = tools.keyring.fingerprint(TEST_CARD);
  assert.notEqual(now.keyId, before?.keyId);
  assert.deepEqual(tools.keyring.fingerprints(TEST_CARD), [now, before, ...older]);
  await until('the service marks with the new key', async () => {
    assert.equal((await payWith((await cardOfToken()).cardInfo)).status, 200);
    const rows = await setup.auditor.query('select 1 from transactions where card_fingerprint = $1', [
      now.print,
    ]);
    return rows.length > 0;
  });
});

test('prints of what is kept for a day are under keys that were in use within it, and no others', async () => {
  const dayMilliseconds = 24 * 60 * 60 * 1_000;
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'fingerprint'])).code, 0);
  await tools.keyring.reload();
  const [now, before, ...older] = tools.keyring.fingerprints(TEST_CARD);
  assert.ok(before !== undefined);
  assert.deepEqual(tools.keyring.recentFingerprints(TEST_CARD, dayMilliseconds), [now, before, ...older]);
  const retiredAgo = async (interval: string) => {
    await setup.auditor.query(
      'update data_keys set retired_at = now() - $2::interval where data_key_id = $1',
      [before.keyId, interval],
    );
    await tools.keyring.reload();
    return tools.keyring.recentFingerprints(TEST_CARD, dayMilliseconds);
  };
  assert.deepEqual(await retiredAgo('25 hours'), [now, ...older]);
  assert.deepEqual(tools.keyring.fingerprints(TEST_CARD), [now, before, ...older], 'others still compare');
  assert.deepEqual(await retiredAgo('23 hours'), [now, before, ...older]);
});

test('a request that is repeated to a process that does not know of a rotation of keys is known there', async () => {
  await tools.keyring.reload();
  const stale = tools.keyring.fingerprint('').keyId;
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'fingerprint'])).code, 0);
  const { cardInfo } = await cardOfToken();
  const body = { ...paymentRequest('', 1000), cardInfo };
  let idempotency = { key: '', target: 'POST /v1/payments' };
  await until('the service prints with the new key', async () => {
    const key = randomUUID();
    idempotency = { ...idempotency, key };
    const fresh = { ...body, cardInfo: (await cardOfToken()).cardInfo };
    const headers = { 'idempotency-key': key };
    const reply = await call(service.gatewayUrl, '/v1/payments', { token, body: fresh, headers });
    assert.equal(reply.status, 200, reply.text);
    const [row] = await setup.auditor.query(
      'select max(body_fingerprint_key_id) as newest from idempotency_keys',
    );
    return (row?.newest as number) > stale;
  });
  assert.equal(tools.keyring.fingerprint('').keyId, stale, 'this keyring is the process that has not heard');
  const look = { findRequest: batchReads(requestsRead(tools.database)), keyring: tools.keyring };
  const request = identifyRequest(tools.keyring, demo.merchantId, { idempotency, body });
  assert.ok(request !== null);
  assert.equal((await findEarlierRequest(look, demo.merchantId, request))?.kind, 'same');
});
