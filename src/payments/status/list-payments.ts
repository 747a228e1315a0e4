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
  /** A merchant's searches take turns: a shop may use one reference for all its payments. */
  readonly search: Search;
};

/** Read and sorted in about a second, where no index has the order. */
const MOST_SORTED = 100_000;

/** Throws `Overloaded` when too many of the merchant's searches wait. */
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

/** All results in the order of pages, each as it is when read. Throws `Overloaded`. */
export async function listAllPayments(
  tools: ListAllPaymentsTools,
  merchantId: string,
  wanted: WantedTransactions,
): Promise<Export<FoundPayment<WalkedTransaction>> | PaymentExportRefusal> {
  const walk = transactionWalk(wanted);
  if (walk === null) return 'notInThisOrder';
  // Too many for one page is too many for all.
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
