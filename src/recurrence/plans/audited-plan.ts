import type { AuditDetail, AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';
import type { Plan, PlanState } from './plan.ts';
import type { EditedPlan } from './plan-edit.ts';

/** What the audit log says of a plan: an offer of the merchant, none of it about a person. */
function fieldsOf({ name, description, softDescriptor, terms }: EditedPlan): AuditDetail {
  const { amount, planType, trialDays, intervalDays, installments, maxRetries } = terms;
  return {
    name,
    amount,
    planType,
    trialDays,
    intervalDays,
    installments,
    maxRetries,
    softDescriptor: softDescriptor ?? '',
    // Last: the longest, and cut where it is too long.
    description,
  };
}

export function planCreated(planner: MerchantActor, plan: Plan): AuditEvent {
  return merchantEvent('plan.create', planner, `plans/${plan.planId}`, fieldsOf(plan));
}

export function planEdited(planner: MerchantActor, before: Plan, after: EditedPlan): AuditEvent {
  const changed = changedFields(fieldsOf(before), fieldsOf(after));
  return merchantEvent('plan.change', planner, `plans/${before.planId}`, changed);
}

export function planMoved(
  planner: MerchantActor,
  planId: string,
  before: PlanState,
  state: PlanState,
): AuditEvent {
  const changed = changedFields({ state: before }, { state });
  return merchantEvent('plan.change', planner, `plans/${planId}`, changed);
}
