import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Day } from '../../values/instant.ts';
import { type PlanAmount, planAmount } from '../../values/plan-amount.ts';
import { dueDayAfter, firstDueOn, plannedBillings } from './calendar.ts';
import { ENDLESS, INTERVAL_DAYS, PLAN_TYPES, type Terms } from './plan.ts';

/** Ends of months and years, a leap day, and days on which Brazil changed its clocks. */
const START_DAYS = [
  '2027-01-29',
  '2027-01-30',
  '2027-01-31',
  '2028-01-31',
  '2028-02-29',
  '2027-12-31',
  '2028-01-01',
  '2018-11-04',
  '2019-02-16',
  '2019-02-17',
  '1985-11-02',
  '2012-10-21',
] as Day[];

const amount = planAmount(49.9) as PlanAmount;
const everyDays = (intervalDays: number) =>
  ({ paymentMethod: 'creditCard', planType: 'custom', intervalDays }) as const;

const anyTerms: fc.Arbitrary<Terms> = fc
  .record({
    planType: fc.constantFrom(...PLAN_TYPES),
    trialDays: fc.integer({ min: 0, max: 730 }),
    ownInterval: fc.integer({ min: 20, max: 3650 }),
    ownInstallments: fc.integer({ min: 1, max: 999 }),
    maxRetries: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ planType, trialDays, ownInterval, ownInstallments, maxRetries }) => ({
    amount,
    paymentMethod: 'creditCard',
    planType,
    trialDays,
    intervalDays: INTERVAL_DAYS[planType] ?? ownInterval,
    installments: planType === 'custom' ? ownInstallments : ENDLESS,
    maxRetries,
  }));

/** Counted by another calendar than the tested one. */
const daysFrom = (from: Day, to: Day): number =>
  Temporal.PlainDate.from(from).until(to, { largestUnit: 'days' }).days;

test('the first is due after the trial, and every other exactly one interval after the one before', () => {
  fc.assert(
    fc.property(
      anyTerms,
      fc.constantFrom(...START_DAYS),
      fc.integer({ min: 1, max: 100 }),
      (terms, subscribedOn, count) => {
        const billings = plannedBillings(terms, subscribedOn, count) ?? [];
        const days = billings.map(({ dueOn }) => daysFrom(subscribedOn, dueOn));
        const most = terms.planType === 'custom' ? Math.min(count, terms.installments) : count;
        const expected = Array.from({ length: most }, (_, i) => terms.trialDays + i * terms.intervalDays);
        assert.deepEqual(days, expected);
        assert.deepEqual(
          billings.map(({ installment }) => installment),
          expected.map((_, index) => index + 1),
        );
        for (const { dueOn, retriesOn } of billings) {
          const pauses = retriesOn.map((day) => daysFrom(dueOn, day));
          assert.deepEqual(pauses, [2, 4, 8, 16].slice(0, terms.maxRetries));
        }
      },
    ),
  );
});

test('a month is no unit: thirty days after 31 January is 2 March, in a leap year the 1st', () => {
  assert.equal(dueDayAfter('2027-01-31' as Day, everyDays(30)), '2027-03-02');
  assert.equal(dueDayAfter('2028-01-31' as Day, everyDays(30)), '2028-03-01');
  assert.equal(firstDueOn('2027-02-02' as Day, 10), '2027-02-12');
});

test('days that were an hour shorter or longer are days like any other', () => {
  assert.equal(dueDayAfter('2018-11-03' as Day, everyDays(1)), '2018-11-04');
  assert.equal(dueDayAfter('2019-02-16' as Day, everyDays(1)), '2019-02-17');
  assert.equal(dueDayAfter('1985-11-02' as Day, everyDays(30)), '1985-12-02');
});

test('what leaves the calendar has no days at all', () => {
  const terms = {
    amount,
    planType: 'yearly',
    paymentMethod: 'creditCard',
    trialDays: 0,
    intervalDays: 365,
    installments: ENDLESS,
  } as const;
  assert.equal(plannedBillings({ ...terms, maxRetries: 0 }, '9999-01-01' as Day, 2), null);
  assert.equal(plannedBillings({ ...terms, maxRetries: 0 }, '9999-01-01' as Day, 1)?.length, 1);
  assert.equal(plannedBillings({ ...terms, maxRetries: 4 }, '9999-12-31' as Day, 1), null);
});
