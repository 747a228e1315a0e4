import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import inspector from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfiguration } from './config.ts';
import { listenAdvice } from './start.ts';

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
const RIGHT = {
  PARCELA_ENVIRONMENT: 'production',
  DATABASE_URL: `postgres://parcela_runtime:${PASSWORD}@127.0.0.1/parcela`,
  PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
  PARCELA_TRUSTED_PROXIES: '127.0.0.1',
};

/** A change that is a fault, and its sentence. */
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

/** A bank of Pix without faults. */
const PIX = { PARCELA_PIX_URL: 'https://bank.example', PARCELA_UNGUARDED_CHANNELS: 'pix' };
const TRIAL = { PARCELA_ENVIRONMENT: 'homologation', PARCELA_ACQUIRER_URL: '' };
const PIX_KEY = 'key=11444777000161';

const WRONG_SINCE: readonly (readonly [change: Record<string, string>, said: RegExp])[] = [
  [{ PARCELA_PIX_URL: 'http://bank.example' }, /^PARCELA_PIX_URL: must start with https:\/\/, or with http:/],
  [PIX, /^PARCELA_PIX_SETTINGS: key must be given: the Pix key of the receiver$/],
  [
    { ...PIX, PARCELA_UNGUARDED_CHANNELS: '', PARCELA_PIX_SETTINGS: PIX_KEY },
    /^PARCELA_PIX_URL: nothing proves to bank\.example who asks; set PARCELA_PIX_CERTIFICATE_FILE or /,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: '11444777000161' },
    /^PARCELA_PIX_SETTINGS: must be name=value, separated by semicolons, not "11444777000161"$/,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: 'key=11.444.777/0001-61' },
    /^PARCELA_PIX_SETTINGS: key=11\.444\.777\/0001-61 is not the Pix key .* digits of a CNPJ or CPF alone/,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: 'key=a@b.example,account=1' },
    /^PARCELA_PIX_SETTINGS: key=.* is not the Pix/,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: `${PIX_KEY}; chave=x` },
    /^PARCELA_PIX_SETTINGS: chave is no setting of this adapter \(key, tokenUrl, /,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: `${PIX_KEY}; account=1; accountType=corrente` },
    /^PARCELA_PIX_SETTINGS: accountType=corrente is not CORRENTE, POUPANCA, PAGAMENTO/,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: `${PIX_KEY}; account=1; leadDays=11` },
    /^PARCELA_PIX_SETTINGS: leadDays=11 is not days .* 1 to 10; default: 3$/,
  ],
  [{ PARCELA_PIX_SETTINGS: PIX_KEY }, /^PARCELA_PIX_SETTINGS: has no effect without PARCELA_PIX_URL/],
  [{ PARCELA_PIX_KEY: '11444777000161' }, /^PARCELA_PIX_KEY: there is no such setting/],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: PIX_KEY, PARCELA_PIX_TIMEOUT_MILLISECONDS: '20000' },
    /^PARCELA_PIX_TIMEOUT_MILLISECONDS: must be at least 2000 under PARCELA_REQUEST_DEADLINE_MILLISECONDS/,
  ],
  [{ PARCELA_PIX_TOKEN_FILE: '/pix' }, /^PARCELA_PIX_TOKEN_FILE: has no effect without PARCELA_PIX_URL$/],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: PIX_KEY, PARCELA_PIX_CERTIFICATE_KEY_FILE: '/pix.key' },
    /^PARCELA_PIX_CERTIFICATE_KEY_FILE: has no effect without PARCELA_PIX_CERTIFICATE_FILE$/,
  ],
  [{ ...TRIAL, PARCELA_ACQUIRER: 'Rede' }, /^PARCELA_ACQUIRER: must be one of \w+(, \w+)+, not "Rede"$/],
  [
    { PARCELA_REQUEST_ID_HEADER: 'Cookie' },
    /^PARCELA_REQUEST_ID_HEADER: cookie has secrets, .* name x-request-id$/,
  ],
  [
    { PARCELA_PORT: '8081', PARCELA_METRICS_PORT: '8081' },
    /^PARCELA_METRICS_PORT: 8081 is the port of an API; metrics stand apart$/,
  ],
  [
    { PARCELA_METRICS_HOST: '0.0.0.0' },
    /^PARCELA_METRICS_HOST: 0\.0\.0\.0 would show .* PARCELA_METRICS_TOKEN_FILE$/,
  ],
  [{ PARCELA_ROLES: 'http,charge' }, /^PARCELA_ROLES: must be some of http, charging, .* not "charge"$/],
  [
    { PARCELA_TRACE_RATIO: '0,1' },
    /^PARCELA_TRACE_RATIO: must be a number from 0 to 1 such as 0\.05, not "0,1"$/,
  ],
  [
    { PARCELA_CHARGE_WINDOW: '18:00-08:00' },
    /^PARCELA_CHARGE_WINDOW: must be a part of one day such as 06:00-20:00, .* not "18:00-08:00"$/,
  ],
  [
    { PARCELA_CELL: 'cell 1' },
    /^PARCELA_CELL: must be a small letter and a small letter or digit such as a1/,
  ],
  [
    { PARCELA_UNGUARDED_CHANNELS: 'aquirer' },
    /^PARCELA_UNGUARDED_CHANNELS: must be some of acquirer, bank, pix/,
  ],
  [
    { PARCELA_CONSOLE_PORT: '18081', PARCELA_CONSOLE_ORIGIN: 'https://console.example/console' },
    /^PARCELA_CONSOLE_ORIGIN: must be an address without a path, such as https:/,
  ],
];

