import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, type Day } from '../../values/instant.ts';
import { ENDLESS, INTERVAL_DAYS, PLAN_TYPES } from '../plans/plan.ts';
import { firstDueOn } from '../subscriptions/schedule.ts';
import type { SubscriptionState } from '../subscriptions/subscription.ts';
import { BILLING_STATES, type BillingState } from './billing.ts';
import {
  billingAfterCharge,
  billingAfterChargeByHand,
  billingAfterVoid,
  type ScheduledCharge,
} from './billing-after-charge.ts';
import { ALL_CHARGE_RESULTS, type ChargeResult } from './charge-result.ts';

/** Subscriptions by card have these. */
const CARD_STATES = ['active', 'blocked', 'canceled', 'completed'] as const;

const DUE = '2026-12-01' as Day;

const charge = (change: Partial<ScheduledCharge>): ScheduledCharge => ({
  result: 'funds',
  subscription: 'active',
  terms: {
    paymentMethod: 'creditCard',
    planType: 'yearly',
    installments: ENDLESS,
    intervalDays: 30,
    maxRetries: 4,
  },
  installment: 1,
  dueOn: DUE,
  chargesMade: 1,
  scheduledOn: DUE,
  chargedOn: DUE,
  earliestRetryOn: null,
  isNetworkLimitReached: false,
  ...change,
});

test('a further try of Pix Automático follows the day that the bank was asked for, and is sent on the day before', () => {
  const terms = {
    ...charge({}).terms,
    paymentMethod: 'pixAutomatic',
    planType: 'monthly',
    maxRetries: 3,
  } as const;
  const retryOn = (change: Partial<ScheduledCharge>) =>
    billingAfterCharge(charge({ terms, ...change })).billing.chargeOn;
  assert.equal(retryOn({}), addDays(DUE, 1));
  const late = addDays(DUE, 12);
  assert.equal(retryOn({ askedFor: late, scheduledOn: late, chargedOn: late }), addDays(late, 1));
});

const CUSTOM = {
  paymentMethod: 'creditCard',
  planType: 'custom',
  installments: 3,
  intervalDays: 20,
  maxRetries: 0,
} as const;
const NEXT = { installment: 2, dueOn: '2026-12-31', chargeOn: '2026-12-31' };
const NEXT_OF_CUSTOM = { installment: 2, dueOn: '2026-12-21', chargeOn: '2026-12-21' };
const DECLINED = { state: 'canceled', reason: 'declined' };
const BLOCKED = { state: 'blocked', reason: 'cardCanceled' };
const COMPLETED = { state: 'completed', reason: 'completed' };

test('each outcome makes of billing and subscription what its class says', () => {
  const table: readonly [ChargeResult, string, string, unknown, unknown][] = [
    ['approved', 'paid', 'paid', null, NEXT],
    ['blocked', 'denied', 'cardCanceled', BLOCKED, null],
    ['neverAgain', 'denied', 'neverAgain', BLOCKED, null],
    ['denied', 'denied', 'denied', DECLINED, null],
    ['technical', 'denied', 'technical', null, NEXT],
    ['invalid', 'paymentInvalid', 'invalid', null, NEXT],
    ['limited', 'denied', 'networkLimit', null, NEXT],
    ['cardExpired', 'paymentInvalid', 'cardExpired', null, NEXT],
    ['cardUnusable', 'paymentInvalid', 'cardUnusable', null, NEXT],
    ['cycleOver', 'paymentInvalid', 'cycleOver', null, NEXT],
    ['amountOutOfRange', 'paymentInvalid', 'amountOutOfRange', null, NEXT],
  ];
  for (const [outcome, state, rule, subscription, next] of table) {
    const after = billingAfterCharge(charge({ result: outcome }));
    assert.deepEqual(after, { billing: { state, chargeOn: null, rule }, subscription, next }, outcome);
  }
});

