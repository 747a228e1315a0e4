import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { auditedKeyChanges } from '../../src/audit/audit-event.ts';
import { rotateKeyPair } from '../../src/cards/pairs/rotate-key-pair.ts';
import type { AuditedTools } from '../kit/keys.ts';
import { call, encryptCard, logIn, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { sliceOf } from '../kit/patience.ts';
import { SEED } from '../kit/seed.ts';
import { type OpenedService, type Service, until } from '../kit/service.ts';
import { fillVault, type KeySetup, openKeySetup, sealedRows } from './key-setup.ts';

let setup: KeySetup;
let demo: Demo;
let tools: AuditedTools;
/** The second one is a process of its own, which is killed. */
let services: [OpenedService, Service];
let tokens: string[];

before(async () => {
  setup = await openKeySetup();
  ({ demo, tools } = await setup.makeDemo());
  services = [await setup.openService(), await setup.startService()];
  tokens = await Promise.all(services.map((service) => logIn(service.gatewayUrl, demo.gateway)));
  await plantAuditor();
});
after(() => setup.close());

/** Writes down, at the commit of each sealed row, that its key was retired before. */
async function plantAuditor(): Promise<void> {
  await setup.auditor.query(`
    create table late_seals (table_name text, data_key_id integer);
    create function find_late_seal() returns trigger language plpgsql security definer as $$ begin
      insert into late_seals select tg_table_name, data_key_id from data_keys
      where data_key_id = new.data_key_id and retired_at is not null;
      return null;
    end $$`);
  for (const table of ['card_tokens', 'vault_cards', 'card_key_pairs']) {
    await setup.auditor.query(
      `create constraint trigger find_late_seal after insert or update of data_key_id on ${table}
       deferrable initially deferred for each row execute function find_late_seal()`,
    );
  }
}

/** Of each way, at each process. */
const CALLERS = sliceOf(2, 1);
/** Between the payments of a caller, so that they do not take all of the machine; none in the proof. */
const PAUSE_MILLISECONDS = CALLERS === 1 ? 25 : 0;

type Refused = { readonly by: string; readonly status: number; readonly text: string };
type Load = { isOver: boolean; paid: Record<string, number>; refused: Refused[] };

function startLoad(vaultIds: readonly string[]): { load: Load; ended: Promise<unknown> } {
  const load: Load = { isOver: false, paid: {}, refused: [] };
  const ways = { byToken, byEncryptedCard, byStoredCard: byStoredCard(vaultIds), byNewStoredCard };
  const callers = services.flatMap((service, index) =>
    Object.entries(ways).flatMap(([name, cardOf]) =>
      Array.from({ length: CALLERS }, () =>
        payUntilOver(load, name, service.gatewayUrl, tokens[index] as string, cardOf),
      ),
    ),
  );
  return { load, ended: Promise.all(callers) };
}

type CardOf = (url: string, token: string) => Promise<Record<string, unknown>>;

async function payUntilOver(load: Load, name: string, url: string, token: string, cardOf: CardOf) {
  while (!load.isOver) {
    try {
      const cardInfo = await cardOf(url, token);
      const body = { ...paymentRequest('', 1000), cardInfo };
      const reply = await call(url, '/v1/payments', { token, body });
      if (reply.status === 200) load.paid[name] = (load.paid[name] ?? 0) + 1;
      else load.refused.push({ by: name, status: reply.status, text: reply.text });
      await pause(PAUSE_MILLISECONDS);
    } catch (error) {
      load.refused.push({ by: name, status: 0, text: String(error) });
    }
  }
}

const byToken: CardOf = async (url, token) => {
  const { cardInfo } = paymentRequest(await tokenize(url, token), 1000);
  return cardInfo;
};

const byEncryptedCard: CardOf = async (url, token) => {
  const { body } = await call(url, '/v1/cards/public-key', { token });
  return encryptedCardInfo(body.key);
};

async function encryptedCardInfo(publicKey: string): Promise<Record<string, unknown>> {
  const { merchantId } = demo;
  const inside = {
    cardNumber: TEST_CARD,
    merchantId,
    createdAt: new Date().toISOString(),
    nonce: randomUUID(),
  };
  const { numberToken: _, ...cardInfo } = paymentRequest('', 1000).cardInfo;
  return { ...cardInfo, encryptedCard: await encryptCard(publicKey, inside) };
}

function byStoredCard(vaultIds: readonly string[]): CardOf {
  let next = 0;
  return async () => {
    next += 1;
    return { vaultId: vaultIds[next % vaultIds.length] };
  };
}

const byNewStoredCard: CardOf = async (url, token) => {
  const { cardInfo } = paymentRequest(await tokenize(url, token), 1000);
  const body = { ...cardInfo, verifyCard: false };
  const stored = await call(url, '/v1/vaults/cards', { token, body });
  if (stored.status !== 200) throw new Error(`storing answered ${stored.status}: ${stored.text}`);
  return { vaultId: stored.body.vaultId };
};

test('all keys are rotated twice under load: no payment fails and nothing stays under an old key', async (context) => {
  const vaultIds = await fillVault(setup, tools, demo.merchantId, sliceOf(2_000, 200));
  const { load, ended } = startLoad(vaultIds);
  for (let round = 0; round < 2; round += 1) {
    const { code, said } = await setup.parcela(['key', 'rotate', '--kind', 'all']);
    assert.equal(code, 0, said);
    assert.equal((await sealedRows(setup.auditor)).underRetired, 0);
  }
  load.isOver = true;
  await ended;
  context.diagnostic(JSON.stringify(load.paid));
  assert.deepEqual(load.refused, []);
  for (const way of ['byToken', 'byEncryptedCard', 'byStoredCard', 'byNewStoredCard'])
    assert.ok((load.paid[way] ?? 0) > 0, `${way} was paid`);
  assert.deepEqual(await setup.auditor.query('select * from late_seals'), []);
  const inUse = await setup.auditor.query(
    `select purpose, count(*)::int as made, count(*) filter (where retired_at is null)::int as in_use,
       count(distinct key_encryption_key_id)::int as wrapped_by from data_keys group by purpose order by purpose`,
  );
  for (const { purpose, ...row } of inUse)
    assert.deepEqual(
      [row.made, row.in_use, row.wrapped_by],
      [purpose === 'id' ? 1 : 3, 1, 1],
      `${purpose}: the key of ids is wrapped anew, and never another`,
    );
  const reported = await setup.auditor.query(
    `select count(*)::int as entries from audit_entries where action = 'key.rotate' and resource like 'keys/card/%'`,
  );
  assert.ok((reported[0]?.entries as number) >= 2, 'the audit log tells of each rotation');
});

test('a rotation waits for a card that is being written, and the next card is written under the new key', async () => {
  const writer = new pg.Client(setup.database.runtime);
  await writer.connect();
  await tools.keyring.reload();
  const vaultId = randomUUID();
  const record = `vault card|${demo.merchantId}|${vaultId}`;
  const { dataKeyId, bytes } = tools.keyring.seal('card', record, Buffer.from(TEST_CARD));
  await writer.query('begin');
  await writer.query(
    `insert into vault_cards (merchant_id, vault_id, sealed_number, data_key_id, brand, first_six, last_four,
       expiration_month, expiration_year, holder_name, created_by)
     values ($1, $2, $3, $4, 'mastercard', '515590', '0001', '12', '39', 'ANA SOUZA', 'test')`,
    [demo.merchantId, vaultId, bytes, dataKeyId],
  );
  const ended = setup.parcela(['key', 'rotate', '--kind', 'card']);
  const isWaiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table%'
    and datname = current_database()`;
  await until('the rotation waits', async () => (await setup.auditor.query(isWaiting)).length > 0);
  await writer.query('commit');
  await writer.end();
  const { code, said } = await ended;
  assert.equal(code, 0, said);
  assert.deepEqual(await setup.auditor.query('select * from late_seals'), []);
  const [row] = await setup.auditor.query('select data_key_id from vault_cards where vault_id = $1', [
    vaultId,
  ]);
  assert.ok((row?.data_key_id as number) > dataKeyId, 'it is sealed again under the new key');
});

test('two operators who rotate at once both come through', async () => {
  const rotate = () => setup.runParcela(['key', 'rotate', '--kind', 'all']).ended;
  for (const { code, said } of await Promise.all([rotate(), rotate()])) assert.equal(code, 0, said);
  assert.equal((await sealedRows(setup.auditor)).underRetired, 0);
  const inUse = await setup.auditor.query(
    `select count(*)::int as keys, count(distinct key_encryption_key_id)::int as wrapped_by
     from data_keys where retired_at is null`,
  );
  assert.deepEqual(inUse, [{ keys: 6, wrapped_by: 1 }]);
});

test('a new public key is handed out by every process, and what was encrypted for the old one still pays', async () => {
  const urls = services.map((service) => service.gatewayUrl);
  const keyOf = async (index: number) =>
    (await call(urls[index] as string, '/v1/cards/public-key', { token: tokens[index] as string })).body;
  const newest = async () =>
    (await setup.auditor.query('select key_id from card_key_pairs where retired_at is null'))[0]?.key_id;
  const areServing = (keyId: unknown) => async () =>
    (await Promise.all([keyOf(0), keyOf(1)])).every((served) => served.keyId === keyId);
  await until('the tests before are caught up with', areServing(await newest()));
  const old = await keyOf(0);
  const { cardInfo } = { cardInfo: await byEncryptedCard(urls[0] as string, tokens[0] as string) };
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'rsa'])).code, 0);
  assert.notEqual(await newest(), old.keyId);
  await until('the new key is served', areServing(await newest()));
  const [first, second] = await Promise.all([keyOf(0), keyOf(1)]);
  assert.deepEqual([first.keyId, first.key], [second.keyId, second.key]);
  const body = { ...paymentRequest('', 1000), cardInfo };
  const reply = await call(urls[1] as string, '/v1/payments', { token: tokens[1] as string, body });
  assert.equal(reply.status, 200, reply.text);
  await setup.auditor.query(
    `update card_key_pairs set retired_at = now() - interval '49 hours' where key_id = $1`,
    [old.keyId],
  );
  const service = await setup.openService();
  await until(
    'the old pair is gone',
    async () =>
      (await setup.auditor.query('select 1 from card_key_pairs where key_id = $1', [old.keyId])).length === 0,
  );
  await service.stop();
});

test('a card encrypted for a pair that a process has not seen yet opens there at once', async () => {
  const commitChange = auditedKeyChanges(tools.audit, tools.operator);
  for (let round = 0; round < 3; round += 1) {
    const rotated = await rotateKeyPair({ ...tools, commitChange });
    assert.ok(typeof rotated !== 'string');
    const [pair] = await setup.auditor.query(
      "select encode(public_key, 'base64') as public_key from card_key_pairs where key_id = $1",
      [rotated.keyId],
    );
    const publicKey = String(pair?.public_key).replaceAll('\n', '');
    const paying = services.map(async (service, index) => {
      const body = { ...paymentRequest('', 1000), cardInfo: await encryptedCardInfo(publicKey) };
      return call(service.gatewayUrl, '/v1/payments', { token: tokens[index] as string, body });
    });
    for (const reply of await Promise.all(paying)) assert.equal(reply.status, 200, reply.text);
    // The day of the retired pair is over: eight of them together would be one too many.
    await setup.auditor.query('delete from card_key_pairs where key_id = $1', [rotated.retired]);
  }
});

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

test('a rotation that is killed anywhere is finished by the next, and by the service alone', async (context) => {
  context.diagnostic(`SEED=${SEED}`);
  const chance = random(SEED);
  await tools.keyring.reload();
  const vaultIds = await fillVault(setup, tools, demo.merchantId, sliceOf(3_000, 600));
  const killed = { before: 0, within: 0 };
  for (const kind of ['all', 'card', 'key-encryption', 'all'].slice(0, sliceOf(4, 1))) {
    const running = setup.runParcela(['key', 'rotate', '--kind', kind]);
    const said = new Promise((received) => running.child.stderr?.once('data', received));
    // Half of them from the start of the program on, half from the moment in which a new key is in use.
    const isLate = chance() < 0.5;
    if (isLate && kind !== 'key-encryption') await Promise.race([said, running.ended]);
    await new Promise((wake) => setTimeout(wake, isLate ? chance() * 60 : 300 + chance() * 500));
    running.child.kill('SIGKILL');
    await running.ended;
    killed[(await sealedRows(setup.auditor)).underRetired > 0 ? 'within' : 'before'] += 1;
    if (chance() < 0.5) await services[1].kill();
    if (services[1].process.signalCode !== null) services[1] = await setup.startService();
  }
  context.diagnostic(JSON.stringify(killed));
  await until('the service has finished what was begun', async () => {
    const { underRetired } = await sealedRows(setup.auditor);
    return underRetired === 0;
  });
  const { code, said } = await setup.parcela(['key', 'rotate', '--kind', 'all']);
  assert.equal(code, 0, said);
  assert.equal((await sealedRows(setup.auditor)).underRetired, 0);
  const wrappings = await setup.auditor.query('select distinct key_encryption_key_id from data_keys');
  assert.equal(wrappings.length, 1, 'one key wraps them all');
  const token = await logIn(services[1].gatewayUrl, demo.gateway);
  for (const vaultId of vaultIds.filter((_, index) => index % 100 === 0)) {
    const body = { ...paymentRequest('', 1000), cardInfo: { vaultId } };
    const reply = await call(services[1].gatewayUrl, '/v1/payments', { token, body });
    assert.equal(reply.status, 200, reply.text);
  }
  assert.deepEqual(await setup.auditor.query('select * from late_seals'), []);
});

test('a retired key that no row names is deleted after an hour, and one that rows name is not', async () => {
  await setup.parcela(['key', 'rotate', '--kind', 'card']);
  const retired = await setup.auditor.query(
    `update data_keys set retired_at = now() - interval '61 minutes'
     where purpose in ('card', 'audit') and retired_at is not null returning purpose, data_key_id`,
  );
  const oldest = retired.find((row) => row.purpose === 'card')?.data_key_id;
  // A row that nobody can open stays under its key, and keeps it.
  await setup.auditor.query(
    `insert into card_tokens (merchant_id, token_hash, sealed_number, data_key_id, expires_at, source_hash, source_expires_at)
     values ('X', '\\x01', '\\x02', $1, now() + interval '1 hour', '\\x01', now())`,
    [oldest],
  );
  const service = await setup.openService();
  const left = await until('only keys that are named are left', async () => {
    const rows = await setup.auditor.query(
      `select data_key_id from data_keys where purpose = 'card' and retired_at is not null`,
    );
    return rows.length === 1 ? rows : null;
  });
  assert.equal(left[0]?.data_key_id, oldest);
  const audits = await setup.auditor.query(
    `select 1 from data_keys where purpose = 'audit' and retired_at is not null`,
  );
  assert.equal(audits.length, retired.filter((row) => row.purpose === 'audit').length);
  await until('the log names the row', async () =>
    service.log.some((line) => line.includes('does not open')),
  );
  await service.stop();
});
