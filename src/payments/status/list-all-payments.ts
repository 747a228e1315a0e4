import type { Export, OpenExport } from '../../platform/exports.ts';
import {
  transactionSearchKind,
  transactionWalk,
  type WantedTransactions,
} from '../../transactions/transaction-search.ts';
import { type WalkedTransaction, walkTransactions } from '../../transactions/transaction-walks.sql.ts';
import { type FoundPayment, type PaymentExportRefusal, paymentOf } from '../payment.ts';
import { type ListPaymentsTools, listPayments } from './list-payments.ts';

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
