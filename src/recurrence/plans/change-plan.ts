import type { MerchantActor } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { isUuid } from '../../values/ids.ts';
import type { PlanState } from './plan.ts';
import type { EditResult, EditRow, MoveResult, MoveRow, PlanKey } from './plan-changes.sql.ts';
import type { WantedPlan } from './plan-edit.ts';

export type ChangePlanTools = {
  readonly clock: BusinessClock;
  readonly editPlan: BatchedWrite<EditRow, EditResult>;
};

/** Edits the plan, or gives every reason against it and changes nothing. */
export async function changePlan(
  { clock, editPlan }: ChangePlanTools,
  planner: MerchantActor,
  planId: string,
  wanted: WantedPlan,
  deadlineAt: number,
): Promise<EditResult> {
  const { merchantId, userName } = planner;
  if (!isUuid(planId)) return 'notFound';
  const stamp = { by: userName, at: clock.now(merchantId) };
  return editPlan({ merchantId, planId: planId.toLowerCase(), wanted, stamp, planner }, deadlineAt);
}

export type MovePlanTools = {
  readonly clock: BusinessClock;
  readonly movePlan: BatchedWrite<MoveRow, MoveResult>;
};

/**
 * Changes a plan's state. A cancel asks in the same commit for the end of its subscriptions, which the caller
 * sees to for `leaseMilliseconds`; gives its key. Null: no such plan.
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
