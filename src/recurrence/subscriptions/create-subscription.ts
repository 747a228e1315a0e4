import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/failures.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { type Day, saoPauloDay } from '../../values/instant.ts';
import { type Customer, customerOf } from './customer.ts';
import { firstDayRefusal } from './schedule.ts';
import type { Enroller, SubscriptionCreationRefusal } from './subscription.ts';
import type { NewSubscription, SubscriptionCreationResult } from './subscription-creation.sql.ts';

export type CreateSubscriptionTools = FindRequestTools & {
  readonly clock: BusinessClock;
  readonly writeNewSubscription: BatchedWrite<NewSubscription, SubscriptionCreationResult>;
  /** Wakes the collection: the first billing may be due at once. */
  readonly notify: () => void;
};

export type CreateSubscriptionResult =
  | { readonly kind: 'created'; readonly subscriptionId: string }
  | { readonly kind: 'refused'; readonly refusals: readonly SubscriptionCreationRefusal[] };

export type SubscriptionToCreate = {
  readonly planId: string;
  readonly vaultId: string;
  readonly orderNumber: string;
  /** Absent: today plus the plan's trial. */
  readonly firstDueOn?: string;
  readonly customer?: Customer;
};

/**
 * Creates a subscription with its first billing. Malformed ids count as unknown. A repetition returns the
 * same subscription.
 */
export function createSubscription(
  tools: CreateSubscriptionTools,
  enroller: Enroller,
  wanted: SubscriptionToCreate,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<CreateSubscriptionResult>> {
  const { merchantId, userName, accountNumber } = enroller;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce<CreateSubscriptionResult>(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const createdAt = tools.clock.now(merchantId);
      const firstDueOn = (wanted.firstDueOn ?? null) as Day | null;
      const refusal = firstDueOn === null ? null : firstDayRefusal(firstDueOn, saoPauloDay(createdAt));
      if (refusal !== null) return { kind: 'refused', refusals: [refusal] };
      const subscriptionId = newId();
      const row = {
        merchantId,
        subscriptionId,
        billingId: newId(),
        planId: idOrUnissued(wanted.planId),
        vaultId: idOrUnissued(wanted.vaultId),
        orderNumber: wanted.orderNumber,
        firstDueOn,
        installmentsPaid: 0,
        chargeOn: null,
        chargesMade: 0,
        isMoving: false,
        customer: customerOf(wanted.customer),
        accountNumber,
        createdBy: userName,
        createdAt,
        request,
      };
      const result = await tools.writeNewSubscription(row, deadlineAt);
      if (result === 'keyUsed') return result;
      if (result === 'created') tools.notify();
      return result === 'created'
        ? { kind: 'created', subscriptionId }
        : { kind: 'refused', refusals: result };
    },
    isRefused: ({ kind }) => kind === 'refused',
    repeatAnswer: async (subscriptionId) => ({ kind: 'created', subscriptionId }),
  });
}
