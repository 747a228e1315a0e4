import type { Database } from '../../platform/postgres/database.ts';
import type { ListedTransaction } from '../../transactions/transaction.ts';
import { findTransactionsByReference } from '../../transactions/transaction-queries.sql.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';

/** A page of the merchant's payments under one reference, newest first, and how many there are in all. */
export async function listPayments(
  database: Database,
  merchantId: string,
  wanted: { readonly referenceTransaction: string; readonly page: number; readonly limit: number },
): Promise<{ readonly items: readonly FoundPayment<ListedTransaction>[]; readonly total: number }> {
  const { items, total } = await findTransactionsByReference(database, merchantId, wanted);
  return { items: items.map((transaction) => paymentOf(transaction)), total };
}