test('a monthly subscription ends with a final no, with and without installments; a custom one goes on', () => {
  for (const result of ['denied', 'funds'] as const) {
    const after = (planType: 'monthly' | 'custom') =>
      billingAfterCharge(charge({ result, terms: { ...CUSTOM, planType } }));
    assert.deepEqual([after('monthly').subscription, after('monthly').next], [DECLINED, null]);
    assert.deepEqual([after('custom').subscription, after('custom').next], [null, NEXT_OF_CUSTOM]);
  }
});

test('due on the 1st and never paid, it is tried on the 3rd, the 5th, the 9th and the 17th, and then no more', () => {
  const days: string[] = [];
  let scheduledOn: Day = DUE;
  for (let chargesMade = 1; ; chargesMade += 1) {
    const after = billingAfterCharge(charge({ chargesMade, scheduledOn, chargedOn: scheduledOn }));
    if (after.billing.chargeOn === null) {
      assert.deepEqual(after.billing, { state: 'denied', chargeOn: null, rule: 'noRetriesLeft' });
      assert.deepEqual([after.subscription, after.next], [DECLINED, null]);
      break;
    }
    assert.deepEqual([after.subscription, after.next], [null, null], 'nothing else is opened while it waits');
    scheduledOn = after.billing.chargeOn;
    days.push(scheduledOn);
  }
  assert.deepEqual(days, ['2026-12-03', '2026-12-05', '2026-12-09', '2026-12-17']);
});

test('a plan without retries, and one whose retries are used up, is denied at once', () => {
  for (const [maxRetries, made] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [4, 5],
  ] as const) {
    const terms = {
      paymentMethod: 'creditCard',
      planType: 'monthly',
      installments: ENDLESS,
      intervalDays: 30,
      maxRetries,
    } as const;
    const { billing } = billingAfterCharge(charge({ terms, chargesMade: made }));
    assert.deepEqual(billing, { state: 'denied', chargeOn: null, rule: 'noRetriesLeft' });
  }
});

test('after downtime a retry is counted from the day on which the charge was really made', () => {
  const after = billingAfterCharge(charge({ chargedOn: addDays(DUE, 9) }));
  assert.equal(after.billing.chargeOn, '2026-12-12');
});

test('a retry is never before the day that the issuer asks for', () => {
  const later = billingAfterCharge(charge({ earliestRetryOn: addDays(DUE, 10) }));
  assert.deepEqual(later.billing, { state: 'opened', chargeOn: '2026-12-11', rule: 'retryAsAdvised' });
  const earlier = billingAfterCharge(charge({ earliestRetryOn: addDays(DUE, 1) }));
  assert.deepEqual(earlier.billing, { state: 'opened', chargeOn: '2026-12-03', rule: 'retry' });
});

test('where the limit of the network is reached the failure is the last', () => {
  const after = billingAfterCharge(charge({ isNetworkLimitReached: true }));
  assert.deepEqual(after.billing, { state: 'denied', chargeOn: null, rule: 'networkLimit' });
  assert.deepEqual(after.subscription, DECLINED);
});

test('a retry that the network takes no more is the last failure; a first try says nothing of the subscription', () => {
  const retry = billingAfterCharge(charge({ result: 'limited', chargesMade: 2 }));
  assert.deepEqual([retry.billing.state, retry.subscription, retry.next], ['denied', DECLINED, null]);
  const ofCustom = billingAfterCharge(charge({ result: 'limited', chargesMade: 2, terms: CUSTOM }));
  assert.deepEqual([ofCustom.subscription, ofCustom.next], [null, NEXT_OF_CUSTOM]);
});

test('after a long downtime the next installment is charged a day after the one before, and stays due on its own day', () => {
  const late = billingAfterCharge(charge({ result: 'approved', chargedOn: '2027-02-15' as Day }));
  assert.deepEqual(late.next, { installment: 2, dueOn: '2026-12-31', chargeOn: '2027-02-16' });
  const onItsDay = billingAfterCharge(charge({ result: 'approved', chargedOn: '2026-12-31' as Day }));
  assert.equal(onItsDay.next?.chargeOn, '2027-01-01');
});

