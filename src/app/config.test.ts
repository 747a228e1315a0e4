import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from './config.ts';

test('a service that is told nothing bounds what callers take', () => {
  const { connections, requestsAtOnce, requestsPerSecond, loginFailures } = readConfiguration({});
  assert.deepEqual(
    { connections, requestsAtOnce, requestsPerSecond, loginFailures },
    {
      connections: { inAll: 8_000, perAddress: 1_000 },
      requestsAtOnce: 2_000,
      requestsPerSecond: { perCredential: 1_000, perMerchant: 2_000, perAddress: 500 },
      loginFailures: { perUserName: 50, perAddress: 100 },
    },
  );
});

const PASSWORD = 'geheim';
const UNESCAPED = 'b#c';
/** Of production, and wrong in nothing. */
const RIGHT = {
  PARCELA_ENVIRONMENT: 'production',
  DATABASE_URL: `postgres://parcela_runtime:${PASSWORD}@127.0.0.1/parcela`,
  PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
  PARCELA_TRUSTED_PROXIES: '127.0.0.1',
};

/** What is wrong, with what is said of it. */
const WRONG: readonly (readonly [change: Record<string, string>, said: RegExp])[] = [
  [{ PARCELA_ENVIRONMENT: 'Production' }, /^PARCELA_ENVIRONMENT: must be one of homologation, production/],
  [{ Parcela_Port: '8081' }, /^Parcela_Port: there is no such setting; it is written PARCELA_PORT$/],
  [{ PARCELA_TRUSTED_PROXYS: 'x' }, /^PARCELA_TRUSTED_PROXYS: .*; is PARCELA_TRUSTED_PROXIES meant\?$/],
  [{ PARCELA_ACQUIRER_ULR: 'x' }, /^PARCELA_ACQUIRER_ULR: .*; is PARCELA_ACQUIRER_URL meant\?$/],
  [{ PARCELA_SECOND_SIGNATURE: 'x' }, /^PARCELA_SECOND_SIGNATURE: there is no such setting$/],
  [{ PARCELA_ACQUIRER: 'rede' }, /^PARCELA_ACQUIRER: names a simulated acquirer, for homologation/],
  [{ PARCELA_LOG_LEVEL: '"debug"' }, /^PARCELA_LOG_LEVEL: stands in quotes; write it without them$/],
  [
    { PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '8s' },
    /^PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: must be a whole number from 250 to 60000, not "8s"$/,
  ],
  [{ DATABASE_Url: 'x' }, /^DATABASE_Url: there is no such setting; it is written DATABASE_URL$/],
  [{ DATABASE_URL: 'postgres://a:b@127.0.0.1' }, /^DATABASE_URL: names no database: …@host:5432\/parcela$/],
  [
    { DATABASE_URL: `postgres://a:${UNESCAPED}@127.0.0.1/d` },
    /^DATABASE_URL: .* signs of user and password escaped$/,
  ],
  [{ DATABASE_URL: 'postgres://a:/b@127.0.0.1/d' }, /^DATABASE_URL: .* signs of user and password escaped$/],
  [{ DATABASE_URL: 'postgres://a:b@127.0.0.1/d%e' }, /^DATABASE_URL: .* signs of user and password escaped$/],
  [
    { DATABASE_URL: 'parcela@127.0.0.1/d' },
    /^DATABASE_URL: must be an address starting with postgres:[^\n]*$/,
  ],
  [
    { PARCELA_OWNER_DATABASE_URL: `postgres://parcela_owner:${PASSWORD}@127.0.0.1/other` },
    /^PARCELA_OWNER_DATABASE_URL: names the database other, and DATABASE_URL parcela; both must name the same/,
  ],
  [
    {
      PARCELA_ACQUIRER_URL: `https://user:${PASSWORD}@bridge.internal`,
      PARCELA_UNGUARDED_CHANNELS: 'acquirer',
    },
    /^PARCELA_ACQUIRER_URL: must have no user, password, query or fragment; a token stands in a file/,
  ],
  [{ PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9/?a=1' }, /^PARCELA_ACQUIRER_URL: must have no user, .* query/],
  [
    { PARCELA_TRUSTED_PROXIES: 'none,10.0.0.5' },
    /^PARCELA_TRUSTED_PROXIES: must be addresses .* not "none"$/,
  ],
  [
    { PARCELA_TRUSTED_PROXIES: '10.0.0.5;10.0.0.6' },
    /^PARCELA_TRUSTED_PROXIES: must be addresses or networks/,
  ],
  [
    { PARCELA_CONSOLE_PORT: '18081' },
    /^PARCELA_CONSOLE_ORIGIN: production shows .* name how people reach it/,
  ],
  [
    { PARCELA_DRAIN_SECONDS: '5s' },
    /^PARCELA_DRAIN_SECONDS: must be a whole number from 0 to 300, not "5s"$/,
  ],
  [{ PARCELA_HOLD_WORK: 'true' }, /^PARCELA_HOLD_WORK: must be one of 0, 1, not "true"$/],
  [{ PARCELA_SECURITY_CONTACT: 'mailto:a@b.example' }, /^PARCELA_SECURITY_EXPIRES: must be a day such as/],
];

function faultsOf(change: Record<string, string>): string {
  try {
    readConfiguration({ ...RIGHT, ...change });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('wrong settings of production are named with what to write, and no secret of them is repeated', () => {
  assert.equal(faultsOf({}), '');
  for (const [change, said] of WRONG) {
    assert.match(faultsOf(change), said);
    assert.doesNotMatch(faultsOf(change), /geheim/);
  }
});

test('a fault of a secret names the file in which it stands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parcela-settings-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  try {
    const line = file('line', 'PARCELA_KEY=geheim\n');
    const ofKey = /^PARCELA_KEY_VALUE_FILE: must be 32 bytes in base64 \(44 characters\)$/;
    assert.match(faultsOf({ PARCELA_KEY_VALUE_FILE: line }), ofKey);
    const former = { PARCELA_KEY_VALUE_FILE: file('key', Buffer.alloc(32).toString('base64')) };
    assert.match(
      faultsOf({ ...former, PARCELA_KEY_FORMER_FILE: line }),
      /^PARCELA_KEY_FORMER_FILE: must be 32/,
    );
    const stores = { ...former, PARCELA_KEY_FILE: '/keys.json' };
    assert.match(
      faultsOf(stores),
      /^PARCELA_KEY_FILE, PARCELA_KEY_VALUE_FILE: only one key store can be set/,
    );
    const two = file('two', `${RIGHT.DATABASE_URL}\nanother\n`);
    const twice = { DATABASE_URL: '', DATABASE_URL_FILE: two };
    assert.match(
      faultsOf(twice),
      /^DATABASE_URL_FILE: \S+\/two has more than one line; the value stands alone/,
    );
    const nothing = { DATABASE_URL: '', DATABASE_URL_FILE: file('nothing', '\n') };
    assert.match(faultsOf(nothing), /^DATABASE_URL_FILE: \S+\/nothing is empty$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
