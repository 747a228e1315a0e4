import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';
import { logIn, pay } from '../kit/merchant.ts';
import { type Service, until } from '../kit/service.ts';
import { type Certified, makeAuthority, makeCertificate } from '../webhooks/certificates.ts';
import { type GuardedBridge, openGuardedBridge } from './guarded-bridge.ts';

const authority = makeAuthority();
const clientAuthority = makeAuthority();
const first = makeCertificate({ issuer: clientAuthority });
const second = makeCertificate({ issuer: clientAuthority });
let setup: KeySetup;
let bridge: GuardedBridge;
let service: Service;
let token: string;
let userName: string;
let settings: Record<string, string>;

const fileOf = (name: string) => join(setup.folder, name);
const serialOf = ({ certificate }: Certified) => new X509Certificate(certificate).serialNumber;

/** As programs that renew secrets do it: another file takes the name. */
async function put(name: string, content: string): Promise<string> {
  await writeFile(`${fileOf(name)}.new`, content, { mode: 0o600 });
  await rename(`${fileOf(name)}.new`, fileOf(name));
  return fileOf(name);
}

before(async () => {
  setup = await openKeySetup();
  const own = makeCertificate({ hosts: ['127.0.0.1'], issuer: authority });
  bridge = await openGuardedBridge(setup.settings.PARCELA_ACQUIRER_URL as string, own, clientAuthority);
  settings = {
    PARCELA_ACQUIRER_URL: bridge.url,
    PARCELA_ACQUIRER_CA_FILE: await put('authority.pem', authority.certificate),
    PARCELA_ACQUIRER_CERTIFICATE_FILE: await put('client.pem', first.certificate),
    PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE: await put('client-key.pem', first.keyText),
    PARCELA_ACQUIRER_TOKEN_FILE: await put('token', 'token-one\n'),
  };
});
after(async () => {
  await bridge.close();
  await setup.close();
});

test('the acquirer is shown our certificate and token, and believed by its private authority alone', async () => {
  bridge.letIn('token-one');
  service = await setup.startService(settings);
  const { demo } = await setup.makeDemo();
  userName = demo.gateway.userName;
  token = await logIn(service.gatewayUrl, demo.gateway);
  const { reply } = await pay(service.gatewayUrl, token, 1000);
  assert.equal(reply.status, 200, reply.text);
  const paths = bridge.visits.map(({ path }) => path);
  assert.ok(paths.includes('/about') && paths.includes('/authorizations'), paths.join());
  for (const visit of bridge.visits) {
    assert.equal(visit.serialNumber, serialOf(first), visit.path);
    assert.equal(visit.authorization, 'Bearer token-one', visit.path);
  }
});

test('the line of a request names the credential, and never its token', async () => {
  const lines = await until('the request is in the log', async () => {
    const found = service.log.filter((line) => line.includes('"route":"/v1/payments"'));
    return found.length > 0 && found;
  });
  for (const line of lines) assert.equal(JSON.parse(line).userName, userName);
  assert.ok(!service.log.some((line) => line.includes(token)));
});

test('a renewed certificate and token are taken up by the running service', async () => {
  await put('client-key.pem', second.keyText);
  await until('the halves that do not fit are told of', async () =>
    service.log.some((line) => /channel to the acquirer are no good/.test(line)),
  );
  assert.equal((await pay(service.gatewayUrl, token, 1000)).reply.status, 200, 'the former pair goes on');
  await put('client.pem', second.certificate);
  await put('token', 'token-two');
  await until('the new token is sent', async () => {
    await pay(service.gatewayUrl, token, 1000);
    return bridge.visits.at(-1)?.authorization === 'Bearer token-two';
  });
  bridge.letIn('token-two');
  assert.equal((await pay(service.gatewayUrl, token, 1000)).reply.status, 200);
  // Many at once need connections that were not there before.
  await until('a new connection shows the new certificate', async () => {
    await Promise.all(Array.from({ length: 12 }, () => pay(service.gatewayUrl, token, 1000)));
    return bridge.visits.some(({ serialNumber }) => serialNumber === serialOf(second));
  });
  const said = [...service.log, ...service.said].join('\n');
  assert.doesNotMatch(said, /token-one|token-two|BEGIN/);
  await service.stop();
});

test('the command line asks the acquirer over the same channel', async () => {
  bridge.visits.length = 0;
  const { ended } = setup.runParcela(['resolve', 'show', crypto.randomUUID()], settings);
  assert.match((await ended).said, /no such charge, cancel or capture/);
  const listed = await setup.parcela(['resolve', 'list'], settings);
  assert.equal(listed.code, 0, listed.said);
});

test('an acquirer of another authority, or that does not take what we show, is said with its reason', async () => {
  const production = { ...settings, PARCELA_ENVIRONMENT: 'production', PARCELA_TRUSTED_PROXIES: 'none' };
  const cases: [string, Record<string, string>, RegExp][] = [
    ['a public authority', { PARCELA_ACQUIRER_CA_FILE: '' }, /does not answer \/about \(\w+\)/],
    [
      'another authority',
      { PARCELA_ACQUIRER_CA_FILE: await put('other.pem', makeAuthority().certificate) },
      /does not answer \/about \(\w+\)/,
    ],
    [
      'another token',
      { PARCELA_ACQUIRER_TOKEN_FILE: await put('old', 'other') },
      /\/about \(it answered 401\)/,
    ],
    [
      'no file',
      { PARCELA_ACQUIRER_TOKEN_FILE: fileOf('none') },
      /PARCELA_ACQUIRER_TOKEN_FILE: .* cannot be read/,
    ],
    [
      'no token',
      { PARCELA_ACQUIRER_TOKEN_FILE: await put('empty', ' \n') },
      /_TOKEN_FILE: .* holds no token/,
    ],
    [
      'no certificate',
      { PARCELA_ACQUIRER_CA_FILE: await put('garbage.pem', 'garbage') },
      /_CA_FILE: .* holds no certificates in PEM/,
    ],
    [
      'the key of another',
      { PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE: await put('first-key.pem', first.keyText) },
      /_CERTIFICATE_KEY_FILE: .* is not the private key of the certificate/,
    ],
  ];
  for (const [name, change, sentence] of cases) {
    const { code, said } = await setup.startInVain({ ...production, ...change });
    assert.equal(code, 1, `${name}: ${said}`);
    assert.match(said, sentence);
    assert.doesNotMatch(said, / at .*\.ts:/, `${name}: a sentence, not a stack`);
  }
});
