import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBlock, parseBlocks } from '../../values/ip-address.ts';
import { isAddressAllowed, isSameAddress } from './url-rules.ts';

const NOTHING_OPENED = { openedNetworks: [], takesLoopback: false };

/** Every network that is not public: first and last address, and the public neighbours of both. */
const NETWORKS: readonly (readonly [
  network: string,
  first: string,
  last: string,
  before: string | null,
  after: string | null,
])[] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16/32', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', null, null],
  ['::/128', '::', '::', null, null],
  ['::1/128', '::1', '::1', null, null],
  ['::/96', '::7f00:1', '::ffff:ffff', null, null],
  ['::ffff:0:0/96', '::ffff:0:0', '::ffff:ffff:ffff', null, null],
  ['64:ff9b::/96', '64:ff9b::', '64:ff9b::ffff:ffff', null, null],
  ['64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, null],
  ['100::/64', '100::', '100::ffff:ffff:ffff:ffff', null, null],
  ['2001::/32', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::1', null],
  ['2001:10::/28', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['2001:20::/28', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff', null, '2001:200::'],
  ['2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7::1', '2001:db9::'],
  ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::1', '2003::'],
  ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe::1', '3fff:1000::'],
  ['5f00::/16', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fc00::/7', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fe80::/10', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['fec0::/10', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['ff00::/8', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
];

test('no address of a network that is not public may be called, from its first to its last', () => {
  for (const [network, first, last, before, after] of NETWORKS) {
    for (const address of [first, last])
      assert.equal(isAddressAllowed(NOTHING_OPENED, address), false, `${address} of ${network}`);
    for (const address of [before, after])
      if (address !== null)
        assert.equal(isAddressAllowed(NOTHING_OPENED, address), true, `${address} beside ${network}`);
  }
});

test('an IPv4 address inside IPv6 may not be called, however public it is, and whatever is opened', () => {
  const everything = { openedNetworks: parseBlocks(['0.0.0.0/0']), takesLoopback: true };
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      for (const text of [
        `::ffff:${address}`,
        `::ffff:${hex}`,
        `0:0:0:0:0:FFFF:${hex}`,
        `::${address}`,
        `64:ff9b::${address}`,
        `2002:${hex}::`,
      ]) {
        // The same bits as loopback itself.
        if (text === '::0.0.0.1') continue;
        assert.equal(isAddressAllowed(everything, text), false, text);
        assert.equal(isAddressAllowed(NOTHING_OPENED, text), false, text);
      }
    }),
  );
});

test('what is no plain address may not be called', () => {
  const texts = [
    '',
    'x',
    '1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '010.1.1.1',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
  ];
  for (const text of [...texts, '2606:4700::1%eth0', '2606:4700::1%25', '[2606:4700::1]', '2606:4700:::1'])
    assert.equal(isAddressAllowed(NOTHING_OPENED, text), false, text);
});

test('what the operator opened may be called, and nothing beside it', () => {
  const rules = { openedNetworks: parseBlocks(['10.1.0.0/16', 'fd00:1::/32']), takesLoopback: false };
  for (const address of ['10.1.0.0', '10.1.255.255', 'fd00:1::1', '8.8.8.8'])
    assert.equal(isAddressAllowed(rules, address), true, address);
  for (const address of [
    '10.0.255.255',
    '10.2.0.0',
    'fd00:2::',
    '127.0.0.1',
    '::ffff:10.1.0.1',
    'fd00:1::1%1',
  ])
    assert.equal(isAddressAllowed(rules, address), false, address);
});

test('homologation may call this machine, and no other private address', () => {
  const rules = { openedNetworks: [], takesLoopback: true };
  for (const address of ['127.0.0.1', '127.255.255.255', '::1'])
    assert.equal(isAddressAllowed(rules, address), true, address);
  for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::', '::ffff:127.0.0.1', '128.0.0.1%1'])
    assert.equal(isAddressAllowed(rules, address), false, address);
});

test('addresses are compared by what they are', () => {
  assert.ok(isSameAddress('2606:4700::1', '2606:4700:0:0:0:0:0:1'));
  assert.ok(!isSameAddress('127.0.0.1', '127.0.0.2'));
  assert.ok(!isSameAddress('127.0.0.1', '::ffff:127.0.0.1'));
  assert.ok(!isSameAddress('x', 'x'));
  for (const [network] of NETWORKS) assert.notEqual(parseBlock(network), null, network);
});
