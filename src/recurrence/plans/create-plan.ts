import type { MerchantActor } from '../../audit/merchant-event.ts';
import { answerOnce } from '../../idempotency/answer-once.ts';
import type { FindRequestTools } from '../../idempotency/find-earlier-request.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import { identifyRequest } from '../../idempotency/identify-request.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import type { Once } from '../../platform/http/refusal.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { CreateResult, NewPlan } from './plan-changes.sql.ts';
import { newTerms, type WantedPlan } from './plan-edit.ts';

export type CreatePlanTools = FindRequestTools & {
  readonly clock: BusinessClock;
  readonly writePlan: BatchedWrite<NewPlan, CreateResult>;
};

/** Makes an active plan and gives its id. Asked for again with its key, gives the same id. */
export function createPlan(
  tools: CreatePlanTools,
  planner: MerchantActor,
  wanted: WantedPlan,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<string>> {
  const { merchantId, userName } = planner;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      const planId = newId();
      const { name, description, softDescriptor = null } = wanted;
      const created = { by: userName, at: tools.clock.now(merchantId) };
      const state = 'active' as const;
      const terms = newTerms(wanted);
      const plan = { merchantId, planId, name, description, softDescriptor, terms, state, created };
      const result = await tools.writePlan(
        { plan: { ...plan, modified: null }, planner, request },
        deadlineAt,
      );
      return result === 'keyUsed' ? result : planId;
    },
    isRefused: () => false,
    repeatAnswer: async (planId) => planId,
  });
}
