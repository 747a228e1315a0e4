import type { Page } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import type { ListedTransaction } from '../../transactions/transaction.ts';
import { keyToLookUp, type WantedTransactions } from '../../transactions/transaction-search.ts';
import { searchTransactions } from '../../transactions/transaction-searches.sql.ts';
import { type FoundPayment, type PaymentSearchRefusal, paymentOf } from '../payment.ts';

export type ListPaymentsTools = {
  /** A merchant's searches take their turns: a shop may use one reference for all its payments. */
  readonly search: Search;
};

/** All of them are read, in about a second, where no index has the order. */
const MOST_SORTED = 100_000;

/**
 * A page of the merchant's payments, and how many there are in all. Throws `Overloaded` when too many
 * searches of the merchant wait.
 */
export async function listPayments(
  { search }: ListPaymentsTools,
  merchantId: string,
  wanted: WantedTransactions,
): Promise<Page<FoundPayment<ListedTransaction>> | PaymentSearchRefusal> {
  const found = await search(merchantId, (database) =>
    searchTransactions(database, merchantId, wanted, MOST_SORTED),
  );
  if (found === 'tooManyToOrder') return keyToLookUp(wanted) === null ? 'tooManyOfPeriod' : 'tooManyOfKey';
  return { items: found.items.map((transaction) => paymentOf(transaction)), total: found.total };
}
