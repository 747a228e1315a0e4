import type { Page, WantedPage } from '../../platform/pages.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import type { Plan, PlanFilter, PlanOrder } from './plan.ts';
import { findPlan, listPlanPage } from './plans.sql.ts';

export type ReadPlanTools = { readonly lookUp: LookUp };

/** A plan of this merchant, or null: one of another merchant looks like one that never was. */
export async function readPlan(
  { lookUp }: ReadPlanTools,
  merchantId: string,
  planId: string,
): Promise<Plan | null> {
  if (!isUuid(planId)) return null;
  return lookUp(merchantId, (database) => findPlan(database, merchantId, planId));
}

export type ListPlansTools = {
  /** A merchant's searches take their turns: nothing bounds how many plans it has. */
  readonly search: Search;
};

/**
 * A page of this merchant's plans, and how many fit in all. Throws `Overloaded` when too many
 * searches of the merchant wait.
 */
export function listPlans(
  { search }: ListPlansTools,
  merchantId: string,
  filter: PlanFilter,
  wanted: WantedPage<PlanOrder>,
): Promise<Page<Plan>> {
  return search(merchantId, (database) => listPlanPage(database, merchantId, filter, wanted));
}
