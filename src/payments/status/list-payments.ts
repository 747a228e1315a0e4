import type { Export, OpenExport } from '../../platform/exports.ts';
import type { Page } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import type { ListedTransaction } from '../../transactions/transaction.ts';
import {
  keyToLookUp,
  transactionSearchKind,
  transactionWalk,
  type WantedTransactions,
} from '../../transactions/transaction-search.ts';
import { searchTransactions } from '../../transactions/transaction-searches.sql.ts';
import { type WalkedTransaction, walkTransactions } from '../../transactions/transaction-walks.sql.ts';
import {
  type FoundPayment,
  type PaymentExportRefusal,
  type PaymentSearchRefusal,
  paymentOf,
} from '../payment.ts';

type ListPaymentsTools = {
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

export type ListAllPaymentsTools = ListPaymentsTools & { readonly openExport: OpenExport };

/**
 * All of the merchant's payments that a search finds, in the order of its pages; each as it stands when it is
 * read. Throws `Overloaded` when there is no place.
 */
export async function listAllPayments(
  tools: ListAllPaymentsTools,
  merchantId: string,
  wanted: WantedTransactions,
): Promise<Export<FoundPayment<WalkedTransaction>> | PaymentExportRefusal> {
  const walk = transactionWalk(wanted);
  if (walk === null) return 'notInThisOrder';
  // What is too much to be looked through for a page is too much for all pages.
  if (transactionSearchKind(wanted) === 'sorted') {
    const first = await listPayments(tools, merchantId, { ...wanted, page: 1, limit: 1, isForPeople: true });
    if (typeof first === 'string') return first;
  }
  return tools.openExport<FoundPayment<WalkedTransaction>>(merchantId, async (database, after, limit) => {
    const place = after?.transaction.place ?? null;
    const page = await walkTransactions(database, merchantId, { ...wanted, walk }, place, limit);
    return page.map((transaction) => paymentOf(transaction));
  });
}