/** A listener for notices without faults. */
const NOTICES = {
  PARCELA_PIX_WEBHOOK_PORT: '9443',
  PARCELA_PIX_WEBHOOK_CA_FILE: '/etc/parcela/banks.pem',
  PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE: '/etc/parcela/shop.pem',
  PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: '/etc/parcela/shop.key',
};
const OIDC = {
  PARCELA_CONSOLE_PORT: '18081',
  PARCELA_CONSOLE_ORIGIN: 'https://console.example',
  PARCELA_CONSOLE_OIDC_ISSUER: 'https://id.example',
  PARCELA_CONSOLE_OIDC_CLIENT_ID: 'console',
  PARCELA_CONSOLE_OIDC_CLIENT_SECRET_FILE: '/etc/parcela/oidc-secret',
};

const WRONG_PLACES: readonly (readonly [change: Record<string, string>, said: RegExp])[] = [
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_PORT: '' },
    /^PARCELA_PIX_WEBHOOK_CA_FILE: has no effect without PARCELA_PIX_WEBHOOK_PORT$/m,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_PORT: '8081', PARCELA_PORT: '8081' },
    /^PARCELA_PIX_WEBHOOK_PORT: 8081 is taken by an API, metrics or the console; name a port/,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_PORT: '9081', PARCELA_PORT: '8081' },
    /^PARCELA_PIX_WEBHOOK_PORT: 9081 is taken by an API, metrics or the console; name a port/,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_PORT: '94433' },
    /^PARCELA_PIX_WEBHOOK_PORT: must be a whole number from 0 to 65535, not "94433"$/,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_CA_FILE: '' },
    /^PARCELA_PIX_WEBHOOK_CA_FILE: the authorities of the banks' certificates must be named/,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: '' },
    /^PARCELA_PIX_WEBHOOK_CERTIFICATE_FILE, PARCELA_PIX_WEBHOOK_CERTIFICATE_KEY_FILE: must be named, or /,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_CERTIFICATE_HEADER: 'x-client-cert' },
    /^PARCELA_PIX_WEBHOOK_CERTIFICATE_HEADER: a proxy ends TLS there; leave .*_CERTIFICATE_FILE out$/,
  ],
  [
    { ...NOTICES, PARCELA_PIX_WEBHOOK_HOST: 'https://a' },
    /^PARCELA_PIX_WEBHOOK_HOST: must be an address or a host name, not "https:\/\/a"$/,
  ],
  [
    { PARCELA_DATA_DIR: '/var/lib/parcela', PARCELA_SETTLEMENT_FOLDER: '/var/lib/parcela/' },
    /^PARCELA_SETTLEMENT_FOLDER: \/var\/lib\/parcela is the folder of PARCELA_DATA_DIR too, .*; name one of its own$/,
  ],
  [
    { PARCELA_KEY_FILE: '/srv/files/keys.json', PARCELA_SETTLEMENT_FOLDER: '/srv/files' },
    /^PARCELA_SETTLEMENT_FOLDER: \/srv\/files is the folder of PARCELA_KEY_FILE too/,
  ],
  [
    { PARCELA_DATA_DIR: '/srv', PARCELA_SETTLEMENT_FOLDER: '/srv/keys' },
    /^PARCELA_SETTLEMENT_FOLDER: \/srv\/keys is the folder of PARCELA_KEY_FILE too/,
  ],
  [
    { ...NOTICES, PARCELA_SETTLEMENT_FOLDER: '/etc/parcela' },
    /^PARCELA_SETTLEMENT_FOLDER: \/etc\/parcela is the folder of PARCELA_PIX_WEBHOOK_CA_FILE too/,
  ],
  [
    { ...OIDC, PARCELA_CONSOLE_OIDC_ISSUER: 'id.example' },
    /^PARCELA_CONSOLE_OIDC_ISSUER: must start with https:\/\//,
  ],
  [
    { ...OIDC, PARCELA_CONSOLE_OIDC_CLIENT_ID: '' },
    /^PARCELA_CONSOLE_OIDC_CLIENT_ID: PARCELA_CONSOLE_OIDC_ISSUER needs it/,
  ],
  [
    { ...OIDC, PARCELA_CONSOLE_OIDC_ISSUER: '' },
    /^PARCELA_CONSOLE_OIDC_CLIENT_ID: has no effect without PARCELA_CONSOLE_OIDC_ISSUER$/m,
  ],
  [
    { PARCELA_WEBHOOK_NETWORKS: '10.0.0.0/33' },
    /^PARCELA_WEBHOOK_NETWORKS: must be addresses or networks such as 10\.1\.0\.0\/16, not "10\.0\.0\.0\/33"$/,
  ],
  [
    { PARCELA_GATEWAY_PREFIX: 'gateway/' },
    /^PARCELA_GATEWAY_PREFIX: must look like \/gateway, not "gateway\/"$/,
  ],
  [{ PARCELA_CAPTURE_DAYS: '31' }, /^PARCELA_CAPTURE_DAYS: must be a whole number from 1 to 30, not "31"$/],
  [
    { PARCELA_BANK_URL: 'https://bank.example' },
    /^PARCELA_BANK_URL: nothing proves to bank\.example who asks; set PARCELA_BANK_CERTIFICATE_FILE or /,
  ],
  [{ PARCELA_BANK_CA_FILE: '/bank.pem' }, /^PARCELA_BANK_CA_FILE: has no effect without PARCELA_BANK_URL$/],
  [{ PARCELA_FEES: 'visa' }, /^PARCELA_FEES: /],
  [{ PARCELA_ANTIFRAUD_RULES: 'card/hour/10' }, /^PARCELA_ANTIFRAUD_RULES: must be rules such as card\/hour/],
];

