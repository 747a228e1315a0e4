import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Once } from '../../platform/http/failures.ts';

import type { RecordedCapture } from '../../transactions/capture.ts';
import {
  type CaptureResult,
  type CaptureTools,
  captureTransaction,
} from '../../transactions/methods/card/capture-transaction.ts';
import { findCapture, findMadeCapture } from '../../transactions/methods/card/captures.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';

export type CapturePaymentTools = CaptureTools & FindRequestTools;

/** Charges `amount` (null: all) once. Repetitions give the outcome. Pending until the acquirer answers. */
export async function capturePayment(
  tools: CapturePaymentTools,
  seller: { readonly merchantId: string; readonly userName: string },
  wanted: { readonly paymentId: string; readonly amount: Cents | null },
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<CaptureResult>> {
  const { paymentId, amount } = wanted;
  if (!isUuid(paymentId)) return { kind: 'first', result: { kind: 'refused', refusal: 'notFound' } };
  const { merchantId, userName: createdBy } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  const transactionId = paymentId.toLowerCase();
  return answerOnce(tools, merchantId, request, {
    make: async (isFirst) =>
      (await isFirst)
        ? captureTransaction(tools, { merchantId, transactionId, amount, createdBy, request }, deadlineAt)
        : 'keyUsed',
    // The acquirer's refusal is an outcome, and recorded like a confirmation.
    isRefused: (result) => result.kind === 'refused' && result.refusal !== 'refusedByAcquirer',
    findMade: (span) => findMadeCapture(tools.database, { merchantId, transactionId }, span),
    async repeatAnswer(captureId) {
      const capture = await findCapture(tools.database, merchantId, captureId);
      return capture === null ? null : outcomeOf(capture);
    },
  });
}

function outcomeOf(capture: RecordedCapture): CaptureResult | null {
  const { state, wasNeverSent, amount, authorizationCode, capturedAt } = capture;
  // An unsent capture has freed its key: a repetition is a new request.
  if (wasNeverSent) return null;
  switch (state) {
    case 'capturing':
      return null;
    case 'refused':
      return { kind: 'refused', refusal: 'refusedByAcquirer' };
    case 'captured':
      return { kind: 'captured', amount, authorizationCode, moment: capturedAt as Instant };
  }
}
