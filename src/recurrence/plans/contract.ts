import { type Static, type TSchema, Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusedAnswer } from '../../platform/http/refusal.ts';
import { pageAnswer, pageQuery, readPage, type WantedPage } from '../../platform/pages.ts';
import type { ExactNumber } from '../../values/exact-json.ts';
import { saoPauloText } from '../../values/instant.ts';
import {
  PLAN_AMOUNT_DIGITS,
  type PlanAmount,
  planAmount,
  writePlanAmount,
} from '../../values/plan-amount.ts';
import { LONGEST_SOFT_DESCRIPTOR, NO_TEXT } from '../../values/soft-descriptor.ts';
import {
  CHANGED_RHYTHM,
  NEW_RHYTHM,
  NOT_SENT,
  newPlanFaults,
  PAYMENT_METHOD_WORDS,
  PLAN_TYPE_WORDS,
  paymentMethodOf,
  planFaults,
  planTypeOf,
  SHORTEST_INTERVAL,
} from './faults-contract.ts';
import type { PaymentMethod, Plan, PlanFilter, PlanOrder, PlanState, PlanType, Stamp } from './plan.ts';
import type { WantedPlan } from './plan-edit.ts';
import { MAX_RETRIES } from './retry-schedule.ts';

export const PLAN_STATE_WORDS = {
  active: 'Active',
  inactive: 'Inactive',
  canceled: 'Canceled',
} as const satisfies Record<PlanState, string>;

/** Reais as an exact JSON number: up to 12 digits before the point and 6 after it. */
const PLAN_AMOUNT = Type.Unsafe<number | ExactNumber>({
  exactDecimal: { ...PLAN_AMOUNT_DIGITS, isPositive: true },
  // More than 0.00 when rounded to cents.
  checked: { exclusiveMinimum: 0.005 },
});

/** Who created and changed it, and when (São Paulo's time); in every resource of recurrence. */
export const STAMPED: Record<string, TSchema> = {
  createdBy: Type.String(),
  createdDate: Type.String({ description: 'São Paulo time without zone.' }),
  modifiedBy: Type.Optional(Type.String({ description: 'Absent: never changed.' })),
  modifiedDate: Type.Optional(Type.String()),
};

export const PLAN_ANSWER = named('Plan', {
  id: Type.String(),
  merchantId: Type.String(),
  name: Type.String(),
  description: Type.String(),
  amount: Type.Number({
    description: 'Reais, with all their digits: up to 12 before and 6 after the point.',
  }),
  planType: Type.Enum(Object.values(PLAN_TYPE_WORDS)),
  trialDays: Type.Integer(),
  paymentMethod: Type.Enum(Object.values(PAYMENT_METHOD_WORDS)),
  interval: Type.Integer({ description: 'Days.' }),
  installments: Type.Integer({ description: '0: no end.' }),
  attempts: Type.Integer(),
  softDescriptor: orNull(
    Type.String(),
    "What subscribers read on their cards' statements; null: your default.",
  ),
  status: Type.Enum(Object.values(PLAN_STATE_WORDS)),
  ...STAMPED,
});

export const PLAN_EXAMPLE = {
  id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  merchantId: '01700555550000',
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  trialDays: 10,
  paymentMethod: 'CreditCard',
  interval: 30,
  installments: 0,
  attempts: MAX_RETRIES,
  softDescriptor: 'CLUBE*LIVRO',
  status: 'Active',
  createdBy: 'loja-01',
  createdDate: '2026-11-21T10:00:00.123',
};

export function writeStamps({ created, modified }: { created: Stamp; modified: Stamp | null }): object {
  const made = { createdBy: created.by, createdDate: saoPauloText(created.at) };
  if (modified === null) return made;
  return { ...made, modifiedBy: modified.by, modifiedDate: saoPauloText(modified.at) };
}

/** Alone, or inside a subscription with the subscription's terms. */
export function writePlan(plan: Plan): object {
  const { terms } = plan;
  return {
    id: plan.planId,
    merchantId: plan.merchantId,
    name: plan.name,
    description: plan.description,
    amount: writePlanAmount(terms.amount),
    planType: PLAN_TYPE_WORDS[terms.planType],
    trialDays: terms.trialDays,
    paymentMethod: PAYMENT_METHOD_WORDS[terms.paymentMethod],
    interval: terms.intervalDays,
    installments: terms.installments,
    attempts: terms.maxRetries,
    softDescriptor: plan.softDescriptor,
    status: PLAN_STATE_WORDS[plan.state],
    ...writeStamps(plan),
  };
}

