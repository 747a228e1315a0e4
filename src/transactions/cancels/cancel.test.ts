import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cents, cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import { type CancelObstacle, cancelRefusal, oldestCancelableSales } from './cancel.ts';

const SOLD_AT = instant(1_000_000);
const WANTED = { oldestSale: SOLD_AT, mustBeWhole: false, mustBeAlone: false };

/** A sale of 100 cents. */
function why(amount: number | null, change: Partial<CancelObstacle> = {}, oldestSale = SOLD_AT) {
  const sale = { state: 'approved', soldAt: SOLD_AT, amount: cents(100) } as const;
  const found = { ...sale, canceledAmount: cents(0), amountUnderWay: cents(0), ...change };
  return cancelRefusal(found, { ...WANTED, oldestSale, amount: amount as Cents | null });
}

test('parts are canceled side by side, as long as they fit into what is not held', () => {
  const held = { canceledAmount: cents(70), amountUnderWay: cents(30) };
  assert.equal(why(30, held), null);
  assert.equal(why(31, held), 'beingCanceled', 'it would fit if those under way were refused');
  assert.equal(why(60, held), 'beingCanceled');
  assert.equal(why(61, held), 'exceedsRest', 'it would not fit even then');
  assert.equal(why(null, held), null, 'all that is left is what nobody holds');
});

test('what is held by others is not canceled already, and what is given back is', () => {
  const all = cents(100);
  assert.equal(why(null, { canceledAmount: all, amountUnderWay: cents(1) }), 'beingCanceled');
  assert.equal(why(1, { canceledAmount: all, amountUnderWay: cents(0) }), 'alreadyCanceled');
  assert.equal(why(101), 'exceedsRest');
});

test('an acquirer that gives back whole charges only is asked for nothing else', () => {
  const whole = (amount: number | null, canceledAmount = 0) => {
    const sale = { state: 'approved', soldAt: SOLD_AT, amount: cents(100) } as const;
    const found = { ...sale, canceledAmount: cents(canceledAmount), amountUnderWay: cents(0) };
    return cancelRefusal(found, { ...WANTED, mustBeWhole: true, amount: amount as Cents | null });
  };
  assert.equal(whole(null), null);
  assert.equal(whole(100), null);
  assert.equal(whole(99), 'partNotOffered');
  assert.equal(whole(null, 1), 'partNotOffered', 'a chargeback took a part');
  assert.equal(whole(101), 'exceedsRest');
  assert.equal(whole(1, 100), 'alreadyCanceled');
});

test('a sale that does not stand, or is too old, is not canceled, whatever is under way', () => {
  assert.equal(why(1, { state: 'charging' }), 'notResolved');
  assert.equal(why(1, { state: 'unresolved' }), 'notResolved');
  assert.equal(why(1, { state: 'declined' }), 'notCharged');
  assert.equal(why(1, { state: 'voided' }), 'notCharged');
  assert.equal(
    why(1, { amountUnderWay: cents(50), canceledAmount: cents(50) }, instant(1_000_001)),
    'windowOver',
  );
});

test('what an acquirer does not find is too old sooner, and none is cancelable for longer than all', () => {
  const days = (count: number) => instant(count * 86_400_000);
  assert.deepEqual(oldestCancelableSales(days(1_000), 180, { forgets: 90, keeps: 365 }), {
    oldestSale: days(820),
    oldestAt: { forgets: days(910), keeps: days(820) },
  });
});

test('an acquirer that tells cancels apart by sums alone has one undecided cancel of a charge at most', () => {
  const alone = (amount: number | null, amountUnderWay: number) => {
    const sale = { state: 'approved', soldAt: SOLD_AT, amount: cents(100) } as const;
    const found = { ...sale, canceledAmount: cents(40), amountUnderWay: cents(amountUnderWay) };
    return cancelRefusal(found, { ...WANTED, mustBeAlone: true, amount: amount as Cents | null });
  };
  assert.equal(alone(10, 0), null);
  assert.equal(alone(10, 40), 'beingCanceled', 'it fits, and has to wait');
  assert.equal(alone(null, 1), 'beingCanceled');
  assert.equal(alone(101, 40), 'exceedsRest');
});
