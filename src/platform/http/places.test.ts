import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideCapacity, whyNoPlace } from './places.ts';

test('callers who are not known have an eighth, which merchants leave to them, and one place at least', () => {
  assert.deepEqual(divideCapacity(2_000), { known: 1_750, unknown: 250 });
  assert.deepEqual(divideCapacity(8), { known: 7, unknown: 1 });
  assert.deepEqual(divideCapacity(10), { known: 8, unknown: 2 });
});

test('a merchant has its share, and others find places until all are taken', () => {
  const places = 8;
  assert.equal(whyNoPlace(places, { inAll: 3, ofMerchant: 3 }), null);
  assert.equal(whyNoPlace(places, { inAll: 4, ofMerchant: 4 }), 'merchant');
  assert.equal(whyNoPlace(places, { inAll: 7, ofMerchant: 1 }), 'merchant');
  assert.equal(whyNoPlace(places, { inAll: 7, ofMerchant: 0 }), null);
  assert.equal(whyNoPlace(places, { inAll: 8, ofMerchant: 0 }), 'full');
});