test('a charge of which nothing stays is made again on the same day, unless its subscription ended meanwhile', () => {
  const again = { state: 'opened', chargeOn: DUE, rule: 'sentAgain', isSkipped: false };
  for (const attemptNumber of [1, 2]) assert.deepEqual(billingAfterVoid('active', DUE, attemptNumber), again);
  for (const ended of ['blocked', 'canceled', 'completed'] as const) {
    const canceled = { state: 'canceled', chargeOn: null, rule: 'subscriptionEnded' };
    assert.deepEqual(billingAfterVoid(ended, DUE, 1), { ...canceled, isSkipped: true });
    assert.deepEqual(
      billingAfterVoid(ended, DUE, 2),
      { ...canceled, isSkipped: false },
      'one was declined before',
    );
  }
});

test('a plan of so many installments goes on after a denied one', () => {
  for (const outcome of ['funds', 'denied', 'technical', 'invalid'] as const) {
    const after = billingAfterCharge(charge({ result: outcome, terms: CUSTOM }));
    assert.deepEqual([after.subscription, after.next], [null, NEXT_OF_CUSTOM], outcome);
  }
});

test('after the last installment a subscription is completed, unless its card was canceled', () => {
  const blocked = { state: 'blocked', reason: 'cardCanceled' };
  for (const outcome of ALL_CHARGE_RESULTS) {
    for (const subscription of CARD_STATES) {
      const after = billingAfterCharge(
        charge({ result: outcome, subscription, terms: CUSTOM, installment: 3 }),
      );
      const isBlocked = subscription === 'active' && (outcome === 'blocked' || outcome === 'neverAgain');
      const expected = subscription === 'completed' ? null : isBlocked ? blocked : COMPLETED;
      assert.deepEqual([after.subscription, after.next], [expected, null], `${outcome} ${subscription}`);
    }
  }
});

test('one that was canceled while it was charged takes the outcome and opens nothing', () => {
  const states: Record<ChargeResult, BillingState> = {
    approved: 'paid',
    funds: 'canceled',
    blocked: 'denied',
    denied: 'denied',
    technical: 'denied',
    invalid: 'paymentInvalid',
    neverAgain: 'denied',
    limited: 'denied',
    cardExpired: 'paymentInvalid',
    cardUnusable: 'paymentInvalid',
    cycleOver: 'paymentInvalid',
    amountOutOfRange: 'paymentInvalid',
  };
  for (const outcome of ALL_CHARGE_RESULTS) {
    for (const subscription of ['canceled', 'blocked'] as const) {
      const after = billingAfterCharge(charge({ result: outcome, subscription }));
      assert.equal(after.billing.state, states[outcome], outcome);
      assert.deepEqual([after.billing.chargeOn, after.subscription, after.next], [null, null, null], outcome);
    }
  }
});

test('charged by hand it is paid, or stays what it was; only a canceled card blocks', () => {
  for (const billing of ['denied', 'paymentInvalid'] as const) {
    for (const outcome of ALL_CHARGE_RESULTS) {
      for (const subscription of CARD_STATES) {
        const after = billingAfterChargeByHand(billing, outcome, subscription);
        assert.equal(after.billing.state, outcome === 'approved' ? 'paid' : billing);
        assert.deepEqual([after.billing.chargeOn, after.next], [null, null]);
        const isBlocked = subscription === 'active' && ['blocked', 'neverAgain'].includes(outcome);
        assert.deepEqual(after.subscription, isBlocked ? BLOCKED : null);
      }
    }
  }
});

/** Ends of months and years, leap days, and days on which Brazil changed its clocks. */
const STRANGE_DAYS = [
  '2026-01-29',
  '2026-01-30',
  '2026-01-31',
  '2028-02-29',
  '2027-02-28',
  '2026-12-31',
  '2027-01-01',
  '2018-11-04',
  '2019-02-16',
  '2017-10-15',
] as Day[];

const DAY = fc.oneof(
  fc.constantFrom(...STRANGE_DAYS),
  fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01' as Day, days)),
);

