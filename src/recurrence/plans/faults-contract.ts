import { both, type CheckedRule, isWord, when, withField } from '../../platform/http/checked.ts';
import type { Caller, Fault } from '../../platform/http/endpoint.ts';
import { type RefusalShape, refusal } from '../../platform/http/refusal.ts';
import { REQUIRED } from '../../platform/http/schema-faults.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import { centsOfPlanAmount, planAmount } from '../../values/plan-amount.ts';
import { MOST_PIX_RETRIES } from './pix-schedule.ts';
import { ENDLESS, INTERVAL_DAYS, type PaymentMethod, type PlanType } from './plan.ts';

export const PAYMENT_METHOD_WORDS = {
  creditCard: 'CreditCard',
  pixAutomatic: 'PixAutomatic',
} as const satisfies Record<PaymentMethod, string>;

export const PLAN_TYPE_WORDS = {
  weekly: 'Weekly',
  monthly: 'Monthly',
  bimonthly: 'Bimonthly',
  quarterly: 'Quarterly',
  semesterly: 'Semesterly',
  yearly: 'Yearly',
  custom: 'Custom',
} as const satisfies Record<PlanType, string>;

/** In days, for a custom plan. */
export const SHORTEST_INTERVAL = 20;
/** A value of `interval` or `installments` that counts as not sent, for plan types that set them. */
export const NOT_SENT = 0;

const NO_INSTALLMENTS = withField('installments', { enum: [NOT_SENT, null] });
const ownInterval = (type: PlanType) =>
  withField('interval', { enum: [NOT_SENT, INTERVAL_DAYS[type], null] });

/** Plan types that only one payment method has. */
const PAID_BY: Partial<Record<PlanType, PaymentMethod>> = {
  weekly: 'pixAutomatic',
  bimonthly: 'creditCard',
  custom: 'creditCard',
};

function paidBy(type: PlanType): CheckedRule {
  const method = PAID_BY[type];
  return method === undefined ? {} : withField('paymentMethod', { const: PAYMENT_METHOD_WORDS[method] });
}

const ofType = (type: PlanType, rule: CheckedRule, otherwise?: CheckedRule) =>
  when(isWord('planType', PLAN_TYPE_WORDS[type]), both(rule, paidBy(type)), otherwise);

const FIXED_TYPES = (['weekly', 'yearly', 'semesterly', 'quarterly', 'bimonthly'] as const).reduce(
  (others, type) => ofType(type, both(ownInterval(type), NO_INSTALLMENTS), others),
  ofType('monthly', ownInterval('monthly')),
);

const TOO_MANY_FOR_PIX = both(
  isWord('paymentMethod', PAYMENT_METHOD_WORDS.pixAutomatic),
  both({ required: ['attempts'] }, withField('attempts', { type: 'integer', minimum: MOST_PIX_RETRIES + 1 })),
);

/** Describes what `rhythmFaults` and `methodFaults` enforce. */
const rhythm = (custom: CheckedRule): CheckedRule => ({
  ...ofType('custom', custom, FIXED_TYPES),
  not: TOO_MANY_FOR_PIX,
});

export const CHANGED_RHYTHM = rhythm(
  both(
    withField('interval', { type: ['integer', 'null'], minimum: SHORTEST_INTERVAL }),
    withField('installments', { type: ['integer', 'null'], minimum: 1 }),
  ),
);
/** A new custom plan must have both fields: it has no values to keep. */
export const NEW_RHYTHM = rhythm({
  required: ['interval', 'installments'],
  properties: {
    interval: { type: 'integer', minimum: SHORTEST_INTERVAL },
    installments: { type: 'integer', minimum: 1 },
  },
});