const PIX_KEYS = [
  '12345678909',
  '11444777000161',
  '12ABC34501DE35',
  '+5511987654321',
  'pix@loja.example',
  '123e4567-e12b-12d1-a456-426655440000',
];

/** Weaknesses of Node itself: each refuses alone. */
const WEAK: typeof WRONG = [
  [{ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, /^NODE_TLS_REJECT_UNAUTHORIZED: 0 believes [^\n]*$/],
  [{ NODE_DEBUG: 'tls' }, /^NODE_DEBUG: writes what is sent [^\n]*$/],
  [{ NODE_OPTIONS: '--tls-min-v1.0' }, /^NODE_OPTIONS: --tls-min-v1\.0 [^\n]*$/],
  [{ NODE_OPTIONS: '--insecure-http-parser' }, /^NODE_OPTIONS: --insecure-http-parser [^\n]*$/],
  [{ NODE_OPTIONS: '--inspect=127.0.0.1:0' }, /^NODE_OPTIONS: --inspect [^\n]*$/],
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
  for (const [change, said] of [...WRONG, ...WRONG_SINCE, ...WRONG_PLACES, ...WEAK]) {
    assert.match(faultsOf(change), said);
    assert.doesNotMatch(faultsOf(change), /geheim/);
  }
});

test('an open inspector alone refuses production', () => {
  inspector.open(0, '127.0.0.1');
  try {
    assert.match(faultsOf({}), /^the inspector of Node is open at 127\.0\.0\.1:\d+,[^\n]*$/);
  } finally {
    inspector.close();
  }
});

test('a Pix key of every kind is taken', () => {
  for (const key of PIX_KEYS) assert.equal(faultsOf({ ...PIX, PARCELA_PIX_SETTINGS: `key=${key}` }), '', key);
});

test('folders and ports of their own are taken', () => {
  assert.equal(faultsOf({ ...NOTICES, PARCELA_SETTLEMENT_FOLDER: '/srv/files' }), '');
});

test('a port that cannot be had is named by its setting, with what to do', () => {
  const configuration = readConfiguration({ ...RIGHT, ...NOTICES, PARCELA_PORT: '443' });
  const advice = (code: string, port: number) => listenAdvice({ code, port }, configuration);
  assert.match(advice('EADDRINUSE', 9_443), /ss -ltnp .* PARCELA_PIX_WEBHOOK_PORT$/);
  assert.match(advice('EACCES', 443), /^this account may not listen .* above 1023 in PARCELA_PORT$/);
  assert.match(advice('EADDRNOTAVAIL', 9_443), /^name an address .* in PARCELA_PIX_WEBHOOK_HOST$/);
  assert.match(advice('EADDRINUSE', 1), /in PARCELA_PORT and PARCELA_METRICS_PORT$/);
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

test('a lead time that keeps weekly plans by Pix Automático from being charged is warned of', () => {
  const warningsOf = (leadDays: number) =>
    readConfiguration({
      ...RIGHT,
      ...PIX,
      PARCELA_PIX_SETTINGS: `${PIX_KEY}; account=1; leadDays=${leadDays}`,
    }).warnings;
  assert.ok(warningsOf(7).some((text) => /^PARCELA_PIX_SETTINGS: leadDays=7: .*Weekly/.test(text)));
  assert.ok(!warningsOf(6).some((text) => text.includes('leadDays')));
});