export const OF_PLANS = { api: 'gateway', scope: 'recurrence', group: 'Plans' } as const;

const PLAN_FIELDS = {
  name: Type.String({ minLength: 1, maxLength: 255, format: 'filledText' }),
  description: Type.String({ minLength: 1, maxLength: 255, format: 'filledText' }),
  amount: PLAN_AMOUNT,
  planType: Type.Enum(Object.values(PLAN_TYPE_WORDS)),
  paymentMethod: Type.Enum(Object.values(PAYMENT_METHOD_WORDS), {
    description:
      'PixAutomatic, where it is switched on, is for Weekly, Monthly, Quarterly, Semesterly and Yearly plans with up to 3 `attempts`; its due days are those of the calendar.',
  }),
  trialDays: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 730, description: 'Days before the first charge.' }),
  ),
  interval: Type.Optional(
    Type.Integer({
      minimum: NOT_SENT,
      maximum: 3650,
      description: `Days between charges. Custom only, from ${SHORTEST_INTERVAL}; with every other type the service sets it, and ${NOT_SENT} is as if it was not sent.`,
    }),
  ),
  installments: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 999,
      description:
        'Charges in all, 1 to 999. Custom must have it, Monthly may; without it, and with every other type, there is no end. ' +
        'But for Custom 0 is as if it was not sent.',
    }),
  ),
  attempts: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_RETRIES, description: 'Retries after a lack of funds.' }),
  ),
  softDescriptor: Type.Optional(
    Type.String({
      maxLength: LONGEST_SOFT_DESCRIPTOR,
      format: 'softDescriptorOrNone',
      description:
        "What subscribers read on their cards' statements: letters without accents, digits, blanks and `.-*`. One point (`.`): none of its own, so your default. Absent or empty: as it was, at first your default.",
    }),
  ),
};

const OWN_MERCHANT = { maxLength: 20, mayHoldCard: true, description: 'Your own.' };

export const PLAN_ID = Type.String({ description: 'The id of the plan.' });

const BODY_EXAMPLE = {
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  trialDays: 10,
  paymentMethod: 'CreditCard',
  attempts: MAX_RETRIES,
  softDescriptor: 'CLUBE*LIVRO',
};

export const CREATE_PLAN = contract({
  ...OF_PLANS,
  id: 'createPlan',
  method: 'POST',
  path: '/v1/recurrences/plans',
  summary: 'Create a plan',
  description:
    'What you offer: so much, every so many days. It is Active at once. Weekly is every 7 days, Monthly 30, Bimonthly 60, Quarterly 90, ' +
    'Semesterly 180, Yearly 365, all without end, but for a Monthly one with `installments`: its subscriptions are completed after ' +
    'so many. A Custom plan needs `interval` and `installments`. `trialDays` and `attempts` ' +
    'are 0 by default.',
  body: named(
    'PlanRequest',
    { merchantId: Type.Optional(Type.String(OWN_MERCHANT)), ...PLAN_FIELDS },
    { checked: NEW_RHYTHM },
  ),
  check: newPlanFaults,
  isRepeatable: true,
  bodyExample: BODY_EXAMPLE,
  answers: { 200: { description: 'The id of the new plan.', schema: PLAN_ID, example: PLAN_EXAMPLE.id } },
});

export const PLAN_PARAMETERS = Type.Object({ planId: Type.String({ maxLength: 36 }) });

export const UPDATE_PLAN = contract({
  ...OF_PLANS,
  id: 'updatePlan',
  method: 'POST',
  path: '/v1/recurrences/plans/{planId}',
  summary: 'Change a plan',
  description:
    'An optional field left out keeps its value; `interval` and `installments` follow `planType` when that changes. The ' +
    'amount of an Active plan cannot change. While a subscription of it is Pending, Active or Blocked, only `name` and `description` can.',
  parameters: PLAN_PARAMETERS,
  body: named(
    'PlanUpdateRequest',
    { merchantId: Type.String(OWN_MERCHANT), ...PLAN_FIELDS },
    { checked: CHANGED_RHYTHM },
  ),
  check: planFaults,
  bodyExample: { merchantId: PLAN_EXAMPLE.merchantId, ...BODY_EXAMPLE },
  answers: {
    200: {
      links: {
        getPlan: { planId: '' },
        updatePlan: { planId: '' },
        changePlanStatus: { planId: '' },
        getPlanCalendar: { planId: '' },
        createSubscription: { planId: '' },
      },
      description: 'The id of the plan, as it is now.',
      schema: PLAN_ID,
      example: PLAN_EXAMPLE.id,
    },
    409: refusedAnswer(
      'The state of the plan forbids it: every such field is named, and nothing was changed.',
      { tag: 'amount', sentence: { pt: 'O valor de um plano ativo não pode ser alterado.' } },
    ),
  },
});

