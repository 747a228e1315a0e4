import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfiguration } from './config.ts';

const PASSWORD = 'geheim';
const RIGHT = {
  PARCELA_ENVIRONMENT: 'production',
  DATABASE_URL: `postgres://parcela_runtime:${PASSWORD}@127.0.0.1/parcela`,
  PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9',
  PARCELA_TRUSTED_PROXIES: '127.0.0.1',
};
const PIX = { PARCELA_PIX_URL: 'https://bank.example', PARCELA_UNGUARDED_CHANNELS: 'pix' };
const PIX_KEY = 'key=11444777000161';
const SECRET_KEY = '/geheim/BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=';

/** Values that were pasted, copied, or written for another program. */
const WRONG_KINDS: readonly (readonly [change: Record<string, string>, said: RegExp])[] = [
  [
    { DATABASE_URL: '', DATABASE_URL_FILE: `postgres://a:${PASSWORD}@127.0.0.1/d` },
    /^DATABASE_URL_FILE: must be the path of a file, from \/ on; [^\n]*$/,
  ],
  [{ PARCELA_ACQUIRER_TOKEN_FILE: PASSWORD }, /^PARCELA_ACQUIRER_TOKEN_FILE: must be the path of a file/],
  [{ PARCELA_KEY_VALUE_FILE: SECRET_KEY }, /^PARCELA_KEY_VALUE_FILE: must be the path of a file/],
  // What a shell would have replaced.
  [{ PARCELA_DATA_DIR: '~/parcela' }, /^PARCELA_DATA_DIR: ~ and \$ stay as they are .* the whole path$/],
  [{ PARCELA_KEY_FILE: '$CREDENTIALS_DIRECTORY/key' }, /^PARCELA_KEY_FILE: ~ and \$ stay as they are/],
  [{ PARCELA_SETTLEMENT_FOLDER: 'files' }, /^PARCELA_SETTLEMENT_FOLDER: must begin with \//],
  [{ DATABASE_URL: `${RIGHT.DATABASE_URL} # db1` }, /^DATABASE_URL: must end with .* # in a name is %23$/],
  [{ PARCELA_ACQUIRER_URL: 'http://127.0.0.1:9 # bridge' }, /^PARCELA_ACQUIRER_URL: is no address; .*port/],
  // A name with foreign characters, and one with another prefix.
  [{ '\ufeffPARCELA_ROLES': 'http' }, /^…PARCELA_ROLES: .*; it is written PARCELA_ROLES$/],
  [{ 'export PARCELA_ROLES': 'http' }, /^export PARCELA_ROLES: .*; it is written PARCELA_ROLES$/],
  [{ 'PARCELA-ROLES': 'http' }, /^PARCELA-ROLES: .*; it is written PARCELA_ROLES$/],
  [{ PARCELLA_ROLES: 'http' }, /^PARCELLA_ROLES: there is no such setting; is PARCELA_ROLES meant\?$/],
  [
    { PARCELA_PORT: '8081', PARCELA_ACQUIRER_URL: 'http://localhost:8081' },
    /^PARCELA_ACQUIRER_URL: localhost:8081 is a port of this service itself; name the port/,
  ],
  [
    { PARCELA_PORT: '443', PARCELA_BANK_URL: 'https://127.0.0.1' },
    /^PARCELA_BANK_URL: 127\.0\.0\.1 is a port/,
  ],
  [{ PARCELA_WEBHOOK_NETWORKS: '0.0.0.0/0' }, /^PARCELA_WEBHOOK_NETWORKS: 0\.0\.0\.0\/0 has strangers in it/],
  // An origin that passkeys cannot be bound to.
  [
    { PARCELA_CONSOLE_PORT: '18081', PARCELA_CONSOLE_ORIGIN: 'https://[fd00::1]:8443' },
    /^PARCELA_CONSOLE_ORIGIN: \S+ has no name, and passkeys are bound to one/,
  ],
  [
    { ...PIX, PARCELA_PIX_SETTINGS: `${PIX_KEY};${PIX_KEY}` },
    /^PARCELA_PIX_SETTINGS: key stands there twice$/,
  ],
  [
    { PARCELA_WEBHOOK_LOOPBACK: '1' },
    /^PARCELA_WEBHOOK_LOOPBACK: has no effect in production; leave it out$/,
  ],
  [
    { PARCELA_CARD_TESTING: 'stop', PARCELA_ANTIFRAUD_RULES: 'none' },
    /^PARCELA_CARD_TESTING: has no effect without rules of velocity/,
  ],
  // Brazilian notation, and what libpq does not take.
  [{ PARCELA_FEES: 'visa:1=2,49' }, /^PARCELA_FEES: must have a point in its percentages, as 2\.49/],
  [
    { DATABASE_URL: `${RIGHT.DATABASE_URL}?sslmode=verify_full` },
    /^DATABASE_URL: sslmode must be one of .* not "verify_full"$/,
  ],
];

function faultsOf(change: Record<string, string>): string {
  try {
    readConfiguration({ ...RIGHT, ...change });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('what was pasted into the wrong place is named with what belongs there, and no secret of it is repeated', () => {
  for (const [change, said] of WRONG_KINDS) {
    assert.match(faultsOf(change), said);
    assert.doesNotMatch(faultsOf(change), /geheim/);
  }
});

test('a database without an address is looked for under a name that is nearly right', () => {
  const given = { PARCELA_ENVIRONMENT: 'production', DATABASE_URI: RIGHT.DATABASE_URL };
  assert.throws(
    () => readConfiguration(given),
    /^ConfigurationFault: DATABASE_URI: .* is DATABASE_URL meant\?/,
  );
  assert.equal(faultsOf({ DATABASE_URI: 'of another program' }), '');
});