const TERMS = fc
  .record({
    planType: fc.constantFrom(...PLAN_TYPES.filter((type) => type !== 'weekly')),
    customInterval: fc.integer({ min: 20, max: 3_650 }),
    customInstallments: fc.integer({ min: 1, max: 12 }),
    maxRetries: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ planType, customInterval, customInstallments, maxRetries }) => ({
    paymentMethod: 'creditCard' as const,
    planType,
    intervalDays: INTERVAL_DAYS[planType] ?? customInterval,
    installments: planType === 'custom' || planType === 'monthly' ? customInstallments : ENDLESS,
    maxRetries,
  }));

const OUTCOMES = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<ChargeResult>('approved', 'funds') },
    { weight: 1, arbitrary: fc.constantFrom(...ALL_CHARGE_RESULTS) },
  ),
  { minLength: 1, maxLength: 60 },
);

type Walked = { installment: number; dueOn: Day; state: BillingState; triedOn: Day[] };

/** Charges a subscription on its days, as the engine does, with the given outcomes in turn. */
function walk(
  subscribedOn: Day,
  trialDays: number,
  terms: ScheduledCharge['terms'],
  outcomes: ChargeResult[],
) {
  const first = firstDueOn(subscribedOn, trialDays);
  const billings: Walked[] = [{ installment: 1, dueOn: first, state: 'opened', triedOn: [] }];
  let subscription: SubscriptionState = 'active';
  let chargeOn: Day | null = first;
  for (const outcome of outcomes) {
    const billing = billings.at(-1) as Walked;
    if (chargeOn === null) break;
    billing.triedOn.push(chargeOn);
    const { installment, dueOn } = billing;
    const made = { chargesMade: billing.triedOn.length, scheduledOn: chargeOn, chargedOn: chargeOn };
    const after = billingAfterCharge(
      charge({ result: outcome, subscription, terms, installment, dueOn, ...made }),
    );
    billing.state = after.billing.state;
    subscription = after.subscription?.state ?? subscription;
    chargeOn = after.billing.chargeOn;
    if (after.next !== null) {
      billings.push({ ...after.next, state: 'opened', triedOn: [] });
      chargeOn = after.next.chargeOn;
    }
    assert.ok(billings.filter(({ state }) => state === 'opened').length <= 1, 'never two are open');
    const isOpen = billings.at(-1)?.state === 'opened';
    assert.equal(isOpen, subscription === 'active', 'one is open exactly while the subscription is active');
    assert.equal(isOpen, chargeOn !== null);
  }
  return { billings, subscription };
}

const daysFrom = (from: Day, to: Day) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

test('whatever comes of the charges, due days keep their distance, retries their pauses and installments their number', () => {
  fc.assert(
    fc.property(
      DAY,
      fc.integer({ min: 0, max: 730 }),
      TERMS,
      OUTCOMES,
      (subscribedOn, trialDays, terms, outcomes) => {
        const { billings, subscription } = walk(subscribedOn, trialDays, terms, outcomes);
        for (const [index, { installment, dueOn, triedOn, state }] of billings.entries()) {
          assert.equal(installment, index + 1);
          assert.equal(daysFrom(subscribedOn, dueOn), trialDays + index * terms.intervalDays);
          assert.ok(triedOn.length <= terms.maxRetries + 1, 'no more retries than the plan has');
          const tries = triedOn.map((day) => daysFrom(dueOn, day));
          assert.deepEqual(tries, [0, 2, 4, 8, 16].slice(0, triedOn.length));
          assert.ok(BILLING_STATES.includes(state));
        }
        if (terms.installments === ENDLESS) assert.notEqual(subscription, 'completed');
        else assert.ok(billings.length <= terms.installments);
        const isLastOver = billings.length === terms.installments && billings.at(-1)?.state !== 'opened';
        assert.equal(subscription === 'completed', isLastOver && subscription !== 'blocked');
      },
    ),
    { numRuns: 2_000 },
  );
});
