import type { MerchantActor } from '../../audit/audit-event.ts';
import { answerOnce, type FindRequestTools, identifyRequest } from '../../idempotency/answer-once.ts';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newId } from '../../platform/chance.ts';
import { type Answer, callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES, type Once, writeOnce } from '../../platform/http/failures.ts';
import { type RefusalShape, refusal, refusalAnswer, refusalsAnswer } from '../../platform/http/refusal.ts';
import type { Language } from '../../platform/http/sentence.ts';
import { writePage } from '../../platform/pages.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import type { PixBanks } from '../../providers/open-pix-banks.ts';
import { leadsOf } from './banks-of-merchant.ts';
import {
  type ChangePlanTools,
  changePlan,
  type ListPlansTools,
  listPlans,
  type ReadPlanTools,
  readPlan,
} from './change-plan.ts';
import {
  CREATE_PLAN,
  GET_PLAN,
  LIST_PLANS,
  readPlanSearch,
  readWantedPlan,
  UPDATE_PLAN,
  writePlan,
} from './contract.ts';
import { isEverInTime } from './pix-schedule.ts';
import type { CreateResult, EditResult, NewPlan } from './plan-changes.sql.ts';
import { type EditRefusal, type FixedField, newTerms, type WantedPlan } from './plan-edit.ts';

type LeadTools = { readonly pixBanks: Pick<PixBanks, 'choose' | 'of'> };

type CreatePlanTools = FindRequestTools &
  LeadTools & {
    readonly clock: BusinessClock;
    readonly writePlan: BatchedWrite<NewPlan, CreateResult>;
  };

/** A repetition with its key returns the same id. null: no bank could ever charge the plan. */
function createPlan(
  tools: CreatePlanTools,
  planner: MerchantActor,
  wanted: WantedPlan,
  sent: SentRequest,
  deadlineAt: number,
): Promise<Once<string | null>> {
  const { merchantId, userName } = planner;
  const request = identifyRequest(tools.keyring, merchantId, sent);
  return answerOnce(tools, merchantId, request, {
    async make(isFirst) {
      if (!(await isFirst)) return 'keyUsed';
      if (!isEverInTime(newTerms(wanted), leadsOf(tools.pixBanks, merchantId))) return null;
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
    isRefused: (planId) => planId === null,
    repeatAnswer: async (planId) => planId,
  });
}

export type PlanRefusal = 'behindCalendar';

const IN_USE = {
  pt: 'Este campo não pode ser alterado enquanto o plano tem assinaturas ativas, bloqueadas ou pendentes.',
  en: 'This field cannot change while the plan has active, blocked or pending subscriptions.',
};

const MISSING = {
  pt: 'Campo obrigatório para que o plano se torne Custom.',
  en: 'This field is required for the plan to become Custom.',
};

export const PLAN_REFUSALS = {
  behindCalendar: refusal(400, 'startOn', {
    pt: 'Os vencimentos passam do fim do calendário (ano 9999).',
    en: 'The due days go beyond the end of the calendar (year 9999).',
  }),
  leadTooLong: refusal(400, 'planType', {
    pt: 'O banco exige a cobrança com uma semana ou mais de antecedência: um plano Weekly por Pix Automático nunca seria cobrado.',
    en: 'The bank wants charges a week or more ahead: a Weekly plan by PixAutomatic could never be charged.',
  }),
  missingInterval: refusal(400, 'interval', MISSING),
  missingInstallments: refusal(400, 'installments', MISSING),
  amountOfActive: refusal(409, 'amount', {
    pt: 'O valor de um plano ativo não pode ser alterado.',
    en: 'The amount of an active plan cannot change.',
  }),
  inUseAmount: refusal(409, 'amount', IN_USE),
  inUsePlanType: refusal(409, 'planType', IN_USE),
  inUsePaymentMethod: refusal(409, 'paymentMethod', IN_USE),
  inUseTrialDays: refusal(409, 'trialDays', IN_USE),
  inUseInterval: refusal(409, 'interval', IN_USE),
  inUseInstallments: refusal(409, 'installments', IN_USE),
  inUseMaxRetries: refusal(409, 'attempts', IN_USE),
  inUseSoftDescriptor: refusal(409, 'softDescriptor', IN_USE),
} as const satisfies Record<string, RefusalShape> & Record<PlanRefusal, RefusalShape>;

const IN_USE_FIELDS = {
  amount: PLAN_REFUSALS.inUseAmount,
  planType: PLAN_REFUSALS.inUsePlanType,
  paymentMethod: PLAN_REFUSALS.inUsePaymentMethod,
  trialDays: PLAN_REFUSALS.inUseTrialDays,
  intervalDays: PLAN_REFUSALS.inUseInterval,
  installments: PLAN_REFUSALS.inUseInstallments,
  maxRetries: PLAN_REFUSALS.inUseMaxRetries,
  softDescriptor: PLAN_REFUSALS.inUseSoftDescriptor,
} as const satisfies Record<FixedField, RefusalShape>;

function editRefusalShape({ why, field }: EditRefusal): RefusalShape {
  switch (why) {
    case 'missing':
      return field === 'intervalDays' ? PLAN_REFUSALS.missingInterval : PLAN_REFUSALS.missingInstallments;
    case 'leadTooLong':
      return PLAN_REFUSALS.leadTooLong;
    case 'active':
      return PLAN_REFUSALS.amountOfActive;
    case 'inUse':
      return IN_USE_FIELDS[field];
  }
}

export type PlanTools = CreatePlanTools & ChangePlanTools & ListPlansTools & ReadPlanTools;

export const PLAN_ENDPOINTS: readonly Endpoint<PlanTools>[] = [
  endpoint(CREATE_PLAN, async (tools: CreatePlanTools, call) => {
    const caller = callerAt(call);
    const once = await createPlan(tools, caller, readWantedPlan(call.body), call, call.deadlineAt);
    return writeOnce(call, once, (planId) =>
      planId === null
        ? refusalAnswer(PLAN_REFUSALS.leadTooLong, call.language)
        : { status: 200, body: planId },
    );
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
  endpoint(UPDATE_PLAN, async (tools: ChangePlanTools & LeadTools, call) => {
    const caller = callerAt(call);
    const { planId } = call.parameters;
    const wanted = readWantedPlan(call.body);
    const leads = leadsOf(tools.pixBanks, caller.merchantId);
    const result = await changePlan(tools, caller, planId, { wanted, leads }, call.deadlineAt);
    return writeEdited(planId, result, call.language);
  }),
];

function writeEdited(planId: string, result: EditResult, language: Language): Answer {
  if (result === 'done') return { status: 200, body: planId.toLowerCase() };
  if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, language);
  return refusalsAnswer(result.refusals.map(editRefusalShape), language);
}
