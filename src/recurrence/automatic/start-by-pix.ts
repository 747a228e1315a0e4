import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import { newId, newPageKey } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { PayerAccount } from '../../providers/pix/recurring-pix.ts';
import { FIRST_FENCE } from '../../transactions/requests/send-request.ts';
import type { Cents } from '../../values/cents.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { chooseBank } from '../plans/banks-of-merchant.ts';
import type { CreateSubscriptionResult } from '../subscriptions/create-subscription.ts';
import { type Customer, customerOf } from '../subscriptions/customer.ts';
import type { Enroller } from '../subscriptions/subscription.ts';
import { type AdvanceTools, advanceAuthorization } from './advance-authorization.ts';
import type { Journey } from './authorization.ts';
import { type Authorization, findAuthorization } from './authorizations.sql.ts';
import type { PendingResult, PendingSubscription } from './enrolment.sql.ts';

export type StartByPixTools = FindRequestTools &
  AdvanceTools & { readonly writePending: BatchedWrite<PendingSubscription, PendingResult> };

export type SubscriptionByPix = {
  readonly planId: string;
  readonly orderNumber: string;
  readonly customer?: Customer;
  readonly journey: Journey | null;
  readonly leastAmount: Cents | null;
  readonly payerAccount: PayerAccount | null;
};

const ANSWER_MILLISECONDS = 1_000;

/**
 * Creates a subscription that is pending until its payer agrees. The bank is asked while the caller waits,
 * later by the background work.
 */
export function startByPix(
  tools: StartByPixTools,
  { merchantId, userName, accountNumber }: Enroller,
  wanted: SubscriptionByPix,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<CreateSubscriptionResult>> {
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<CreateSubscriptionResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const subscriptionId = newId();
      const bank = chooseBank(tools.pixBanks, merchantId, subscriptionId);
      const row: PendingSubscription = {
        ...{ merchantId, subscriptionId, billingId: newId(), pixId: newId(), pageKey: newPageKey() },
        planId: idOrUnissued(wanted.planId),
        orderNumber: wanted.orderNumber,
        accountNumber,
        customer: customerOf(wanted.customer),
        ...{ journey: wanted.journey, leastAmount: wanted.leastAmount, payerAccount: wanted.payerAccount },
        bank,
        leadDays: bank === null ? 0 : (tools.pixBanks.of(bank).recurring?.leadDays ?? 0),
        createdBy: userName,
        createdAt: tools.clock.now(merchantId),
        request,
      };
      const result = await tools.writePending(row, deadlineAt);
      if (result === 'keyUsed') return result;
      if (result !== 'created') return { kind: 'refused', refusals: result };
      const left = deadlineAt - performance.now() - ANSWER_MILLISECONDS;
      const timeout = Math.min(tools.pixTimeoutMilliseconds, Math.max(1, left));
      // The subscription exists, whatever this request to the bank ends in: the background work asks again.
      await advanceAuthorization(tools, { ...row, fence: FIRST_FENCE }, timeout).catch(() => {});
      return { kind: 'created', subscriptionId };
    },
    isRefused: ({ kind }) => kind === 'refused',
    repeatAnswer: async (subscriptionId) => ({ kind: 'created', subscriptionId }),
  });
}

export function findAuthorizationOf(
  { database }: Pick<AdvanceTools, 'database'>,
  merchantId: string,
  subscriptionId: string,
): Promise<Authorization | null> {
  return findAuthorization(database, { merchantId, subscriptionId: idOrUnissued(subscriptionId) });
}
