import type { Database } from '../platform/postgres/database.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { findTransaction } from '../transactions/transactions.sql.ts';
import { isUuid } from '../values/ids.ts';
import { type PaymentStatus, paymentStatus } from './payment.ts';

/** A payment of this merchant, or null: one of another merchant looks like one that never was. */
export async function findPayment(
  database: Database,
  merchantId: string,
  paymentId: string,
): Promise<{ transaction: Transaction; status: PaymentStatus } | null> {
  if (!isUuid(paymentId)) return null;
  const transaction = await findTransaction(database, merchantId, paymentId);
  if (transaction === null) return null;
  return { transaction, status: paymentStatus(transaction.state, transaction.installments) };
}
