import type { LookUp } from '../../platform/postgres/searches.ts';
import { idOrUnissued } from '../../values/ids.ts';
import type { SubscriptionCreationRefusal } from './subscription.ts';
import { findCreationRefusals } from './subscription-creation.sql.ts';

/**
 * What a subscription names that this merchant does not have, of a request of which only a part can
 * be read. A plan that is not active is no fault of the request.
 */
export async function checkNewSubscription(
  { lookUp }: { readonly lookUp: LookUp },
  merchantId: string,
  { planId, vaultId }: { readonly planId?: string; readonly vaultId?: string },
): Promise<readonly SubscriptionCreationRefusal[]> {
  if (planId === undefined && vaultId === undefined) return [];
  const ids = { planId: idOrUnissued(planId ?? ''), vaultId: idOrUnissued(vaultId ?? '') };
  const refusals = await lookUp(merchantId, (database) =>
    findCreationRefusals(database, { merchantId, ...ids }),
  );
  const unknown = {
    unknownPlan: planId !== undefined,
    unknownCard: vaultId !== undefined,
    planNotActive: false,
  };
  return refusals.filter((refusal) => unknown[refusal]);
}
