import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../values/instant.ts';
import {
  hasLeadTime,
  isEverInTime,
  isTooLate,
  pixChargeDay,
  pixDueDayAfter,
  pixRetryDay,
  possiblePixRetryDays,
  sentOn,
} from './pix-schedule.ts';
import type { PlanType } from './plan.ts';

const day = (text: string) => text as Day;

test('due days follow the calendar, one in every month and week', () => {
  assert.equal(pixDueDayAfter(day('2026-11-15'), 'monthly'), '2026-12-15');
  assert.equal(pixDueDayAfter(day('2026-12-31'), 'monthly'), '2027-01-28');
  assert.equal(pixDueDayAfter(day('2026-12-10'), 'quarterly'), '2027-03-10');
  assert.equal(pixDueDayAfter(day('2026-08-29'), 'semesterly'), '2027-02-28');
  assert.equal(pixDueDayAfter(day('2028-02-29'), 'yearly'), '2029-02-28');
  assert.equal(pixDueDayAfter(day('2026-12-28'), 'weekly'), '2027-01-04');
  assert.throws(() => pixDueDayAfter(day('9999-12-01'), 'monthly'), RangeError);
});

test('further tries are at most three, within seven days, and never today', () => {
  const due = { dueOn: day('2026-12-01'), maxRetries: 3 };
  assert.equal(pixRetryDay(due, 0, day('2026-12-01')), '2026-12-03');
  assert.equal(pixRetryDay(due, 1, day('2026-12-06')), '2026-12-07');
  assert.equal(pixRetryDay(due, 2, day('2026-12-07')), '2026-12-08');
  assert.equal(pixRetryDay(due, 2, day('2026-12-08')), null);
  assert.equal(pixRetryDay(due, 3, day('2026-12-02')), null);
  assert.equal(pixRetryDay({ ...due, maxRetries: 0 }, 0, day('2026-12-01')), null);
  assert.deepEqual(possiblePixRetryDays(day('2026-12-01'), 2), ['2026-12-03', '2026-12-05']);
});

test('a charge is sent ahead of its due day, and never in the past', () => {
  assert.equal(sentOn(day('2026-12-10'), 3, day('2026-12-01')), '2026-12-07');
  assert.equal(sentOn(day('2026-12-02'), 3, day('2026-12-01')), '2026-12-01');
});

test('a weekly charge is not sent a week ahead: the one before would not be over', () => {
  assert.deepEqual(
    [hasLeadTime('weekly', 6), hasLeadTime('weekly', 7), hasLeadTime('monthly', 10)],
    [true, false, true],
  );
});

test('a plan that no bank here could ever collect is none to be made; without a bank nothing is known', () => {
  const isKept = (planType: PlanType, leads: readonly number[]) =>
    isEverInTime(
      { planType, paymentMethod: 'pixAutomatic' },
      leads.map((leadDays) => ({ leadDays })),
    );
  assert.deepEqual(
    [isKept('weekly', [7]), isKept('weekly', [10, 6]), isKept('weekly', []), isKept('monthly', [10])],
    [false, true, true, true],
  );
  assert.ok(isEverInTime({ planType: 'weekly', paymentMethod: 'creditCard' }, [{ leadDays: 7 }]));
});

test('what was not sent keeps its days only while the bank has its lead time, a further try until the day before', () => {
  const first = { attemptNumber: 1, dueOn: day('2026-12-10'), tryOn: day('2026-12-10') };
  assert.equal(isTooLate(first, 3, day('2026-12-07')), false);
  assert.equal(isTooLate(first, 3, day('2026-12-08')), true);
  const again = { attemptNumber: 2, dueOn: day('2026-12-10'), tryOn: day('2026-12-12') };
  assert.equal(isTooLate(again, 3, day('2026-12-11')), false);
  assert.equal(isTooLate(again, 3, day('2026-12-12')), true);
});

test('a day that was missed is chosen anew within its cycle: a week, or so many months from the first day on', () => {
  const chosen = (planType: PlanType, dueOn: string, earliest: string) =>
    pixChargeDay({ planType, dueOn: day(dueOn), startsOn: day('2026-12-15') }, day(earliest));
  assert.equal(chosen('monthly', '2026-12-15', '2026-12-10'), '2026-12-15');
  assert.equal(chosen('weekly', '2026-12-15', '2026-12-21'), '2026-12-21');
  assert.equal(chosen('weekly', '2026-12-15', '2026-12-22'), null);
  assert.equal(chosen('weekly', '2026-12-22', '2026-12-23'), '2026-12-23');
  assert.equal(chosen('monthly', '2027-01-15', '2027-02-14'), '2027-02-14');
  assert.equal(chosen('monthly', '2027-01-15', '2027-02-15'), null);
  assert.equal(chosen('quarterly', '2026-12-15', '2027-03-14'), '2027-03-14');
  assert.equal(chosen('quarterly', '2026-12-15', '2027-03-15'), null);
  assert.equal(chosen('yearly', '2026-12-15', '2027-12-15'), null);
  // The due day of a first charge that its code did not pay lies before the first cycle.
  assert.equal(chosen('monthly', '2026-11-15', '2026-11-18'), null);
});