const ORDERS = {
  id: 'planId',
  merchantId: 'merchantId',
  name: 'name',
  description: 'description',
  amount: 'amount',
  planType: 'planType',
  trialDays: 'trialDays',
  paymentMethod: 'paymentMethod',
  interval: 'intervalDays',
  installments: 'installments',
  attempts: 'maxRetries',
  softDescriptor: 'softDescriptor',
  status: 'state',
  createdBy: 'createdBy',
  createdDate: 'createdAt',
  modifiedBy: 'modifiedBy',
  modifiedDate: 'modifiedAt',
} as const satisfies Record<string, PlanOrder>;
const ORDER_FIELDS = Object.keys(ORDERS) as (keyof typeof ORDERS)[];

const LIST_QUERY = Type.Object({
  name: Type.Optional(
    Type.String({ maxLength: 255, description: 'Part of the name; capitals and accents do not matter.' }),
  ),
  status: Type.Optional(Type.Enum(Object.values(PLAN_STATE_WORDS))),
  ...pageQuery(ORDER_FIELDS),
});

export const LIST_PLANS = contract({
  ...OF_PLANS,
  id: 'listPlans',
  method: 'GET',
  path: '/v1/recurrences/plans',
  summary: 'Search plans',
  description:
    'Items and total are of one moment. Names are put in order without regard to capitals and accents; what was never ' +
    'changed comes last by `modifiedBy` and `modifiedDate`.',
  query: LIST_QUERY,
  answers: {
    200: {
      links: { getPlan: { planId: '/items/0/id' }, createSubscription: { planId: '/items/0/id' } },
      ...pageAnswer('PlanPage', PLAN_ANSWER, PLAN_EXAMPLE),
    },
  },
});

export const GET_PLAN = contract({
  ...OF_PLANS,
  id: 'getPlan',
  method: 'GET',
  path: '/v1/recurrences/plans/{planId}',
  summary: 'Read a plan',
  description: 'With all its terms, as new subscriptions get them.',
  parameters: PLAN_PARAMETERS,
  answers: { 200: { description: 'The plan as it is now.', schema: PLAN_ANSWER, example: PLAN_EXAMPLE } },
});

export function readWantedPlan(
  body: Omit<Static<NonNullable<typeof UPDATE_PLAN.body>>, 'merchantId'>,
): WantedPlan {
  const { name, description, amount, planType, trialDays, interval, installments, attempts } = body;
  const { softDescriptor, paymentMethod } = body;
  return {
    name,
    description,
    amount: planAmount(amount) as PlanAmount,
    planType: planTypeOf(planType) as PlanType,
    paymentMethod: paymentMethodOf(paymentMethod) as PaymentMethod,
    ...(trialDays === undefined ? {} : { trialDays }),
    ...(interval === undefined || interval === NOT_SENT ? {} : { intervalDays: interval }),
    ...(installments === undefined || installments === NOT_SENT ? {} : { installments }),
    ...(attempts === undefined ? {} : { maxRetries: attempts }),
    ...(softDescriptor === undefined
      ? {}
      : { softDescriptor: softDescriptor === NO_TEXT ? null : softDescriptor }),
  };
}

export function readPlanState(word: string): PlanState {
  const found = planStateOf(word);
  if (found === undefined) throw new Error(`no state of a plan is shown as ${word}`);
  return found;
}

function planStateOf(word: string | undefined): PlanState | undefined {
  return (Object.keys(PLAN_STATE_WORDS) as PlanState[]).find((state) => PLAN_STATE_WORDS[state] === word);
}

export function readPlanSearch(query: Static<typeof LIST_QUERY>): {
  readonly filter: PlanFilter;
  readonly wanted: WantedPage<PlanOrder>;
} {
  const { page, limit, order } = readPage(query, ORDER_FIELDS, { field: 'createdDate', isDescending: true });
  return {
    filter: { name: query.name ?? '', state: planStateOf(query.status) ?? null },
    wanted: { page, limit, order: { field: ORDERS[order.field], isDescending: order.isDescending } },
  };
}
