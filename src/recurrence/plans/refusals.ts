import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { EditRefusal, FixedField } from './plan-edit.ts';

/** Why a plan is not made, changed or shown, apart from what stands in the way of an edit. */
export type PlanRefusal = 'behindCalendar';

const IN_USE = {
  pt: 'Este campo não pode ser alterado enquanto o plano tem assinaturas ativas ou bloqueadas.',
  en: 'This field cannot change while the plan has active or blocked subscriptions.',
};

const MISSING = {
  pt: 'Campo obrigatório para que o plano se torne Custom.',
  en: 'This field is required for the plan to become Custom.',
};

export const PLAN_REFUSALS = {
  behindCalendar: {
    status: 400,
    tag: 'startOn',
    sentence: {
      pt: 'Os vencimentos passam do fim do calendário (ano 9999).',
      en: 'The due days go beyond the end of the calendar (year 9999).',
    },
  },
  missingInterval: { status: 400, tag: 'interval', sentence: MISSING },
  missingInstallments: { status: 400, tag: 'installments', sentence: MISSING },
  amountOfActive: {
    status: 409,
    tag: 'amount',
    sentence: {
      pt: 'O valor de um plano ativo não pode ser alterado.',
      en: 'The amount of an active plan cannot change.',
    },
  },
  inUseAmount: { status: 409, tag: 'amount', sentence: IN_USE },
  inUsePlanType: { status: 409, tag: 'planType', sentence: IN_USE },
  inUseTrialDays: { status: 409, tag: 'trialDays', sentence: IN_USE },
  inUseInterval: { status: 409, tag: 'interval', sentence: IN_USE },
  inUseInstallments: { status: 409, tag: 'installments', sentence: IN_USE },
  inUseMaxRetries: { status: 409, tag: 'attempts', sentence: IN_USE },
  inUseSoftDescriptor: { status: 409, tag: 'softDescriptor', sentence: IN_USE },
} as const satisfies Record<string, RefusalShape> & Record<PlanRefusal, RefusalShape>;

const IN_USE_FIELDS = {
  amount: PLAN_REFUSALS.inUseAmount,
  planType: PLAN_REFUSALS.inUsePlanType,
  trialDays: PLAN_REFUSALS.inUseTrialDays,
  intervalDays: PLAN_REFUSALS.inUseInterval,
  installments: PLAN_REFUSALS.inUseInstallments,
  maxRetries: PLAN_REFUSALS.inUseMaxRetries,
  softDescriptor: PLAN_REFUSALS.inUseSoftDescriptor,
} as const satisfies Record<FixedField, RefusalShape>;

export function editRefusalShape({ why, field }: EditRefusal): RefusalShape {
  switch (why) {
    case 'missing':
      return field === 'intervalDays' ? PLAN_REFUSALS.missingInterval : PLAN_REFUSALS.missingInstallments;
    case 'active':
      return PLAN_REFUSALS.amountOfActive;
    case 'inUse':
      return IN_USE_FIELDS[field];
  }
}
