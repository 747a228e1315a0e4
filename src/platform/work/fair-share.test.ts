import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayTake, mayTakeOfKind } from './fair-share.ts';

const SLOTS = 256;

/** How many each gets when they take in turns until none may have more; `of`: merchant and kind of each. */
function filled(of: readonly (readonly [merchant: string, kind: string])[], slots = SLOTS): number[] {
  const taken = of.map(() => 0);
  const sum = (isCounted: (index: number) => boolean) =>
    taken.reduce((all, count, index) => (isCounted(index) ? all + count : all), 0);
  for (let isAnyServed = true; isAnyServed; ) {
    isAnyServed = false;
    for (const [index, [merchant, kind]] of of.entries()) {
      const counts = {
        inAll: sum(() => true),
        ofMerchant: sum((other) => of[other]?.[0] === merchant),
        ofKind: sum((other) => of[other]?.[1] === kind),
        ofBoth: taken[index] as number,
      };
      if (kind === '' ? !mayTake(slots, counts) : !mayTakeOfKind(slots, counts)) continue;
      taken[index] = (taken[index] as number) + 1;
      isAnyServed = true;
    }
  }
  return taken;
}

const merchants = (count: number, kind = '') =>
  Array.from({ length: count }, (_, index): [string, string] => [`shop ${index}`, kind]);

test('one merchant alone gets half, two a third each, three a quarter each', () => {
  assert.deepEqual(filled(merchants(1)), [128]);
  assert.deepEqual(filled(merchants(2)), [86, 85]);
  assert.deepEqual(filled(merchants(3)), [64, 64, 64]);
  assert.ok(Math.min(...filled(merchants(200))) >= 1, 'the last slots are for those that have none');
});

test('of few slots one stays for another merchant', () => {
  assert.deepEqual(filled(merchants(1), 2), [1]);
  assert.deepEqual(filled(merchants(1), 3), [2]);
  assert.deepEqual(filled(merchants(2), 4), [2, 1]);
  assert.deepEqual(filled(merchants(3), 4), [1, 1, 1]);
  assert.deepEqual(filled(merchants(1), 1), [1]);
});

test('a kind leaves slots to the other kinds of its merchant, of others, and to others of its own', () => {
  assert.deepEqual(filled([['a', 'visa']]), [110]);
  for (const slow of [1, 2, 3, 8, 30]) {
    const taken = filled(merchants(slow, 'visa'));
    const inAll = taken.reduce((sum, count) => sum + count, 0);
    assert.ok(inAll <= 192, `${slow} have ${inAll}`);
    const state = { inAll, ofKind: inAll, ofBoth: 0 };
    assert.ok(mayTakeOfKind(SLOTS, { ...state, ofMerchant: 0 }), `another with the same, beside ${slow}`);
    const other = { ...state, ofKind: 0 };
    assert.ok(mayTakeOfKind(SLOTS, { ...other, ofMerchant: 0 }), `another with another, beside ${slow}`);
    assert.ok(mayTakeOfKind(SLOTS, { ...other, ofMerchant: taken[0] as number }), `its other of ${slow}`);
  }
});