export const PLAN_FAULTS = {
  otherMerchant: refusal(400, 'merchantId', {
    pt: 'O merchantId não é o da credencial.',
    en: 'The merchantId is not the one of the credential.',
  }),
  fixedInterval: refusal(400, 'interval', {
    pt: 'Neste tipo de plano o serviço define o intervalo: não o envie, ou envie o mesmo valor.',
    en: 'The service sets the interval of this type of plan: leave it out, or send the same value.',
  }),
  shortInterval: refusal(400, 'interval', {
    pt: `O intervalo de um plano Custom é de ${SHORTEST_INTERVAL} dias no mínimo.`,
    en: `The interval of a Custom plan is ${SHORTEST_INTERVAL} days at least.`,
  }),
  worthless: refusal(400, 'amount', {
    pt: 'O valor, arredondado para centavos, é 0,00: nada seria cobrado.',
    en: 'The amount, rounded to cents, is 0.00: nothing would be charged.',
  }),
  fixedInstallments: refusal(400, 'installments', {
    pt: 'Neste tipo de plano o serviço define as parcelas (0, sem fim): não as envie, ou envie 0.',
    en: 'The service sets the installments of this type of plan (0, no end): leave them out, or send 0.',
  }),
  pixType: refusal(400, 'planType', {
    pt: 'O Pix Automático não tem os períodos Bimonthly e Custom: use Weekly, Monthly, Quarterly, Semesterly ou Yearly.',
    en: 'PixAutomatic has no periods Bimonthly and Custom: use Weekly, Monthly, Quarterly, Semesterly or Yearly.',
  }),
  cardType: refusal(400, 'planType', {
    pt: 'O tipo Weekly é só do Pix Automático.',
    en: 'The type Weekly is of PixAutomatic only.',
  }),
  pixAttempts: refusal(400, 'attempts', {
    pt: `O Pix Automático permite no máximo ${MOST_PIX_RETRIES} novas tentativas.`,
    en: `PixAutomatic allows ${MOST_PIX_RETRIES} retries at most.`,
  }),
  endlessCustom: refusal(400, 'installments', {
    pt: 'Um plano Custom tem no mínimo 1 parcela.',
    en: 'A Custom plan has 1 installment at least.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** The body may be malformed; the schema reports its own faults. */
export function planFaults(body: unknown, caller: Caller | null): Fault[] {
  return [
    ...merchantFaults(body, caller),
    ...amountFaults(body),
    ...rhythmFaults(body),
    ...methodFaults(body),
  ];
}

/** A missing or malformed amount is a fault of the schema. */
function amountFaults(body: unknown): Fault[] {
  const { amount } = (body ?? {}) as Record<string, unknown>;
  if (typeof amount !== 'number' && !(amount instanceof ExactNumber)) return [];
  const wanted = planAmount(amount);
  return wanted !== null && centsOfPlanAmount(wanted) === 0 ? [PLAN_FAULTS.worthless] : [];
}

/** The merchant must be the caller. A value that is no text is a fault of the schema. */
export function merchantFaults(body: unknown, caller: Caller | null): Fault[] {
  const { merchantId } = (body ?? {}) as Record<string, unknown>;
  const isOthers = typeof merchantId === 'string' && caller !== null && merchantId !== caller.merchantId;
  return isOthers ? [PLAN_FAULTS.otherMerchant] : [];
}

function rhythmFaults(body: unknown): Fault[] {
  const sent = (body ?? {}) as Record<string, unknown>;
  const { interval, installments } = sent;
  const planType = planTypeOf(sent.planType);
  if (planType === undefined) return [];
  const fixed = INTERVAL_DAYS[planType];
  const faults: Fault[] = [];
  if (fixed === null) {
    if (typeof interval === 'number' && interval < SHORTEST_INTERVAL) faults.push(PLAN_FAULTS.shortInterval);
    if (installments === ENDLESS) faults.push(PLAN_FAULTS.endlessCustom);
    return faults;
  }
  const isSet = (value: unknown) => value !== undefined && value !== NOT_SENT;
  if (isSet(interval) && interval !== fixed) faults.push(PLAN_FAULTS.fixedInterval);
  if (isSet(installments) && planType !== 'monthly') faults.push(PLAN_FAULTS.fixedInstallments);
  return faults;
}

function methodFaults(body: unknown): Fault[] {
  const sent = (body ?? {}) as Record<string, unknown>;
  const planType = planTypeOf(sent.planType);
  const method = paymentMethodOf(sent.paymentMethod);
  if (method === undefined) return [];
  const { attempts } = sent;
  const isByPix = method === 'pixAutomatic';
  const only = planType === undefined ? undefined : PAID_BY[planType];
  const isTooMany = isByPix && typeof attempts === 'number' && attempts > MOST_PIX_RETRIES;
  return [
    ...(only === undefined || only === method ? [] : [isByPix ? PLAN_FAULTS.pixType : PLAN_FAULTS.cardType]),
    ...(isTooMany ? [PLAN_FAULTS.pixAttempts] : []),
  ];
}

export function paymentMethodOf(word: unknown): PaymentMethod | undefined {
  const methods = Object.keys(PAYMENT_METHOD_WORDS) as PaymentMethod[];
  return methods.find((method) => PAYMENT_METHOD_WORDS[method] === word);
}

export function newPlanFaults(body: unknown, caller: Caller | null): Fault[] {
  const sent = (body ?? {}) as Record<string, unknown>;
  const rhythm = planTypeOf(sent.planType) === 'custom' ? (['interval', 'installments'] as const) : [];
  const missing = rhythm.filter((name) => sent[name] === undefined);
  return [...planFaults(body, caller), ...missing.map((tag) => ({ tag, sentence: REQUIRED }))];
}

export function planTypeOf(word: unknown): PlanType | undefined {
  return (Object.keys(PLAN_TYPE_WORDS) as PlanType[]).find((type) => PLAN_TYPE_WORDS[type] === word);
}
