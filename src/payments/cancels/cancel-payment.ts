import {
  type CancelResult,
  type CancelTools,
  cancelTransaction,
} from '../../transactions/cancels/cancel-transaction.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';

/** Gives back an amount of a payment of this merchant, or all that is left (`amount` null). */
export async function cancelPayment(
  tools: CancelTools,
  seller: { readonly merchantId: string; readonly userName: string },
  wanted: { readonly paymentId: string; readonly amount: Cents | null },
  deadlineAt: number,
): Promise<CancelResult> {
  if (!isUuid(wanted.paymentId)) return { kind: 'refused', refusal: 'notFound' };
  const { merchantId, userName: createdBy } = seller;
  const transactionId = wanted.paymentId.toLowerCase();
  return cancelTransaction(
    tools,
    { merchantId, transactionId, amount: wanted.amount, createdBy },
    deadlineAt,
  );
}
