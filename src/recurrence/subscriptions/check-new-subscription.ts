import type { Database } from '../../platform/postgres/database.ts';
import { idOrNobodys } from '../../values/ids.ts';
import type { SubscriptionCreationRefusal } from './subscription.ts';
import { findCreationRefusals } from './subscription-creation.sql.ts';

/** What is in the way of an enrolment of which only a part can be read: what is named is looked up, and nothing is done. */
export async function checkNewSubscription(
  { database }: { readonly database: Database },
  merchantId: string,
  { planId, vaultId }: { readonly planId?: string; readonly vaultId?: string },
): Promise<readonly SubscriptionCreationRefusal[]> {
  if (planId === undefined && vaultId === undefined) return [];
  const ids = { planId: idOrNobodys(planId ?? ''), vaultId: idOrNobodys(vaultId ?? '') };
  const refusals = await findCreationRefusals(database, { merchantId, ...ids });
  return refusals.filter((refusal) => (refusal === 'unknownCard' ? vaultId : planId) !== undefined);
}
