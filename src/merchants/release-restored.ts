import type { MerchantTools } from './create-merchant.ts';
import { endRestoredHold } from './merchants.sql.ts';

/**
 * `released`: how many merchants are charged again. `unheld`: merchants without a hold: none is released.
 */
export type ReleasedRestored = { readonly released: number } | { readonly unheld: readonly string[] };

class NotHeld extends Error {
  readonly unheld: readonly string[];

  constructor(unheld: readonly string[]) {
    super();
    this.unheld = unheld;
  }
}

/** Ends the hold of `restore accept` for these merchants or (null) all. A hold by hand stays. */
export async function releaseRestored(
  { audit, operator }: MerchantTools,
  named: readonly string[] | null,
  reason: string,
): Promise<ReleasedRestored> {
  const merchantIds = named === null ? [null] : [...new Set(named)].toSorted();
  const shared = { ...operator, action: 'billing.release', outcome: 'success' } as const;
  try {
    return await audit.transaction(async (tx) => {
      const unheld: string[] = [];
      let released = 0;
      for (const merchantId of merchantIds) {
        const ofRestore = await endRestoredHold(tx, merchantId);
        const resource = merchantId === null ? 'merchants' : `merchants/${merchantId}`;
        if (ofRestore > 0) tx.record({ ...shared, resource, detail: { ofRestore, reason } });
        else if (merchantId !== null) unheld.push(merchantId);
        released += ofRestore;
      }
      // All or none: a wrong name shows that the list was not checked.
      if (unheld.length > 0) throw new NotHeld(unheld);
      return { released };
    });
  } catch (error) {
    if (error instanceof NotHeld) return { unheld: error.unheld };
    throw error;
  }
}
