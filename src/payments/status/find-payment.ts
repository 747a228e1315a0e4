import type { Database } from '../../platform/postgres/database.ts';
import { findTransaction } from '../../transactions/transaction-queries.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';

/**
 * A payment of this merchant with a page of its split, or null: one of another merchant looks like
 * one that never was.
 */
export async function findPayment(
  database: Database,
  merchantId: string,
  paymentId: string,
  splitPage: number,
): Promise<FoundPayment | null> {
  if (!isUuid(paymentId)) return null;
  const transaction = await findTransaction(database, merchantId, paymentId, splitPage);
  return transaction === null ? null : paymentOf(transaction);
}
