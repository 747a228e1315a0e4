import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../values/cents.ts';
import { instant } from '../../values/instant.ts';
import {
  installmentOptions,
  isRemovalDue,
  MOST_REMOVALS,
  nextRemoval,
  outcomeOfLink,
  outcomeWithoutPayment,
  seenOutcome,
  shownState,
} from './link.ts';

const offered = (amount: number, mostInstallments: number, minimum: number, largest = 12) =>
  installmentOptions({ amount: cents(amount), mostInstallments }, cents(minimum), largest);

test('installments add up to the amount, and none is below the smallest or beyond the acquirer', () => {
  for (const { count, first, others } of offered(10_000, 12, 500))
    assert.equal(first + others * (count - 1), 10_000, `${count}`);
  assert.deepEqual(
    offered(10_000, 12, 2_500).map(({ count }) => count),
    [1, 2, 3, 4],
  );
  assert.deepEqual(offered(10_000, 3, 1, 2).at(-1), { count: 2, first: 5_000, others: 5_000 });
  assert.deepEqual(offered(100, 12, 500).length, 1, 'at once is always offered');
});

test('a link is over at the first moment after its last day, and not while it is being paid', () => {
  const expiresAt = instant(1_000);
  assert.equal(shownState({ state: 'open', expiresAt }, instant(999)), 'open');
  assert.equal(shownState({ state: 'open', expiresAt }, instant(1_000)), 'expired');
  assert.equal(shownState({ state: 'paying', expiresAt }, instant(1_000)), 'paying');
});

test('a try without a payment has failed once its request can make none any more', () => {
  assert.equal(outcomeWithoutPayment({ triedMilliseconds: 150_000 }).kind, 'underWay');
  assert.equal(outcomeWithoutPayment({ triedMilliseconds: 150_001 }).kind, 'failed');
});

test('all the money that came decides once the last bill is over, and too little hides none that is paid', () => {
  const link = { state: 'paying', tryMethod: 'pix', receivedAmount: cents(99), receivedId: null } as const;
  const [failed, underWay] = [{ kind: 'failed' }, { kind: 'underWay' }] as const;
  const last = { kind: 'paid', paymentId: 'b' } as const;
  assert.deepEqual(outcomeOfLink({ ...link, receivedAmount: cents(0) }, failed), failed);
  assert.deepEqual(outcomeOfLink(link, failed), { kind: 'short' });
  assert.deepEqual(outcomeOfLink(link, last), last);
  assert.deepEqual(outcomeOfLink({ ...link, receivedId: 'a' }, failed), { kind: 'paid', paymentId: 'a' });
  assert.deepEqual(outcomeOfLink({ ...link, receivedId: 'a' }, underWay), underWay);
  assert.deepEqual(seenOutcome(link, underWay), underWay, 'a bill can still pay it');
  assert.deepEqual(seenOutcome(link), underWay);
  assert.deepEqual(seenOutcome({ ...link, receivedId: 'a' }, underWay), { kind: 'paid', paymentId: 'a' });
  assert.deepEqual(seenOutcome({ ...link, state: 'open' }), { kind: 'short' });
  assert.equal(seenOutcome({ ...link, state: 'open', receivedAmount: cents(0) }), null);
});

test('a bank that keeps a bill is asked again after each pause, and not for ever', () => {
  assert.ok(isRemovalDue({ removals: MOST_REMOVALS - 1, isRemovalRested: true }));
  assert.ok(!isRemovalDue({ removals: 1, isRemovalRested: false }));
  assert.ok(!isRemovalDue({ removals: MOST_REMOVALS, isRemovalRested: true }));
  const link = {
    ...({ state: 'paying', tryMethod: 'boleto', receivedAmount: cents(1), removals: 1 } as const),
    ...{ removalAt: instant(5), isRemovalRested: false },
  };
  assert.equal(nextRemoval(link, 'askable'), 5);
  assert.equal(nextRemoval({ ...link, isRemovalRested: true }, 'askable'), null);
  assert.equal(
    nextRemoval({ ...link, removals: MOST_REMOVALS }, 'asked'),
    null,
    'the last question is under way',
  );
  assert.equal(nextRemoval({ ...link, isRemovalRested: true }, 'strange'), undefined);
  for (const change of [
    { removals: MOST_REMOVALS },
    { state: 'paid' },
    { tryMethod: 'card' },
    { receivedAmount: cents(0) },
  ] as const)
    assert.equal(nextRemoval({ ...link, ...change }, 'askable'), undefined);
});
