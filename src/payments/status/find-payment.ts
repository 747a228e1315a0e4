import type { LookUp } from '../../platform/postgres/searches.ts';
import { notePayment } from '../../platform/tracing/scope.ts';
import type { TransactionWithCancels } from '../../transactions/cancels/cancel.ts';
import { findTransactionWithCancels } from '../../transactions/transaction-queries.sql.ts';
import { isUuid } from '../../values/ids.ts';
import { type FoundPayment, paymentOf } from '../payment.ts';

export type FindPaymentTools = { readonly lookUp: LookUp };

/**
 * A payment of this merchant with a page of its split and its cancels, or null: one of another
 * merchant looks like one that never was.
 */
export async function findPayment(
  { lookUp }: FindPaymentTools,
  merchantId: string,
  paymentId: string,
  splitPage: number,
): Promise<FoundPayment<TransactionWithCancels> | null> {
  if (!isUuid(paymentId)) return null;
  const transaction = await lookUp(merchantId, (database) =>
    findTransactionWithCancels(database, merchantId, paymentId, splitPage),
  );
  if (transaction === null) return null;
  notePayment({ referenceTransaction: transaction.referenceTransaction });
  return paymentOf(transaction);
}
