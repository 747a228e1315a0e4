import type { MerchantActor } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Page, WantedPage } from '../../platform/pages.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { isUuid } from '../../values/ids.ts';
import type { Plan, PlanFilter, PlanOrder, PlanState } from './plan.ts';
import type { EditResult, EditRow, MoveResult, MoveRow, PlanKey } from './plan-changes.sql.ts';
import { findPlan, listPlanPage } from './plans.sql.ts';

export type ChangePlanTools = {
  readonly clock: BusinessClock;
  readonly editPlan: BatchedWrite<EditRow, EditResult>;
};

/** Edits the plan, or returns every reason against it and changes nothing. */
export async function changePlan(
  { clock, editPlan }: ChangePlanTools,
  planner: MerchantActor,
  planId: string,
  edit: Pick<EditRow, 'wanted' | 'leads'>,
  deadlineAt: number,
): Promise<EditResult> {
  const { merchantId, userName } = planner;
  if (!isUuid(planId)) return 'notFound';
  const stamp = { by: userName, at: clock.now(merchantId) };
  return editPlan({ merchantId, planId: planId.toLowerCase(), ...edit, stamp, planner }, deadlineAt);
}

export type MovePlanTools = {
  readonly clock: BusinessClock;
  readonly movePlan: BatchedWrite<MoveRow, MoveResult>;
};

/**
 * Returns the plan's key; null: there is no such plan. A cancel asks in the same commit for the end of the
 * plan's subscriptions, and leaves it to the caller for `leaseMilliseconds`.
 */
export async function changePlanState(
  { clock, movePlan }: MovePlanTools,
  planner: MerchantActor,
  planId: string,
  state: PlanState,
  leaseMilliseconds: number,
  deadlineAt: number,
): Promise<PlanKey | null> {
  const { merchantId, userName } = planner;
  if (!isUuid(planId)) return null;
  const key = { merchantId, planId: planId.toLowerCase() };
  const stamp = { by: userName, at: clock.now(merchantId) };
  const result = await movePlan({ ...key, state, stamp, planner, leaseMilliseconds }, deadlineAt);
  return result === 'done' ? key : null;
}

export type ReadPlanTools = { readonly lookUp: LookUp };

/** null for unknown plans and those of other merchants. */
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
