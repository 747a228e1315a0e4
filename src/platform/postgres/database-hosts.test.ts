import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseAddressFault, databaseAddressWarning, databaseHosts, hostOf } from './database-hosts.ts';

test('an address with one host is taken as it is', () => {
  const address = 'postgres://user:p%40ss@one:5433/name?sslmode=verify-full';
  assert.deepEqual(databaseHosts(address), { addresses: [address], isPrimarySought: false });
  assert.equal(databaseAddressFault(address), null);
});

test('each of several hosts has all the rest of the address', () => {
  const rest = '/name?sslmode=verify-full&target_session_attrs=read-write&sslrootcert=/ca.pem';
  const { addresses, isPrimarySought } = databaseHosts(
    `postgresql://user:secret@one,two:5433,[::1]:5434${rest}`,
  );
  const kept = '/name?sslmode=verify-full&sslrootcert=/ca.pem';
  assert.deepEqual(
    addresses,
    ['one', 'two:5433', '[::1]:5434'].map((host) => `postgresql://user:secret@${host}${kept}`),
  );
  assert.ok(isPrimarySought);
});

test('read-write of one host is looked for too: its name may lead to several servers', () => {
  const { addresses, isPrimarySought } = databaseHosts('postgres://one/name?target_session_attrs=read-write');
  assert.deepEqual(
    { addresses, isPrimarySought },
    { addresses: ['postgres://one/name'], isPrimarySought: true },
  );
});

test('modes that the driver takes for verify-full are written so, and are warned of', () => {
  for (const mode of ['prefer', 'require', 'verify-ca']) {
    const address = `postgres://one/name?sslmode=${mode}&sslrootcert=/ca.pem`;
    const written = 'postgres://one/name?sslmode=verify-full&sslrootcert=/ca.pem';
    assert.deepEqual(databaseHosts(address).addresses, [written]);
    assert.match(
      databaseAddressWarning(address) ?? '',
      new RegExp(`^sslmode=${mode} is taken for verify-full`),
    );
    assert.equal(databaseAddressWarning(written), null);
  }
  const libpq = 'postgres://one/name?uselibpqcompat=true&sslmode=require';
  assert.deepEqual(databaseHosts(libpq).addresses, [libpq]);
  assert.equal(databaseAddressWarning(libpq), null);
});

test('what a fault is, and no password in it', () => {
  assert.match(databaseAddressFault('mysql://one/name') ?? '', /must be an address starting with postgres/);
  assert.match(databaseAddressFault('postgres://user:secret@one:x,two/name') ?? '', /one:5432,two:5432/);
  const standby = 'postgres://user:secret@one,two/name?target_session_attrs=prefer-standby';
  assert.match(databaseAddressFault(standby) ?? '', /must be read-write, not "prefer-standby"/);
  assert.doesNotMatch(databaseAddressFault(standby) ?? '', /secret/);
  assert.equal(hostOf('postgres://user:secret@one:5432/name'), 'one:5432');
  assert.equal(hostOf('postgres://user:secret@x/name?host=/var/run'), '/var/run');
});
