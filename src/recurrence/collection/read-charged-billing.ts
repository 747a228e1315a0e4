import { setTimeout as pause } from 'node:timers/promises';
import type { Once } from '../../platform/http/refusal.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database-errors.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { findBilling } from '../billings/billings.sql.ts';
import type { ManualChargeResult } from './charge-manually.ts';

const READ_AGAIN_MILLISECONDS = 100;

/**
 * The billing behind a charge by hand that stands, as it is now; null: the answer needs nothing but
 * the result of the charge. In no line behind the merchant's reads: the money has moved. What the
 * database cannot show now is read again; at the deadline the error goes on, and the connection is cut.
 */
export async function readChargedBilling(
  { database }: { readonly database: Reader },
  once: Once<ManualChargeResult>,
  merchantId: string,
  billingId: string,
  deadlineAt: number,
): Promise<BillingWithCharges | null> {
  const kind = 'result' in once ? once.result.kind : null;
  if (kind !== 'paid' && kind !== 'pending') return null;
  for (;;) {
    try {
      return await findBilling(database, merchantId, billingId);
    } catch (error) {
      const isRepeatable = error instanceof DatabaseUnavailable;
      if (!isRepeatable || performance.now() + READ_AGAIN_MILLISECONDS >= deadlineAt) throw error;
      await pause(READ_AGAIN_MILLISECONDS);
    }
  }
}
