import type { AuditDetail, AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';
import type { Day } from '../../values/instant.ts';
import type { PlanAmount } from '../../values/plan-amount.ts';

/** Ids and terms only: an order number is a text of the merchant, and may name a person. */
export type AuditedEnrolment = {
  readonly subscriptionId: string;
  readonly planId: string;
  readonly vaultId: string;
  readonly accountNumber: string;
  readonly amount: PlanAmount;
  readonly firstDueOn: Day;
};

export function subscriptionCreated(
  actor: MerchantActor,
  { subscriptionId, planId, vaultId, accountNumber, amount, firstDueOn }: AuditedEnrolment,
): AuditEvent {
  const detail = { planId, vaultId, accountNumber, amount, firstDueOn };
  return merchantEvent('subscription.create', actor, `subscriptions/${subscriptionId}`, detail);
}

export function subscriptionChanged(
  { actor, subscriptionId }: { readonly actor: MerchantActor; readonly subscriptionId: string },
  before: AuditDetail,
  after: AuditDetail,
): AuditEvent {
  const changed = changedFields(before, after);
  return merchantEvent('subscription.change', actor, `subscriptions/${subscriptionId}`, changed);
}
