import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { programOf } from '../../src/platform/home.ts';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';

const ELSEWHERE = 'postgres://parcela:geheim@db.example/parcela';
let setup: KeySetup;
let production: Record<string, string>;

before(async () => {
  setup = await openKeySetup();
  production = {
    PARCELA_ENVIRONMENT: 'production',
    PARCELA_TRUSTED_PROXIES: 'none',
    PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
  };
});
after(() => setup.close());

async function file(name: string, content: string, mode = 0o600): Promise<string> {
  const path = join(setup.folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

/** Says all of what a start of production refuses, and must not repeat what is secret. */
async function refused(change: Record<string, string>): Promise<string> {
  const { code, said } = await setup.startInVain({ ...production, ...change });
  assert.equal(code, 1, said);
  assert.doesNotMatch(said, /geheim/);
  return said;
}

test('production proves to an acquirer and a key store on other machines who asks', async () => {
  const bridge = { PARCELA_ACQUIRER_URL: 'https://bridge.example' };
  assert.match(await refused(bridge), /PARCELA_ACQUIRER_URL: nothing proves to bridge\.example who asks/);
  const token = { PARCELA_ACQUIRER_TOKEN_FILE: await file('token', 'geheim') };
  for (const proof of [token, { PARCELA_UNGUARDED_CHANNELS: 'acquirer' }])
    assert.doesNotMatch(await refused({ ...bridge, ...proof, DATABASE_URL: '' }), /nothing proves/);
  const store = { PARCELA_KEY_STORE_URL: 'https://keys.example/v/' };
  assert.match(await refused(store), /PARCELA_KEY_STORE_URL: nothing proves to keys\.example who asks/);
  const unguarded = { ...store, PARCELA_UNGUARDED_CHANNELS: 'acquirer, keyStore', DATABASE_URL: '' };
  assert.doesNotMatch(await refused(unguarded), /nothing proves/);
  assert.match(await refused({ PARCELA_UNGUARDED_CHANNELS: 'mail' }), /PARCELA_UNGUARDED_CHANNELS: .*"mail"/);
});

test('a collector of traces is reached as every channel, and what is set for traces must make sense', async () => {
  const collector = { PARCELA_OTLP_URL: 'https://traces.example/otlp/' };
  assert.match(await refused(collector), /PARCELA_OTLP_URL: nothing proves to traces\.example who asks/);
  const token = { PARCELA_OTLP_TOKEN_FILE: await file('otlp-token', 'geheim') };
  for (const proof of [token, { PARCELA_UNGUARDED_CHANNELS: 'otlp' }])
    assert.doesNotMatch(await refused({ ...collector, ...proof, DATABASE_URL: '' }), /PARCELA_OTLP/);
  const clear = { PARCELA_OTLP_URL: 'http://traces.example', PARCELA_UNGUARDED_CHANNELS: 'otlp' };
  assert.match(await refused(clear), /PARCELA_OTLP_URL: must start with https.*ids of payments/);
  assert.match(await refused(token), /PARCELA_OTLP_TOKEN_FILE: has no effect without PARCELA_OTLP_URL/);
  for (const ratio of ['2', '-1', '.5', '1e-3', 'all'])
    assert.match(await refused({ PARCELA_TRACE_RATIO: ratio }), /PARCELA_TRACE_RATIO: must be a number/);
  const targets = { PARCELA_TRACE_TARGETS: 'acquirer, buyers' };
  assert.match(await refused(targets), /PARCELA_TRACE_TARGETS: .*"buyers"/);
  assert.match(await refused({ PARCELA_REQUEST_ID_HEADER: 'x id' }), /PARCELA_REQUEST_ID_HEADER: must be/);
});

test('production may have no bank, and proves to one on another machine who asks', async () => {
  assert.doesNotMatch(await refused({ DATABASE_URL: '' }), /PARCELA_BANK/);
  const bank = { PARCELA_BANK_URL: 'https://bank.example' };
  assert.match(await refused(bank), /PARCELA_BANK_URL: nothing proves to bank\.example who asks/);
  const token = { PARCELA_BANK_TOKEN_FILE: await file('bank-token', 'geheim') };
  for (const proof of [token, { PARCELA_UNGUARDED_CHANNELS: 'bank' }])
    assert.doesNotMatch(await refused({ ...bank, ...proof, DATABASE_URL: '' }), /nothing proves/);
  const clear = { PARCELA_BANK_URL: 'http://bank.example', PARCELA_UNGUARDED_CHANNELS: 'bank' };
  assert.match(await refused(clear), /PARCELA_BANK_URL: must start with https.*documents of payers/);
  assert.match(await refused(token), /PARCELA_BANK_TOKEN_FILE: has no effect without PARCELA_BANK_URL/);
  const late = { PARCELA_BANK_TIMEOUT_MILLISECONDS: '29000' };
  assert.match(await refused(late), /PARCELA_BANK_TIMEOUT_MILLISECONDS: must be at least 2000 under/);
});

test('files of a channel that have no effect are refused', async () => {
  const path = await file('file.pem', 'geheim');
  const said = await refused({
    PARCELA_ACQUIRER_CA_FILE: path,
    PARCELA_ACQUIRER_CERTIFICATE_FILE: path,
    PARCELA_KEY_STORE_TOKEN_FILE: path,
  });
  assert.match(said, /PARCELA_ACQUIRER_CA_FILE: has no effect unless PARCELA_ACQUIRER_URL starts with https/);
  assert.match(
    said,
    /PARCELA_ACQUIRER_CERTIFICATE_FILE: has no effect without PARCELA_ACQUIRER_CERTIFICATE_KEY_FILE/,
  );
  assert.match(said, /PARCELA_KEY_STORE_TOKEN_FILE: has no effect without PARCELA_KEY_STORE_URL/);
});

test('production asks a database on another machine for TLS that is checked', async () => {
  const modes = ['', '?sslmode=require', '?sslmode=no-verify', '?sslmode=verify-full&sslmode=disable'];
  for (const mode of [...modes, '?sslmode=verify-ca&uselibpqcompat=true&sslrootcert=none']) {
    const said = await refused({ DATABASE_URL: ELSEWHERE + mode, PARCELA_OWNER_DATABASE_URL: '' });
    assert.match(said, /^DATABASE_URL: (the database on another machine could be read|ENOENT)/m, mode);
  }
  const owner = await refused({ PARCELA_OWNER_DATABASE_URL: ELSEWHERE });
  assert.match(owner, /^PARCELA_OWNER_DATABASE_URL: the database on another machine/m);
  const stop = { PARCELA_PORT: 'x' };
  for (const fine of [
    { DATABASE_URL: `${ELSEWHERE}?sslmode=verify-full` },
    { DATABASE_URL: ELSEWHERE, PARCELA_UNGUARDED_CHANNELS: 'database' },
    { DATABASE_URL: 'postgres://parcela@[::1]/parcela' },
    { DATABASE_URL: 'postgres://parcela@%2Fvar%2Frun%2Fpostgresql/parcela' },
    { DATABASE_URL: `${ELSEWHERE}?host=/var/run/postgresql` },
  ]) {
    const said = await refused({ ...fine, PARCELA_OWNER_DATABASE_URL: '', ...stop });
    assert.match(said, /PARCELA_PORT/);
    assert.doesNotMatch(said, /DATABASE_URL/, JSON.stringify(fine));
  }
});

test('what takes away the checks of TLS or opens the memory stops production, not homologation', async () => {
  // Each is a process: all at once.
  const weak = {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_OPTIONS: '--tls-min-v1.0 --insecure-http-parser --inspect=127.0.0.1:0',
  };
  const inProduction = await refused(weak);
  const { said } = await setup.startInVain({ ...weak, PARCELA_PORT: 'x' });
  assert.match(said, /PARCELA_PORT/);
  for (const sentence of [
    /NODE_TLS_REJECT_UNAUTHORIZED: 0 believes every certificate/,
    /NODE_OPTIONS: --tls-min-v1\.0 /,
    /NODE_OPTIONS: --insecure-http-parser /,
    /the inspector of Node is open at 127\.0\.0\.1:/,
  ]) {
    assert.match(inProduction, sentence);
    assert.doesNotMatch(said, sentence);
  }
});

test('a secret is given by a file or a descriptor, once, and no key stands in the environment of production', async () => {
  const url = setup.settings.DATABASE_URL as string;
  const key = randomBytes(32).toString('base64');
  const shown = await refused({ PARCELA_KEY: key, PARCELA_KEY_FORMER: key });
  assert.match(
    shown,
    /^PARCELA_KEY: in production no key stands in the environment.* PARCELA_KEY_VALUE_FILE$/m,
  );
  assert.match(shown, /^PARCELA_KEY_FORMER: in production .* PARCELA_KEY_FORMER_FILE$/m);
  const twice = await refused({ DATABASE_URL_FILE: await file('url', `${url}\n`) });
  assert.match(twice, /DATABASE_URL, DATABASE_URL_FILE: only one of the two can be set/);
  const none = { DATABASE_URL: '', DATABASE_URL_FILE: join(setup.folder, 'nowhere') };
  assert.match(await refused(none), /DATABASE_URL_FILE: .*nowhere cannot be read \(ENOENT\)/);
  assert.match(
    await refused({ DATABASE_URL: '', DATABASE_URL_FILE: await file('no', '\n') }),
    /FILE: .* is empty/,
  );

  const byFile = {
    PARCELA_ACQUIRER_URL: '',
    DATABASE_URL: '',
    DATABASE_URL_FILE: await file('url', `${url}\r\n`),
    PARCELA_KEY_VALUE_FILE: await file('key', `${key}\n`, 0o644),
  };
  const service = await setup.startService(byFile);
  assert.match(service.said.join('\n'), /Warning: PARCELA_KEY_VALUE_FILE: every account .* chmod 600/);
  assert.doesNotMatch(service.said.join('\n'), /DATABASE_URL_FILE/);
  const environment = await readFile(`/proc/${service.process.pid}/environ`, 'utf8');
  assert.ok(!environment.includes(key), 'nothing of it is to be seen from outside');
  await service.stop();
});

test('a descriptor that the process was given is read as a file is', async () => {
  const parcela = programOf('src/cli/parcela.ts');
  const { DATABASE_URL: url, ...others } = setup.settings as Record<string, string>;
  const path = await file('passed-on', `${url}\n`);
  const handle = await open(path);
  await rm(path);
  const child = spawn(process.execPath, [...parcela, 'merchant', 'list'], {
    env: { PATH: process.env.PATH, ...others, DATABASE_URL_FILE: '/dev/fd/3' },
    stdio: ['ignore', 'ignore', 'pipe', handle.fd],
  });
  await handle.close();
  const said: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, Buffer.concat(said).toString());
});
