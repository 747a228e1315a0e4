import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairClaim } from './fair-claim.ts';

test('a merchant with as many under way as are free is passed over', () => {
  const underWay = [
    { merchantId: 'large', underWay: 16 },
    { merchantId: 'small', underWay: 1 },
  ];
  assert.deepEqual(fairClaim(15, underWay, null).passedOver, ['large']);
  assert.deepEqual(fairClaim(17, underWay, null).passedOver, []);
  assert.deepEqual(fairClaim(1, [], null).passedOver, [], 'the last slot is for one that has none');
});

test('one that is silent is passed over while it may not be probed', () => {
  assert.deepEqual(fairClaim(32, [], { merchantId: 'silent', mayBegin: false }).passedOver, ['silent']);
  const { passedOver, probed } = fairClaim(32, [], { merchantId: 'silent', mayBegin: true });
  assert.deepEqual([passedOver, probed], [[], 'silent']);
});
