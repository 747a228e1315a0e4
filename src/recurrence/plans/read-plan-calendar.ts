import type { BusinessClock } from '../../platform/business-clock.ts';
import { type Day, saoPauloDay } from '../../values/instant.ts';
import { type PlannedBilling, plannedBillings } from './calendar.ts';
import { type ReadPlanTools, readPlan } from './read-plan.ts';

export type ReadCalendarTools = ReadPlanTools & { readonly clock: BusinessClock };

export type PlanCalendar = {
  readonly planId: string;
  readonly startOn: Day;
  readonly billings: readonly PlannedBilling[];
};

/**
 * The due days of a subscription made on a day, today when it is null. `behindCalendar`: one of
 * them lies beyond the last year.
 */
export async function readPlanCalendar(
  tools: ReadCalendarTools,
  merchantId: string,
  planId: string,
  { startOn, count }: { readonly startOn: Day | null; readonly count: number },
): Promise<PlanCalendar | 'notFound' | 'behindCalendar'> {
  const plan = await readPlan(tools, merchantId, planId);
  if (plan === null) return 'notFound';
  const day = startOn ?? saoPauloDay(tools.clock.now(merchantId));
  const billings = plannedBillings(plan.terms, day, count);
  return billings === null ? 'behindCalendar' : { planId: plan.planId, startOn: day, billings };
}
