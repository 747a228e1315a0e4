import assert from 'node:assert/strict';
import { test } from 'node:test';

type ClaimedDelivery = Claimed & { readonly deliveryNumber: number };

import { type Claimed, type Counter, openClaimedLine } from './claimed-line.ts';

const LATER = 1_000;

function claimed(deliveryNumber: number, endpoint = 'account:1', merchantId = 'shop', isProbe = false) {
  return { merchantId, endpoint, deliveryNumber, isProbe };
}

/** Serves with so many slots of each kind; gives the numbers that began. */
function counter(
  slots: number,
  { ofEndpoint = 8, ofMerchant = 24, now = 0 } = {},
): Counter<ClaimedDelivery> & { readonly begun: number[] } {
  const begun: ClaimedDelivery[] = [];
  const numbers: number[] = [];
  const at = (one: ClaimedDelivery, key: 'endpoint' | 'merchantId') =>
    begun.filter((other) => other.merchantId === one.merchantId && other[key] === one[key]).length;
  return {
    now,
    begun: numbers,
    hasSlot: () => begun.length < slots,
    hasSlotOfMerchant: (delivery) => at(delivery, 'merchantId') < ofMerchant,
    hasSlotOfEndpoint: (delivery) => at(delivery, 'endpoint') < ofEndpoint,
    begin(delivery) {
      begun.push(delivery);
      numbers.push(delivery.deliveryNumber);
    },
  };
}

test('who was claimed first is sent first, and the rest when a slot is free', () => {
  const line = openClaimedLine<ClaimedDelivery>(() => false);
  for (const number of [1, 2, 3]) line.add(claimed(number), LATER);
  const first = counter(2);
  assert.deepEqual(line.serve(first), []);
  assert.deepEqual(first.begun, [1, 2]);
  assert.equal(line.length(), 1);
  const second = counter(2);
  line.serve(second);
  assert.deepEqual(second.begun, [3]);
  assert.equal(line.length(), 0);
});

test('a endpoint or a merchant without a free slot is passed by, and keeps its place', () => {
  const line = openClaimedLine<ClaimedDelivery>(() => false);
  line.add(claimed(1, 'account:1'), LATER);
  line.add(claimed(2, 'account:1'), LATER);
  line.add(claimed(3, 'account:2'), LATER);
  line.add(claimed(4, 'account:3'), LATER);
  line.add(claimed(5, 'account:1', 'other'), LATER);
  const served = counter(10, { ofEndpoint: 1, ofMerchant: 2 });
  assert.deepEqual(line.serve(served), []);
  assert.deepEqual(served.begun, [1, 3, 5]);
  assert.deepEqual(
    line.places().map((place) => (place as ClaimedDelivery).deliveryNumber),
    [2, 4],
  );
});

test('a probe goes before all others', () => {
  const line = openClaimedLine<ClaimedDelivery>(() => false);
  line.add(claimed(1), LATER);
  line.add(claimed(2, 'account:2', 'shop', true), LATER);
  const served = counter(1);
  line.serve(served);
  assert.deepEqual(served.begun, [2]);
});

test('what has waited too long, or whose endpoint has begun to fail, is given back unsent', () => {
  const troubled = new Set<string>(['account:9']);
  const line = openClaimedLine<ClaimedDelivery>(({ endpoint }) => troubled.has(endpoint));
  line.add(claimed(1, 'account:1'), 50);
  line.add(claimed(2, 'account:2'), LATER);
  line.add(claimed(3, 'account:9'), LATER);
  troubled.add('account:2');
  const served = counter(10, { now: 50 });
  const unsent = line.serve(served).map(({ deliveryNumber }) => deliveryNumber);
  assert.deepEqual(unsent, [1, 2]);
  // It was claimed although it was known to fail: the database knew better.
  assert.deepEqual(served.begun, [3]);
});

test('emptied, it gives everything and holds nothing', () => {
  const line = openClaimedLine<ClaimedDelivery>(() => false);
  line.add(claimed(1), LATER);
  line.add(claimed(2), LATER);
  assert.deepEqual(
    line.empty().map(({ deliveryNumber }) => deliveryNumber),
    [1, 2],
  );
  assert.equal(line.length(), 0);
});
