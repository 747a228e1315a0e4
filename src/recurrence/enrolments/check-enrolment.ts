import type { Database } from '../../platform/postgres/database.ts';
import { idOrNobodys } from '../../values/ids.ts';
import type { EnrolmentRefusal } from '../subscriptions/subscription.ts';
import { findEnrolmentRefusals } from './enrolments.sql.ts';

/** What is in the way of an enrolment of which only a part can be read: what is named is looked up, and nothing is done. */
export async function checkEnrolment(
  { database }: { readonly database: Database },
  merchantId: string,
  { planId, vaultId }: { readonly planId?: string; readonly vaultId?: string },
): Promise<readonly EnrolmentRefusal[]> {
  if (planId === undefined && vaultId === undefined) return [];
  const ids = { planId: idOrNobodys(planId ?? ''), vaultId: idOrNobodys(vaultId ?? '') };
  const refusals = await findEnrolmentRefusals(database, { merchantId, ...ids });
  return refusals.filter((refusal) => (refusal === 'unknownCard' ? vaultId : planId) !== undefined);
}
