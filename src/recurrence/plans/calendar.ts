import type { Cents } from '../../values/cents.ts';
import { addDays, type Day } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import { pixDueDayAfter, possiblePixRetryDays } from './pix-schedule.ts';
import { ENDLESS, type Terms } from './plan.ts';
import { possibleRetryDays } from './retry-schedule.ts';

/** The day of the subscription in São Paulo plus the trial. */
export function firstDueOn(subscribedOn: Day, trialDays: number): Day {
  return addDays(subscribedOn, trialDays);
}

/** Cards count days, not months: thirty for everybody. Pix Automático counts by the calendar. */
export function dueDayAfter(
  dueOn: Day,
  { paymentMethod, planType, intervalDays }: Pick<Terms, 'paymentMethod' | 'planType' | 'intervalDays'>,
): Day {
  return paymentMethod === 'pixAutomatic' ? pixDueDayAfter(dueOn, planType) : addDays(dueOn, intervalDays);
}

/** A billing of a series that nothing changes. */
export type PlannedBilling = {
  readonly installment: number;
  readonly dueOn: Day;
  readonly amount: Cents;
  /** The days of its retries, if every charge fails for a lack of funds. */
  readonly retriesOn: readonly Day[];
};

/** The first `count` billings, or all. null: a day, retries included, lies after the calendar's end. */
export function plannedBillings(terms: Terms, subscribedOn: Day, count: number): PlannedBilling[] | null {
  const { trialDays, installments } = terms;
  const amount = centsOfPlanAmount(terms.amount);
  const billings: PlannedBilling[] = [];
  const most = installments === ENDLESS ? count : Math.min(count, installments);
  try {
    for (let dueOn = firstDueOn(subscribedOn, trialDays); ; dueOn = dueDayAfter(dueOn, terms)) {
      const installment = billings.length + 1;
      billings.push({ installment, dueOn, amount, retriesOn: retryDays(terms, dueOn) });
      if (installment === most) return billings;
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function retryDays({ paymentMethod, maxRetries }: Terms, dueOn: Day): Day[] {
  return paymentMethod === 'pixAutomatic'
    ? possiblePixRetryDays(dueOn, maxRetries)
    : possibleRetryDays(dueOn, maxRetries);
}
