import { dueDayAfter } from '../../recurrence/plans/calendar.ts';
import type { PlanType } from '../../recurrence/plans/plan.ts';
import { isScheduleOver } from '../../recurrence/subscriptions/schedule.ts';
import type { Day } from '../../values/instant.ts';

type Series = {
  readonly status: string;
  readonly plan: {
    readonly interval: number;
    readonly installments: number;
    /** Absent: a card pays, every `interval` days. */
    readonly planType?: string;
    readonly paymentMethod?: string;
  };
};
export type Forecast = { readonly installment: number; readonly dueOn: Day };

/** The due days that follow the last billing, by the terms that the subscription keeps. */
export function* forecasts(
  { status, plan }: Series,
  last: { readonly installment: number; readonly expireAt: string },
): Generator<Forecast> {
  const terms = {
    intervalDays: plan.interval,
    installments: plan.installments,
    planType: (plan.planType ?? 'Monthly').toLowerCase() as PlanType,
    paymentMethod:
      plan.paymentMethod === 'PixAutomatic' ? ('pixAutomatic' as const) : ('creditCard' as const),
  };
  let at: Forecast = { installment: last.installment, dueOn: last.expireAt.slice(0, 10) as Day };
  while (status === 'Active' && !isScheduleOver(at, terms)) {
    at = { installment: at.installment + 1, dueOn: dueDayAfter(at.dueOn, terms) };
    yield at;
  }
}

export function forecastOf(
  series: Series,
  last: { readonly installment: number; readonly expireAt: string },
  year: number,
): Forecast[] {
  const found: Forecast[] = [];
  for (const one of forecasts(series, last)) {
    if (one.dueOn > `${year}-12-31`) break;
    if (one.dueOn >= `${year}-01-01`) found.push(one);
  }
  return found;
}
