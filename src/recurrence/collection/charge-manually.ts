import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { Once } from '../../platform/http/failures.ts';

import type { Database } from '../../platform/postgres/database.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type ChargeBillingResult,
  type CollectBillingTools,
  collectBilling,
  type IssuerDecline,
} from './collect-billing.ts';
import { findBillingToCharge, findHandCharge } from './open-charges.sql.ts';
import { type HandChargeRefusal, isChargeableByHand } from './outcome-record.ts';

export type ChargeByHandTools = CollectBillingTools & FindRequestTools & { readonly database: Database };

/** `limited`: not sent because of network limits. `pending`: being resolved. `voided`: nothing remains. */
export type ManualChargeResult =
  | { readonly kind: 'paid' | 'pending' | 'voided' | 'notFound' | 'notSent' | 'notConnected' }
  | { readonly kind: 'limited'; readonly isNeverAgain: boolean; readonly mayRetryAt: Instant | null }
  | ({ readonly kind: 'declined' } & IssuerDecline)
  | { readonly kind: 'refused'; readonly refusal: HandChargeRefusal };

/** Charges a failed billing with its subscription's current card. A repetition returns the first result. */
export async function chargeManually(
  tools: ChargeByHandTools,
  { merchantId, userName }: { readonly merchantId: string; readonly userName: string },
  billingId: string,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<ManualChargeResult>> {
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<ManualChargeResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const found = isUuid(billingId)
        ? await findBillingToCharge(tools.database, merchantId, billingId.toLowerCase())
        : null;
      if (found === null) return { kind: 'notFound' };
      if (found.isCharging) return { kind: 'refused', refusal: 'charging' };
      if (found.due.vaultId === '') return { kind: 'refused', refusal: 'paidByPix' };
      if (!isChargeableByHand(found.state)) return { kind: 'refused', refusal: 'notChargeable' };
      const order = { attemptNumber: null, by: userName, request };
      const charged = await collectBilling(tools, found.due, order, deadlineAt);
      if (charged.kind === 'pending')
        return resultOfPending(tools.database, merchantId, charged.transactionId);
      if (charged.kind === 'keyUsed') return 'keyUsed';
      if (charged.kind === 'notSent' || charged.kind === 'notConnected') return { kind: charged.kind };
      return charged.kind === 'ended' ? resultOf(charged) : { kind: 'refused', refusal: 'charging' };
    },
    isRefused: ({ kind }) => kind === 'refused' || kind === 'notFound' || kind === 'limited',
    repeatAnswer: (transactionId) => resultAgain(tools.database, merchantId, transactionId),
  });
}

/** The outcome may be recorded already: by a commit whose connection broke, or by resolving. */
async function resultOfPending(
  database: Database,
  merchantId: string,
  transactionId: string,
): Promise<ManualChargeResult> {
  const found = await resultAgain(database, merchantId, transactionId).catch(() => null);
  return found === null || found.kind === 'voided' ? { kind: 'pending' } : found;
}

function resultOf({
  decline,
  facts,
  mayRetryAt,
}: Extract<ChargeBillingResult, { kind: 'ended' }>): ManualChargeResult {
  if (decline !== null) return { kind: 'declined', ...decline };
  switch (facts.result) {
    case 'neverAgain':
    case 'limited':
      return { kind: 'limited', isNeverAgain: facts.result === 'neverAgain', mayRetryAt };
    case 'cardExpired':
    case 'cardUnusable':
    case 'amountOutOfRange':
      return { kind: 'refused', refusal: facts.result };
    case 'approved':
      return { kind: 'paid' };
    case 'funds':
    case 'blocked':
    case 'denied':
    case 'technical':
    case 'invalid':
    case 'cycleOver':
      throw new Error(`a charge that is ${facts.result} was declined by the issuer`);
  }
}

async function resultAgain(
  database: Database,
  merchantId: string,
  transactionId: string,
): Promise<ManualChargeResult | null> {
  const made = await findHandCharge(database, merchantId, transactionId);
  if (made === null || !made.isEnded) return null;
  const { state, brand, responseCode, adviceCode, soldAt } = made;
  switch (state) {
    case 'preauthorized':
    case 'capturing':
    case 'charging':
    case 'unresolved':
      return null;
    case 'approved':
      return { kind: 'paid' };
    case 'declined':
      return { kind: 'declined', brand, responseCode: responseCode as string, adviceCode, soldAt };
    case 'voided':
      return { kind: 'voided' };
  }
}
