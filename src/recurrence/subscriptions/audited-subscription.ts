import type { AuditDetail, AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';

/** Who made it, and when, stands in the subscription itself, as with a payment. */
export function subscriptionChanged(
  { actor, subscriptionId }: { readonly actor: MerchantActor; readonly subscriptionId: string },
  before: AuditDetail,
  after: AuditDetail,
): AuditEvent {
  const changed = changedFields(before, after);
  return merchantEvent('subscription.change', actor, `subscriptions/${subscriptionId}`, changed);
}
