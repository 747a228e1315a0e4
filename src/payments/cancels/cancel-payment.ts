import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Once } from '../../platform/http/failures.ts';

import type { RecordedCancel } from '../../transactions/cancels/cancel.ts';
import {
  type CancelResult,
  type CancelTools,
  cancelTransaction,
} from '../../transactions/cancels/cancel-transaction.ts';
import { findCancel, findMadeCancel } from '../../transactions/cancels/cancels.sql.ts';
import { findRelease, type RecordedRelease } from '../../transactions/methods/card/releases.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';

export type CancelPaymentTools = CancelTools & FindRequestTools;

/**
 * Gives back `amount`, or the rest (null). A repetition gives the outcome. Pending until the acquirer
 * answers.
 */
export async function cancelPayment(
  tools: CancelPaymentTools,
  seller: { readonly merchantId: string; readonly userName: string },
  wanted: {
    readonly paymentId: string;
    readonly amount: Cents | null;
  },
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<CancelResult>> {
  const { paymentId, amount } = wanted;
  if (!isUuid(paymentId)) return { kind: 'first', result: { kind: 'refused', refusal: 'notFound' } };
  const { merchantId, userName: createdBy } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  const transactionId = paymentId.toLowerCase();
  return answerOnce(tools, merchantId, request, {
    make: async (isFirst) =>
      (await isFirst)
        ? cancelTransaction(tools, { merchantId, transactionId, amount, createdBy, request }, deadlineAt)
        : 'keyUsed',
    // The acquirer's refusal is an outcome, and recorded like a confirmation.
    isRefused: (result) => result.kind === 'refused' && result.refusal !== 'refusedByAcquirer',
    findMade: (span) => findMadeCancel(tools.database, { merchantId, transactionId }, span),
    async repeatAnswer(cancelId) {
      const cancel = await findCancel(tools.database, merchantId, cancelId);
      if (cancel !== null) return outcomeOf(cancel);
      const release = await findRelease(tools.database, merchantId, transactionId, cancelId);
      return release === null ? null : outcomeOfRelease(release);
    },
  });
}

/** For a pre-authorization; null while its void is not acknowledged. */
function outcomeOfRelease({
  state,
  amount,
  authorizationCode,
  releasedAt,
}: RecordedRelease): CancelResult | null {
  return state === 'unresolved' ? null : { kind: 'canceled', amount, authorizationCode, moment: releasedAt };
}

function outcomeOf(cancel: RecordedCancel): CancelResult | null {
  const { state, wasNeverSent, amount, authorizationCode, canceledAt } = cancel;
  // An unsent cancel has freed its key: a repetition is a new request.
  if (wasNeverSent) return null;
  switch (state) {
    case 'canceling':
      return null;
    case 'pending':
      return { kind: 'pending', amount, authorizationCode };
    case 'refused':
      return { kind: 'refused', refusal: 'refusedByAcquirer' };
    case 'canceled':
      return { kind: 'canceled', amount, authorizationCode, moment: canceledAt as Instant };
  }
}
