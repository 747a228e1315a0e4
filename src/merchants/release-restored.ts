import type { AuditEvent } from '../audit/audit-event.ts';
import type { Row } from '../platform/postgres/database.ts';
import type { MerchantTools } from './create-merchant.ts';
import { releaseRestoredStep } from './merchants.sql.ts';

/** How many merchants are charged again; or those that no restore holds, and nothing was released. */
export type ReleasedRestored = { readonly released: number } | { readonly unheld: readonly string[] };

class NotHeld extends Error {}

/** Ends the hold that `restore accept` began, of these merchants or (null) of all; a hold by hand stays. */
export async function releaseRestored(
  { audit, operator }: MerchantTools,
  named: readonly string[] | null,
  reason: string,
): Promise<ReleasedRestored> {
  const merchantIds = named === null ? [null] : [...new Set(named)].toSorted();
  let unheld: string[] = [];
  const eventsOf = (rows: readonly Row[][]): AuditEvent[] => {
    unheld = merchantIds.filter(
      (merchantId, at) => merchantId !== null && rows[at]?.length === 0,
    ) as string[];
    // All of them or none: a name that is wrong says that the list was not looked at.
    if (unheld.length > 0) throw new NotHeld();
    return merchantIds.flatMap((merchantId, at) => {
      const ofRestore = rows[at]?.length ?? 0;
      const resource = merchantId === null ? 'merchants' : `merchants/${merchantId}`;
      const shared = { ...operator, action: 'billing.release', outcome: 'success' } as const;
      return ofRestore === 0 ? [] : [{ ...shared, resource, detail: { ofRestore, reason } }];
    });
  };
  try {
    const released = await audit.commit(merchantIds.map(releaseRestoredStep), eventsOf);
    return { released: released.flat().length };
  } catch (error) {
    if (error instanceof NotHeld) return { unheld };
    throw error;
  }
}
