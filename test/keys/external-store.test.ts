import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Demo } from '../../homologation/create-demo-merchant.ts';
import { openGuardedBridge } from '../guarded/guarded-bridge.ts';
import { call, logIn, pay, paymentRequest } from '../kit/merchant.ts';
import { cleanEnvironment, until } from '../kit/service.ts';
import { makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { type KeySetup, openKeySetup } from './key-setup.ts';

const DOUBLE = fileURLToPath(new URL('key-store-double.ts', import.meta.url));
const TOKEN = randomBytes(16).toString('hex');
const FIRST = `kms/1:${randomBytes(32).toString('hex')}`;
const SECOND = `kms/2:${randomBytes(32).toString('hex')}`;

type Double = { readonly process: ChildProcess; readonly port: string; kill(): Promise<void> };

let setup: KeySetup;
let double: Double;
let settings: Record<string, string>;

async function startDouble(keys: readonly string[], more: readonly string[] = []): Promise<Double> {
  const given = keys.flatMap((key) => ['--key', key]);
  const child = spawn(process.execPath, [DOUBLE, '--token', TOKEN, ...given, ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: cleanEnvironment({}),
  });
  const port = await new Promise<string>((received) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', received);
  });
  return {
    process: child,
    port,
    async kill() {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

before(async () => {
  setup = await openKeySetup();
  double = await startDouble([FIRST]);
  const tokenFile = join(setup.folder, 'token');
  await writeFile(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  settings = {
    PARCELA_KEY_STORE_URL: `http://127.0.0.1:${double.port}`,
    PARCELA_KEY_STORE_TOKEN_FILE: tokenFile,
    // With its own simulator the service makes the demo merchant by itself.
    PARCELA_ACQUIRER_URL: '',
  };
});
after(async () => {
  if (double.process.exitCode === null && double.process.signalCode === null) await double.kill();
  await setup.close();
});

test('with a key store beside it the service starts, pays and rotates; without it, it goes on and does not start again', async () => {
  const service = await setup.openService(settings);
  const demo = (await service.demo()) as Demo;
  const token = await logIn(service.gatewayUrl, demo.gateway);
  assert.equal((await pay(service.gatewayUrl, token, 1000)).reply.status, 200);
  const { cardInfo } = paymentRequest('', 1000);
  const stored = await call(service.gatewayUrl, '/v1/vaults/cards', {
    token,
    body: {
      ...cardInfo,
      numberToken: (
        await call(service.gatewayUrl, '/v1/cards/tokenization', {
          token,
          body: { cardNumber: '5155901222280001' },
        })
      ).body[0].numberToken,
      verifyCard: false,
    },
  });
  assert.equal(stored.status, 200, stored.text);

  await double.kill();
  double = await startDouble([FIRST, SECOND], ['--port', double.port]);
  const rotated = await setup.parcela(['key', 'rotate', '--kind', 'all', '--json'], settings);
  assert.equal(rotated.code, 0, rotated.said);
  assert.equal(JSON.parse(rotated.printed).rotated[0].keyId, 'kms/2');
  const wrappings = await setup.auditor.query('select distinct key_encryption_key_id as id from data_keys');
  assert.deepEqual(wrappings, [{ id: 'kms/2' }]);

  const body = { ...paymentRequest('', 1000), cardInfo: { vaultId: stored.body.vaultId } };
  await until('the service has the new keys', async () => {
    const early = await call(service.gatewayUrl, '/v1/payments', { token, body });
    assert.ok([200, 503].includes(early.status), early.text);
    return early.status === 200;
  });
  await double.kill();
  const later = await call(service.gatewayUrl, '/v1/payments', { token, body });
  assert.equal(later.status, 200, 'a running service has its data keys open');
  assert.equal((await pay(service.gatewayUrl, token, 1000)).reply.status, 200);
  await service.stop();
  const refused = await setup.startInVain(settings);
  assert.equal(refused.code, 1);
  assert.match(
    refused.said,
    new RegExp(`key store http://127.0.0.1:${double.port} gives no answer \\(ECONNREFUSED\\)`),
  );
});

test('a key store that refuses our token, forgets a key or answers nonsense is named, and no key is in what is said', async () => {
  const cases: [string, readonly string[], readonly string[], RegExp][] = [
    [
      'another token',
      [FIRST, SECOND],
      ['--token', 'other'],
      /refuses our token \(401\): see PARCELA_KEY_STORE_TOKEN_FILE/,
    ],
    [
      'a key is gone',
      [FIRST],
      [],
      /sealed under the key-encryption key kms\/2, which is not in the key store/,
    ],
    [
      'another key of that name',
      [FIRST, `kms/2:${'ab'.repeat(32)}`],
      [],
      /data key \d+ was altered, or was not wrapped by kms\/2/,
    ],
    ['no JSON', [FIRST, SECOND], ['--answer', 'garbage'], /gives no answer \(its answer was not JSON\)/],
    ['status 503', [FIRST, SECOND], ['--answer', 'error'], /gives no answer \(it answered 503\)/],
    ['too much', [FIRST, SECOND], ['--answer', 'long'], /gives no answer \(its answer was too long\)/],
  ];
  for (const [name, keys, more, sentence] of cases) {
    double = await startDouble(keys, more);
    const { code, said } = await setup.startInVain({
      ...settings,
      PARCELA_KEY_STORE_URL: `http://127.0.0.1:${double.port}`,
    });
    await double.kill();
    assert.equal(code, 1, name);
    assert.match(said, sentence, name);
    assert.doesNotMatch(said, new RegExp(TOKEN));
  }
});

test('a key store behind TLS is believed by its private authority, and is shown our certificate', async () => {
  const [authority, clients] = [makeAuthority(), makeAuthority()];
  const own = makeCertificate({ hosts: ['127.0.0.1'], issuer: authority });
  const shown = makeCertificate({ issuer: clients });
  double = await startDouble([FIRST, SECOND]);
  const guarded = await openGuardedBridge(`http://127.0.0.1:${double.port}`, own, clients);
  const put = async (name: string, content: string) => {
    await writeFile(join(setup.folder, name), content, { mode: 0o600 });
    return join(setup.folder, name);
  };
  const byTls = {
    ...settings,
    PARCELA_KEY_STORE_URL: guarded.url,
    PARCELA_KEY_STORE_CA_FILE: await put('store-ca.pem', authority.certificate),
    PARCELA_KEY_STORE_CERTIFICATE_FILE: await put('store.pem', shown.certificate),
    PARCELA_KEY_STORE_CERTIFICATE_KEY_FILE: await put('store-key.pem', shown.keyText),
  };
  try {
    const verified = await setup.parcela(['audit', 'verify'], byTls);
    assert.equal(verified.code, 0, verified.said);
    const bare = { PARCELA_KEY_STORE_CERTIFICATE_FILE: '', PARCELA_KEY_STORE_CERTIFICATE_KEY_FILE: '' };
    for (const change of [bare, { PARCELA_KEY_STORE_CA_FILE: '' }]) {
      const refused = await setup.parcela(['audit', 'verify'], { ...byTls, ...change });
      assert.equal(refused.code, 1);
      assert.match(refused.said, /key store https:.* gives no answer \(\w+\)/);
    }
  } finally {
    await guarded.close();
    await double.kill();
  }
});
