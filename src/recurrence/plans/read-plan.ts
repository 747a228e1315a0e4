import type { Page, WantedPage } from '../../platform/pages.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import type { Plan, PlanFilter, PlanOrder } from './plan.ts';
import { findPlan, listPlanPage } from './plans.sql.ts';

export type ReadPlanTools = { readonly lookUp: LookUp };

/** Null for unknown plans and those of other merchants. */
export async function readPlan(
  { lookUp }: ReadPlanTools,
  merchantId: string,
  planId: string,
): Promise<Plan | null> {
  if (!isUuid(planId)) return null;
  return lookUp(merchantId, (database) => findPlan(database, merchantId, planId));
}

export type ListPlansTools = {
  /** A merchant's searches take turns: nothing limits its number of plans. */
  readonly search: Search;
};

/** Throws `Overloaded` when too many of the merchant's searches wait. */
export function listPlans(
  { search }: ListPlansTools,
  merchantId: string,
  filter: PlanFilter,
  wanted: WantedPage<PlanOrder>,
): Promise<Page<Plan>> {
  return search(merchantId, (database) => listPlanPage(database, merchantId, filter, wanted));
}
