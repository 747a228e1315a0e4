import { isShownAs } from '../cards/card.ts';
import { openCarriedCard } from '../cards/open-card-source.ts';
import { answerOnce, type FindRequestTools, identifyRequest } from '../idempotency/answer-once.ts';
import { type IdSpan, idSpan, type KeyedRequest, type SentRequest } from '../idempotency/idempotency-key.ts';
import type { Once } from '../platform/http/failures.ts';
import type { Looked } from '../platform/postgres/batched-reads.ts';
import { notePayment } from '../platform/tracing/scope.ts';
import { readDecline } from '../providers/acquirers/issuer-code.ts';
import type { FoundOfKey, KeyAndSpan } from '../transactions/methods/card/keys-found.sql.ts';

import type { Preauthorization, Transaction } from '../transactions/transaction.ts';
import { findTransaction } from '../transactions/transaction-queries.sql.ts';
import type { Cents } from '../values/cents.ts';
import { isUuid } from '../values/ids.ts';
import type { Instant } from '../values/instant.ts';
import { type PayResult, type PayTools, payByCard, type Seller } from './pay-by-card.ts';
import type { Payment } from './payment.ts';

export type PayOnceTools = PayTools &
  FindRequestTools & {
    readonly findOfKey: (asked: KeyAndSpan) => Promise<Looked<FoundOfKey>>;
  };

/** A repetition with its key gives the outcome of the first request. */
export function payOnce(
  tools: PayOnceTools,
  seller: Seller,
  payment: Payment,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<PayResult>> {
  const { merchantId } = seller;
  const request = identifyRequest(tools.keyring, merchantId, {
    ...sent,
    openCarrier: () => openCarriedCard(tools, merchantId, payment.card),
  });
  const looks = request === null ? null : lookingTogether(tools, merchantId, request, payment.card.vaultId);
  const paying: PayOnceTools = { ...tools, ...looks?.tools };
  return answerOnce(paying, merchantId, request, {
    make: (isFirst) =>
      payByCard(paying, seller, payment, { request, isFirst }, deadlineAt).finally(looks?.forgetCard),
    isRefused: ({ kind }) => kind === 'refused',
    findMade: async (span) => (await looks?.findMade(span)) ?? null,
    async canBeOfCard(paymentId, card) {
      const transaction = await findTransaction(tools.database, merchantId, paymentId);
      return transaction === null || isShownAs(card, transaction);
    },
    async repeatAnswer(paymentId) {
      const transaction = await findTransaction(tools.database, merchantId, paymentId);
      if (transaction === null) return null;
      notePayment({ referenceTransaction: transaction.referenceTransaction });
      return outcomeOf(transaction);
    },
  });
}

/**
 * Looks up a key, its payment and the stored card together: callers of one turn share the statement. Until
 * `forgetCard` every caller for the key brings the card, so that all ask the same.
 */
function lookingTogether(
  tools: PayOnceTools,
  merchantId: string,
  { keyHash, idStem }: KeyedRequest,
  named: string | null,
) {
  let vaultId = named !== null && isUuid(named) ? named.toLowerCase() : null;
  const span = idSpan(idStem);
  const lookingTools: Pick<PayOnceTools, 'findRequest' | 'findVaultCard'> = {
    async findRequest(key) {
      const { askedAt, value } = await tools.findOfKey({ ...key, vaultId, ...span });
      return { askedAt, value: value?.recorded() ?? null };
    },
    async findVaultCard(key) {
      const { askedAt, value } = await tools.findOfKey({ ...key, keyHash, ...span });
      return { askedAt, value: value?.card() ?? null };
    },
  };
  return {
    tools: lookingTools,
    async findMade(within: IdSpan) {
      const { value } = await tools.findOfKey({ merchantId, keyHash, vaultId, ...within });
      return value?.made ?? null;
    },
    forgetCard() {
      vaultId = null;
    },
  };
}

/** Null while unknown. A voided charge stays an error, unless it was never sent, which frees its key. */
function outcomeOf(transaction: Transaction): PayResult | null {
  const {
    transactionId: paymentId,
    state,
    preauthorization,
    wasNeverSent,
    brand,
    responseCode,
    adviceCode,
    soldAt,
  } = transaction;
  if (preauthorization !== null) return preauthorizedAnswer(transaction, preauthorization);
  switch (state) {
    case 'preauthorized':
    case 'capturing':
    case 'charging':
    case 'unresolved':
      return null;
    case 'voided':
      return wasNeverSent ? null : { kind: 'unknown', paymentId };
    case 'declined': {
      const code = responseCode as string;
      return {
        kind: 'declined',
        paymentId,
        brand,
        responseCode: code,
        adviceCode,
        read: readDecline(brand, code, adviceCode),
        soldAt,
      };
    }
    case 'approved':
      return approvalOf(transaction);
  }
}

/** The answer as authorized: the payment itself shows later captures and releases. */
function preauthorizedAnswer(
  { transactionId, authorizationCode, nsu }: Transaction,
  { authorizedAt, captureUntil }: Preauthorization,
): PayResult {
  return {
    kind: 'preauthorized',
    paymentId: transactionId,
    authorizationCode: authorizationCode as string,
    nsu: nsu as string,
    moment: authorizedAt,
    captureUntil,
  };
}

/** The answer as approved: the payment itself shows later cancels. */
function approvalOf({
  transactionId,
  authorizationCode,
  nsu,
  approvedAt,
  split,
  shares,
}: Transaction): PayResult {
  return {
    kind: 'approved',
    paymentId: transactionId,
    authorizationCode: authorizationCode as string,
    nsu: nsu as string,
    moment: approvedAt as Instant,
    split: split && { split, shares: shares.map((share) => ({ ...share, canceledAmount: 0 as Cents })) },
  };
}
