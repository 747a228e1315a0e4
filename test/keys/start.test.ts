import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { logIn, pay } from '../kit/merchant.ts';
import { type KeySetup, openKeySetup } from './key-setup.ts';

let setup: KeySetup;
/** One with an empty database. */
let empty: KeySetup;

before(async () => {
  [setup, empty] = await Promise.all([openKeySetup(), openKeySetup()]);
  await setup.makeDemo();
});
after(async () => {
  await setup.close();
  await empty.close();
});

async function refuses(sentence: RegExp, change: Record<string, string> = {}, where = setup): Promise<void> {
  const { code, said } = await where.startInVain(change);
  assert.equal(code, 1, said);
  assert.match(said, /Parcela does not start/);
  assert.match(said, sentence);
}

/** Puts something else in the place of the key file for as long as `use` takes. */
async function withKeyFile(content: string | null, use: () => Promise<void>): Promise<void> {
  await rename(setup.keyFile, `${setup.keyFile}.kept`);
  if (content !== null) await writeFile(setup.keyFile, content, { mode: 0o600 });
  await use().finally(() => rename(`${setup.keyFile}.kept`, setup.keyFile));
}

test('without the key file of a database that has keys nothing starts, and no new file is made', async () => {
  await withKeyFile(null, async () => {
    await refuses(/no key file .*, and this database was sealed under [0-9a-f]{16}: put back a copy/s);
    await assert.rejects(stat(setup.keyFile), /ENOENT/);
    const created = await setup.parcela(['key', 'create']);
    assert.equal(created.code, 1);
    assert.match(created.said, /sealed under [0-9a-f]{16}: put back a copy/);
    await assert.rejects(stat(setup.keyFile), /ENOENT/);
  });
});

test('a key file of another installation, of the other environment, torn or readable by others is refused', async () => {
  const whole = await readFile(setup.keyFile, 'utf8');
  const json = JSON.parse(whole);
  const key = randomBytes(32).toString('base64');
  await withKeyFile(JSON.stringify({ environment: 'homologation', key }), () =>
    refuses(/sealed under the key-encryption key [0-9a-f]{16}, which is not in the key file .*put back/s),
  );
  await withKeyFile(JSON.stringify({ ...json, environment: 'production' }), () =>
    refuses(/belongs to production, this is homologation/),
  );
  const damaged = [whole.slice(0, whole.length / 2), ''];
  for (const content of damaged) await withKeyFile(content, () => refuses(/is damaged: put back a copy/));
  await chmod(setup.keyFile, 0o640);
  await refuses(/can be read by others: run chmod 600/);
  await chmod(setup.keyFile, 0o600);
});

test('altered data keys, and data keys of the other environment, are refused by their number', async () => {
  const alter = (text: string) => setup.auditor.query(text);
  await alter(
    `update data_keys set wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1) where purpose = 'card'`,
  );
  await refuses(/data key \d+ was altered.*restore the table data_keys/s);
  await alter(
    `update data_keys set wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1) where purpose = 'card'`,
  );
  await alter(`update data_keys set environment = 'production'`);
  await refuses(/the keys in this database belong to production, this is homologation/);
  await alter(`update data_keys set environment = 'homologation'`);
  const swap = `update data_keys a set wrapped_key = b.wrapped_key from data_keys b
    where (a.purpose, b.purpose) in (('card', 'keyPair'), ('keyPair', 'card'))`;
  await alter(swap);
  await refuses(/data key \d+ was altered/);
  await alter(swap);
});

