import type { AuditDetail, AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';

/** The entry of a change. A new subscription has none: it says itself who made it, and when. */
export function subscriptionChanged(
  { actor, subscriptionId }: { readonly actor: MerchantActor; readonly subscriptionId: string },
  before: AuditDetail,
  after: AuditDetail,
): AuditEvent {
  const changed = changedFields(before, after);
  return merchantEvent('subscription.change', actor, `subscriptions/${subscriptionId}`, changed);
}
