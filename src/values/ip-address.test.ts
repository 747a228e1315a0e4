import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressGroup, isAddressWithin, parseAddress, parseBlock, parseBlocks } from './ip-address.ts';

const isWithin = (address: string, ...blocks: string[]) =>
  isAddressWithin(parseAddress(address), parseBlocks(blocks));

test('an address is on the list when it is listed itself or lies in a listed block', () => {
  assert.equal(isWithin('203.0.113.7', '203.0.113.7'), true);
  assert.equal(isWithin('203.0.113.8', '203.0.113.7'), false);
  assert.equal(isWithin('203.0.113.255', '203.0.113.0/24'), true);
  assert.equal(isWithin('203.0.114.0', '203.0.113.0/24'), false);
  assert.equal(isWithin('198.51.100.1', '203.0.113.0/24', '198.51.100.0/31'), true);
  assert.equal(isWithin('192.0.2.1', '0.0.0.0/0'), true);
  assert.equal(isWithin('2001:db8:1::5', '2001:db8:1::/48'), true);
  assert.equal(isWithin('2001:db8:2::5', '2001:db8:1::/48'), false);
  assert.equal(isWithin('2001:DB8:0:0:0:0:0:1', '2001:db8::1'), true);
});

test('an IPv4 caller on an IPv6 socket is the same caller', () => {
  assert.equal(isWithin('::ffff:203.0.113.7', '203.0.113.0/24'), true);
  assert.equal(isWithin('::ffff:cb00:7107', '203.0.113.7'), true);
  assert.equal(isWithin('203.0.113.7', '::ffff:203.0.113.0/120'), true);
  assert.equal(isWithin('203.0.113.7', '::/0'), false);
  assert.equal(
    isWithin('::203.0.113.7', '203.0.113.7'),
    false,
    'in the last bits of IPv6 it is another address',
  );
  assert.equal(isWithin('::203.0.113.7', '::cb00:7107'), true);
});

test('nobody is on an empty list, and no address at all is on none', () => {
  assert.equal(isWithin('203.0.113.7'), false);
  assert.equal(isWithin('', '0.0.0.0/0', '::/0'), false);
});

test('malformed addresses and blocks are refused', () => {
  const malformed = [
    ...[
      '',
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '01.2.3.4',
      '1.2.3.4 ',
      '0x7f.0.0.1',
      '1.2.3.4/',
      '1.2.3.4/33',
    ],
    ...[
      '1.2.3.4/08',
      '1.2.3.4/8/8',
      '10.0.0.1/8',
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
    ],
    ...[
      '12345::',
      'g::',
      '::1.2.3',
      '1.2.3.4::',
      '2001:db8::1/64',
      '::/129',
      '::ffff:1.2.3.4/95',
      '1:2:3:4:5:6:7:8::',
    ],
  ];
  for (const text of malformed) assert.equal(parseBlock(text), null, text);
});

test('failures of one IPv6 network of 64 bits are counted together, those of IPv4 by address', () => {
  const group = (text: string) => addressGroup(parseAddress(text));
  assert.equal(group('2001:db8::1'), group('2001:db8::ffff:1'));
  assert.equal(group('fe80::1%eth0'), group('fe80::2'));
  assert.notEqual(group('2001:db8::1'), group('2001:db8:0:1::1'));
  assert.equal(group('::ffff:203.0.113.7'), group('203.0.113.7'));
  assert.notEqual(group('203.0.113.7'), group('203.0.113.8'));
  assert.notEqual(group('0.0.0.1'), group('::1'));
});

test('an address with the name of an interface is read as far as such a name goes', () => {
  assert.notEqual(parseAddress(`fe80::1%${'a'.repeat(15)}`), null);
  assert.equal(parseAddress(`fe80::1%${'a'.repeat(100)}`), null);
});
