import { setTimeout as pause } from 'node:timers/promises';
import type { Once } from '../../platform/http/refusal.ts';
import { DatabaseUnavailable } from '../../platform/postgres/database.ts';
import { Overloaded } from '../../platform/work/overloaded.ts';
import type { BillingWithCharges } from '../billings/billing.ts';
import { readBilling, type SearchTools } from '../billings/list-billings.ts';
import type { ManualChargeResult } from './charge-manually.ts';

const READ_AGAIN_MILLISECONDS = 100;

/**
 * The billing behind a charge by hand that stands, as it is now; null: the answer needs nothing but
 * the result of the charge. What the database cannot show now is read again; at the deadline the
 * error goes on, and the connection is cut.
 */
export async function readChargedBilling(
  tools: Pick<SearchTools, 'lookUp'>,
  once: Once<ManualChargeResult>,
  merchantId: string,
  billingId: string,
  deadlineAt: number,
): Promise<BillingWithCharges | null> {
  const kind = 'result' in once ? once.result.kind : null;
  if (kind !== 'paid' && kind !== 'pending') return null;
  for (;;) {
    try {
      return await readBilling(tools, merchantId, billingId);
    } catch (error) {
      const isRepeatable = error instanceof DatabaseUnavailable || error instanceof Overloaded;
      if (!isRepeatable || performance.now() + READ_AGAIN_MILLISECONDS >= deadlineAt) throw error;
      await pause(READ_AGAIN_MILLISECONDS);
    }
  }
}
