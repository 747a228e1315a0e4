import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trustedPeers } from './peers.ts';

test('proxies are known by address or network, also as IPv4 inside IPv6', () => {
  const isTrusted = trustedPeers(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32', '::1']);
  for (const address of [
    '10.255.0.1',
    '192.0.2.1',
    '::ffff:10.0.0.1',
    '::ffff:192.0.2.1',
    '2001:db8:1::1',
    '::1',
  ])
    assert.equal(isTrusted(address), true, address);
  for (const address of ['11.0.0.1', '192.0.2.2', '::ffff:11.0.0.1', '2001:db9::', '127.0.0.1', '::2', ''])
    assert.equal(isTrusted(address), false, address);
  assert.equal(trustedPeers([])('127.0.0.1'), false);
});
