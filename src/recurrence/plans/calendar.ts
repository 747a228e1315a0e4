import type { Cents } from '../../values/cents.ts';
import { addDays, type Day } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import { ENDLESS, type Terms } from './plan.ts';
import { possibleRetryDays } from './retry-schedule.ts';

/** The day of the first billing: that of the subscription in São Paulo, after the trial. */
export function firstDueOn(subscribedOn: Day, trialDays: number): Day {
  return addDays(subscribedOn, trialDays);
}

/**
 * The due day after another of the same series. Days are counted, months are not: the thirtieth day
 * after is one for everybody.
 */
export function dueDayAfter(dueOn: Day, intervalDays: number): Day {
  return addDays(dueOn, intervalDays);
}

/**
 * One billing of a subscription made on a given day, if nothing happens that changes the series.
 */
export type PlannedBilling = {
  readonly installment: number;
  readonly dueOn: Day;
  /** What is charged. */
  readonly amount: Cents;
  /**
   * The days on which it may be charged again, if every charge before fails for a lack of funds.
   */
  readonly retriesOn: readonly Day[];
};

/**
 * The first `count` billings of an enrolment on a day, fewer when the plan ends before. Null: one
 * of their days, retries included, lies behind the end of the calendar.
 */
export function plannedBillings(terms: Terms, subscribedOn: Day, count: number): PlannedBilling[] | null {
  const { trialDays, intervalDays, installments, maxRetries } = terms;
  const amount = centsOfPlanAmount(terms.amount);
  const billings: PlannedBilling[] = [];
  const most = installments === ENDLESS ? count : Math.min(count, installments);
  try {
    for (let dueOn = firstDueOn(subscribedOn, trialDays); ; dueOn = dueDayAfter(dueOn, intervalDays)) {
      const installment = billings.length + 1;
      billings.push({ installment, dueOn, amount, retriesOn: possibleRetryDays(dueOn, maxRetries) });
      if (installment === most) return billings;
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
