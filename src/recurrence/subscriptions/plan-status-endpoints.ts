import { callerAt, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { changePlanState, type MovePlanTools } from '../plans/change-plan.ts';
import { readPlanState } from '../plans/contract.ts';
import { cancelWithPlan, type EndingTools } from './cancel-with-plan.ts';
import { MOVE_PLAN } from './plan-status-contract.ts';

export type PlanCancellationTools = MovePlanTools &
  EndingTools & {
    /** Wakes the work that goes on where the time of a request was over. */
    readonly wakeSignal: WakeSignal;
  };

/** Kept back from the deadline of a request for the batch under way and the answer. */
const ANSWER_MILLISECONDS = 3_000;

export const PLAN_STATUS_ENDPOINTS: readonly Endpoint<PlanCancellationTools>[] = [
  endpoint(MOVE_PLAN, async (tools: PlanCancellationTools, call) => {
    const { status } = call.body;
    const { planId } = call.parameters;
    // A request that dies leaves the rest to the work, once that can be sure that no request is at
    // it.
    const lease = Math.max(0, Math.ceil(call.deadlineAt - performance.now()));
    const state = readPlanState(status);
    const plan = await changePlanState(tools, callerAt(call), planId, state, lease, call.deadlineAt);
    if (plan === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (state === 'canceled') {
      const goOn = () => performance.now() < call.deadlineAt - ANSWER_MILLISECONDS;
      const isDone = await cancelWithPlan(tools, plan, goOn);
      if (!isDone) tools.wakeSignal.notify();
    }
    return { status: 200, body: plan.planId };
  }),
];
