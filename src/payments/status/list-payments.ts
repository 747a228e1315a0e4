import type { Page, TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import type { ListedTransaction, TransactionOrder } from '../../transactions/transaction.ts';
import { findTransactionsByReference } from '../../transactions/transaction-queries.sql.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';

export type ListPaymentsTools = {
  /** A merchant's searches take their turns: a shop may use one reference for all its payments. */
  readonly search: Search;
};

/** All of them are read, in about a second, where no index has the order. */
const MOST_SORTED = 100_000;

/**
 * A page of the merchant's payments under one reference, and how many there are in all. Throws
 * `Overloaded` when too many searches of the merchant wait.
 */
export async function listPayments(
  { search }: ListPaymentsTools,
  merchantId: string,
  wanted: WantedPage<TransactionOrder> & { readonly referenceTransaction: string },
): Promise<Page<FoundPayment<ListedTransaction>> | TooManyToOrder> {
  const found = await search(merchantId, (database) =>
    findTransactionsByReference(database, merchantId, wanted, MOST_SORTED),
  );
  if (typeof found === 'string') return found;
  return { items: found.items.map((transaction) => paymentOf(transaction)), total: found.total };
}
