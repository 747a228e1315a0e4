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
import { NOT_SENT } from '../../transactions/methods/boleto/boleto.ts';
import { findBoleto } from '../../transactions/methods/boleto/boletos.sql.ts';
import { findRelease, type RecordedRelease } from '../../transactions/methods/card/releases.sql.ts';
import {
  type CancelPixResult,
  type CancelPixTools,
  cancelPix,
  refundResult,
  removalOf,
} from '../../transactions/methods/pix/cancel-pix.ts';
import { findPix } from '../../transactions/methods/pix/pix-charges.sql.ts';
import { findMadeRefund, findRefund } from '../../transactions/methods/pix/refunds/refunds.sql.ts';
import type { Cents } from '../../values/cents.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';

export type CancelPaymentTools = CancelTools & FindRequestTools & { readonly pix: CancelPixTools };

export type PaymentCanceled = CancelResult | PixCanceled | BoletoNotCanceled;

/** The bank that registered a boleto cancels it, by the endpoint of boletos. */
type BoletoNotCanceled = { readonly kind: 'refused'; readonly refusal: 'isBoleto' };

export type PixCanceled = { readonly kind: 'pix'; readonly result: CancelPixResult };

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
    /** For a Pix: the payment to give back; null: the one that paid it. */
    readonly endToEndId: string | null;
  },
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<PaymentCanceled>> {
  const { paymentId, amount, endToEndId } = wanted;
  if (!isUuid(paymentId)) return { kind: 'first', result: { kind: 'refused', refusal: 'notFound' } };
  const { merchantId, userName: createdBy } = seller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  const transactionId = paymentId.toLowerCase();
  return answerOnce<PaymentCanceled>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const ofCard = { merchantId, transactionId, amount, createdBy, request };
      const canceled = endToEndId === null ? await cancelTransaction(tools, ofCard, deadlineAt) : NO_CARD;
      if (canceled === 'keyUsed' || canceled.kind !== 'refused' || canceled.refusal !== 'notFound')
        return canceled;
      const ofPix = { merchantId, pixId: transactionId, amount, endToEndId, createdBy, request };
      const result = await cancelPix(tools.pix, ofPix, deadlineAt);
      if (result === 'keyUsed') return result;
      const isUnknown = result.kind === 'refused' && result.refusal === 'notFound';
      return isUnknown && (await isBoleto(tools, merchantId, transactionId))
        ? BOLETO
        : { kind: 'pix', result };
    },
    isRefused,
    findMade: async (span) =>
      (await findMadeCancel(tools.database, { merchantId, transactionId }, span)) ??
      findMadeRefund(tools.database, { merchantId, pixId: transactionId }, span),
    async repeatAnswer(cancelId) {
      const cancel = await findCancel(tools.database, merchantId, cancelId);
      if (cancel !== null) return outcomeOf(cancel);
      const release = await findRelease(tools.database, merchantId, transactionId, cancelId);
      return release === null
        ? outcomeOfPix(tools, { merchantId, pixId: transactionId }, cancelId)
        : outcomeOfRelease(release);
    },
  });
}

async function isBoleto(
  { database }: Pick<CancelPaymentTools, 'database'>,
  merchantId: string,
  boletoId: string,
): Promise<boolean> {
  const boleto = await findBoleto(database, { merchantId, boletoId });
  return boleto !== null && boleto.refusalReason !== NOT_SENT;
}

const BOLETO: PaymentCanceled = { kind: 'refused', refusal: 'isBoleto' };
const NO_CARD: CancelResult = { kind: 'refused', refusal: 'notFound' };

/** A refusal of the acquirer or the bank is an outcome, and recorded like a confirmation. */
function isRefused(canceled: PaymentCanceled): boolean {
  const result = canceled.kind === 'pix' ? canceled.result : canceled;
  if (result.kind !== 'refused') return false;
  const { refusal } = result;
  return refusal !== 'refusedByAcquirer' && refusal !== 'refusedByBank' && refusal !== 'paidAtBank';
}

/** The outcome of a devolution, or of the Pix's removal if the resource is the Pix itself. */
async function outcomeOfPix(
  { database, clock }: CancelPaymentTools,
  key: { readonly merchantId: string; readonly pixId: string },
  resourceId: string,
): Promise<PixCanceled | null> {
  const refund = await findRefund(database, key.merchantId, resourceId);
  if (refund !== null) return ofPix(refundResult(refund));
  const pix = resourceId === key.pixId ? await findPix(database, key) : null;
  return pix === null ? null : ofPix(removalOf(pix, clock.now(key.merchantId)));
}

function ofPix(result: CancelPixResult | null): PixCanceled | null {
  return result === null || result.kind === 'unknown' ? null : { kind: 'pix', result };
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
