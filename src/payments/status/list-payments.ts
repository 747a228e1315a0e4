import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { ListedTransaction, TransactionOrder } from '../../transactions/transaction.ts';
import { findTransactionsByReference } from '../../transactions/transaction-queries.sql.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';

/** A page of the merchant's payments under one reference, and how many there are in all. */
export async function listPayments(
  database: Database,
  merchantId: string,
  wanted: WantedPage<TransactionOrder> & { readonly referenceTransaction: string },
): Promise<Page<FoundPayment<ListedTransaction>>> {
  const { items, total } = await findTransactionsByReference(database, merchantId, wanted);
  return { items: items.map((transaction) => paymentOf(transaction)), total };
}