test('two key stores at once, and settings that belong to another, are refused by name', async () => {
  const key = randomBytes(32).toString('base64');
  const torn = key.slice(0, 40);
  const { code, said } = await setup.startInVain({
    PARCELA_KEY_FILE: '/x',
    PARCELA_KEY: torn,
    PARCELA_KEY_STORE_TOKEN_FILE: '/x',
  });
  assert.equal(code, 1);
  assert.match(said, /PARCELA_KEY_FILE, PARCELA_KEY: only one key store can be set/);
  assert.match(said, /PARCELA_KEY: must be 32 bytes in base64/);
  assert.match(said, /PARCELA_KEY_STORE_TOKEN_FILE: has no effect without PARCELA_KEY_STORE_URL/);
  assert.ok(!said.includes(torn), 'a key is not repeated');
  const other = await setup.startInVain({
    PARCELA_KEY_FORMER: key,
    PARCELA_KEY_STORE_URL: 'http://keys.example',
  });
  assert.equal(other.code, 1);
  assert.match(other.said, /PARCELA_KEY_FORMER: has no effect without PARCELA_KEY/);
  assert.match(other.said, /PARCELA_KEY_STORE_URL: must start with https/);
  assert.ok(!other.said.includes(key));
});

test('a key file of the first format still opens, and keeps its key beside new ones', async () => {
  const json = JSON.parse(await readFile(setup.keyFile, 'utf8'));
  await writeFile(setup.keyFile, JSON.stringify({ environment: json.environment, key: json.keys[0].key }), {
    mode: 0o600,
  });
  const { code, said } = await setup.parcela(['key', 'rotate', '--kind', 'key-encryption']);
  assert.equal(code, 0, said);
  const after = JSON.parse(await readFile(setup.keyFile, 'utf8'));
  assert.equal(after.keys.length, 2);
  assert.equal(after.keys[0].key, json.keys[0].key);
  assert.equal((await stat(setup.keyFile)).mode & 0o777, 0o600);
});

test('a key that is prepared waits for the rotation; a former one is forgotten once it wraps nothing', async () => {
  const status = async () => {
    const { printed } = await setup.parcela(['key', 'status', '--json']);
    const items = JSON.parse(printed).items as {
      keyId: string;
      purpose: string;
      state: string;
      rows: number;
    }[];
    return items.filter(({ purpose }) => purpose === 'key-encryption');
  };
  const made = await setup.parcela(['key', 'create', '--json']);
  assert.equal(made.code, 0, made.said);
  const { keyId } = JSON.parse(made.printed);
  assert.deepEqual(
    (await status()).map(({ state }) => state),
    ['former', 'in use', 'prepared'],
  );
  const [former, inUse] = await status();
  const forget = (id: string) => setup.parcela(['key', 'forget', '--key-id', id]);
  assert.match((await forget(inUse?.keyId ?? '')).said, /is the key that wraps now/);
  assert.match((await forget('nothing')).said, /is no key of the key file/);
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'key-encryption'])).code, 0);
  assert.equal((await status()).find((key) => key.state === 'in use')?.keyId, keyId);
  for (const old of [former, inUse]) assert.equal((await forget(old?.keyId ?? '')).code, 0);
  assert.deepEqual(
    (await status()).map(({ keyId: id }) => id),
    [keyId],
  );
  const reported = await setup.auditor.query(
    `select resource from audit_entries where action = 'key.delete' order by entry_number`,
  );
  assert.deepEqual(
    reported.map(({ resource }) => resource),
    [former, inUse].map((key) => `keys/key-encryption/${key?.keyId}`),
  );
});

test('keys older than a year are named by the status', async () => {
  await setup.auditor.query(
    `update data_keys set created_at = now() - interval '366 days' where purpose = 'card' and retired_at is null`,
  );
  const { printed } = await setup.parcela(['key', 'status']);
  assert.match(printed, /Warning: the card key \d+ is older than a year/);
  assert.doesNotMatch(printed, /Warning: the audit key/);
});

