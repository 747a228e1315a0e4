import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCrowded, whyNoPlace, whyNoPlaceForUnknown } from './places.ts';

const PLACES = 2_000;

/** Asks again and again, and gives how many places were had. */
function fill(most: number, isRefused: (had: number) => boolean): number {
  let had = 0;
  while (had < most && !isRefused(had)) had += 1;
  return had;
}

test('one merchant alone has half of the places, beside strangers too, and makes no crowd', () => {
  for (const unknown of [0, 250]) {
    const had = fill(PLACES, (byMerchant) => {
      const taken = { inAll: byMerchant + unknown, unknown, byMerchant };
      return whyNoPlace(PLACES, taken, isCrowded(PLACES, taken, null, 0)) !== null;
    });
    assert.equal(had, 1_000);
  }
});

test('while it is crowded a merchant has a quarter, and others still find places', () => {
  const crowd = { inAll: 1_500, unknown: 0, byMerchant: 500 };
  assert.equal(whyNoPlace(PLACES, crowd, isCrowded(PLACES, crowd, null, 0)), 'merchant');
  assert.equal(whyNoPlace(PLACES, { ...crowd, byMerchant: 499 }, true), null);
  const calm = { inAll: 1_499, unknown: 0, byMerchant: 500 };
  assert.equal(whyNoPlace(PLACES, calm, isCrowded(PLACES, calm, null, 0)), null);
});

test('it stays crowded for a moment after somebody found no place, and not for ever', () => {
  const taken = { inAll: 10, unknown: 0, byMerchant: 0 };
  assert.equal(isCrowded(PLACES, taken, 1_000, 1_000), true);
  assert.equal(isCrowded(PLACES, taken, 1_000, 5_999), true);
  assert.equal(isCrowded(PLACES, taken, 1_000, 6_000), false);
});

test('callers who are not known have an eighth, which merchants leave to them', () => {
  const had = fill(PLACES, (unknown) => {
    const taken = { inAll: 1_750 + unknown, unknown, byMerchant: 0 };
    return whyNoPlaceForUnknown(PLACES, taken) !== null;
  });
  assert.equal(had, 250);
  assert.equal(whyNoPlace(PLACES, { inAll: 1_749, unknown: 0, byMerchant: 0 }, true), null);
  assert.equal(whyNoPlace(PLACES, { inAll: 1_750, unknown: 0, byMerchant: 0 }, true), 'full');
  assert.equal(whyNoPlace(PLACES, { inAll: 1_999, unknown: 250, byMerchant: 0 }, true), null);
});

test('with the fewest places that may be set everybody still finds one', () => {
  const taken = { inAll: 0, unknown: 0, byMerchant: 0 };
  assert.equal(whyNoPlace(8, taken, true), null);
  assert.equal(whyNoPlaceForUnknown(8, taken), null);
});
