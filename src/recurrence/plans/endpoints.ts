import { type Answer, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer, refusalsAnswer, writeOnce } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { writePage } from '../../platform/pages.ts';
import { type ChangePlanTools, changePlan } from './change-plan.ts';
import {
  CREATE_PLAN,
  GET_PLAN,
  LIST_PLANS,
  readPlanSearch,
  readWantedPlan,
  UPDATE_PLAN,
  writePlan,
} from './contract.ts';
import { type CreatePlanTools, createPlan } from './create-plan.ts';
import type { EditResult } from './plan-changes.sql.ts';
import { type ListPlansTools, listPlans, type ReadPlanTools, readPlan } from './read-plan.ts';
import { editRefusalShape } from './refusals.ts';

export type PlanTools = CreatePlanTools & ChangePlanTools & ListPlansTools & ReadPlanTools;

export const PLAN_ENDPOINTS: readonly Endpoint<PlanTools>[] = [
  endpoint(CREATE_PLAN, async (tools: CreatePlanTools, call) => {
    const caller = callerAt(call);
    const once = await createPlan(tools, caller, readWantedPlan(call.body), call, call.deadlineAt);
    return writeOnce(call, once, (planId) => ({ status: 200, body: planId }));
  }),
  endpoint(LIST_PLANS, async (tools: ListPlansTools, call) => {
    const { filter, wanted } = readPlanSearch(call.query);
    const found = await listPlans(tools, callerOf(call).merchantId, filter, wanted);
    return { status: 200, body: writePage(wanted, found, writePlan) };
  }),
  endpoint(GET_PLAN, async (tools: ReadPlanTools, call) => {
    const plan = await readPlan(tools, callerOf(call).merchantId, call.parameters.planId);
    if (plan === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writePlan(plan) };
  }),
  endpoint(UPDATE_PLAN, async (tools: ChangePlanTools, call) => {
    const caller = callerAt(call);
    const { planId } = call.parameters;
    const result = await changePlan(tools, caller, planId, readWantedPlan(call.body), call.deadlineAt);
    return writeEdited(planId, result, call.language);
  }),
];

function writeEdited(planId: string, result: EditResult, language: Language): Answer {
  if (result === 'done') return { status: 200, body: planId.toLowerCase() };
  if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, language);
  return refusalsAnswer(result.refusals.map(editRefusalShape), language);
}