test('production makes no key file by itself: the operator does, and then it starts', async () => {
  const bridge = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{ "protocol": 1, "simulator": false }'),
  );
  await new Promise<void>((done) => bridge.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`;
  const production = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_TRUSTED_PROXIES: 'none',
    PARCELA_ACQUIRER_URL: url,
  };
  await refuses(/no key file .*: run parcela key create/s, production, empty);
  const made = await empty.parcela(['key', 'create'], production);
  assert.equal(made.code, 0, made.said);
  assert.equal((await stat(empty.keyFile)).mode & 0o777, 0o600);
  const reported = await empty.auditor.query(
    `select resource from audit_entries where action = 'key.create' order by entry_number`,
  );
  assert.deepEqual(
    reported.slice(0, 6).map(({ resource }) => resource),
    ['keys/card/1', 'keys/keyPair/2', 'keys/fingerprint/3', 'keys/audit/4', 'keys/secret/5', 'keys/id/6'],
  );
  const [, , keyId] = String(reported[6]?.resource).split('/');
  assert.match(made.printed, new RegExp(`the key-encryption key ${keyId} in `));
  const service = await empty.startService(production);
  assert.match(service.said.join('\n'), /Parcela is ready \(production\)/);
  await service.stop();
  bridge.close();
  await refuses(/belongs to production, this is homologation/, {}, empty);
});

test('keys from the environment: a payment, a rotation with the former key beside, and no trace in children', async () => {
  const printed = await empty.parcela(['key', 'create', '--for', 'environment', '--json']);
  const first = JSON.parse(printed.printed).key as string;
  const second = randomBytes(32).toString('base64');
  const other = await openKeySetup();
  try {
    const old = { PARCELA_KEY: first, PARCELA_ACQUIRER_URL: '' };
    const service = await other.startService(old);
    const token = await logIn(service.gatewayUrl, (await service.demo()).gateway);
    assert.equal((await pay(service.gatewayUrl, token, 1000)).reply.status, 200);
    assert.deepEqual(await childrenWith(service.process.pid as number, first), []);
    await service.stop();
    await refuses(/not in PARCELA_KEY: put back/, { PARCELA_KEY: second }, other);
    const both = { ...old, PARCELA_KEY: second, PARCELA_KEY_FORMER: first };
    const { code, said, printed: rotated } = await other.parcela(['key', 'rotate', '--kind', 'all'], both);
    assert.equal(code, 0, said);
    assert.match(
      rotated,
      /^key-encryption: \d+ data keys are wrapped by \w+ now\.$/m,
      'no earlier one had begun',
    );
    const again = await other.openService({ ...old, PARCELA_KEY: second });
    const login = await logIn(again.gatewayUrl, (await again.demo()).gateway);
    assert.equal((await pay(again.gatewayUrl, login, 1000)).reply.status, 200);
    await again.stop();
    await assert.rejects(stat(dirname(other.keyFile)), /ENOENT/);
  } finally {
    await other.close();
  }
});

/** The children of a process that have a text in their environment; there are some. */
async function childrenWith(parent: number, text: string): Promise<string[]> {
  const found: string[] = [];
  let children = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(join('/proc', name, 'status'), 'utf8').catch(() => '');
    if (!new RegExp(`^PPid:\\s+${parent}$`, 'm').test(status)) continue;
    children += 1;
    const environment = await readFile(join('/proc', name, 'environ'), 'utf8').catch(() => '');
    if (environment.includes(text)) found.push(name);
  }
  assert.ok(children > 0, 'the simulator is a child');
  return found;
}

test('a data key in the place of another, a retired one too, is refused by its number', async () => {
  assert.equal((await setup.parcela(['key', 'rotate', '--kind', 'card'])).code, 0);
  const [inUse] = await setup.auditor.query(
    `update data_keys k set wrapped_key = old.wrapped_key from data_keys old, data_keys kept
     where k.purpose = 'card' and k.retired_at is null and old.purpose = 'card' and old.retired_at is not null
       and kept.data_key_id = k.data_key_id
     returning k.data_key_id, kept.wrapped_key`,
  );
  assert.ok(inUse !== undefined);
  await refuses(new RegExp(`data key ${inUse.data_key_id} was altered`));
  await setup.auditor.query('update data_keys set wrapped_key = $2 where data_key_id = $1', [
    inUse.data_key_id,
    inUse.wrapped_key,
  ]);
});
