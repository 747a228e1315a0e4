import type { PlanState, PlanType } from '../../src/recurrence/plans/plan.ts';
import { centsOfPlanAmount, parsePlanAmount } from '../../src/values/plan-amount.ts';

/** Retries follow the scheduled day by so many days: one number for each try, the first among them. */
export const TRY_DAYS = [0, 2, 4, 8, 16] as const;

export type LoadedPlan = {
  readonly planId: string;
  readonly name: string;
  readonly state: PlanState;
  /** As `numeric(18, 6)` shows it. */
  readonly amount: string;
  /** Cents of each billing. */
  readonly charged: number;
  readonly planType: PlanType;
  readonly trialDays: number;
  readonly intervalDays: number;
  readonly installments: number;
  readonly maxRetries: number;
};

/** A merchant as the loader makes it. */
export type Shop = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly userName: string;
  readonly plans: readonly LoadedPlan[];
  /** Its stored cards are `cardId(firstCard)` up to `cardId(firstCard + cards - 1)`. */
  readonly firstCard: number;
  readonly cards: number;
};

type Template = Omit<LoadedPlan, 'planId' | 'name' | 'state' | 'charged'>;

const ENDLESS = { installments: 0 } as const;
/** One of each kind, with and without trial and retries; among the amounts are halves of a cent. */
const TEMPLATES: readonly Template[] = [
  { amount: '49.900000', planType: 'monthly', trialDays: 0, intervalDays: 30, ...ENDLESS, maxRetries: 4 },
  { amount: '129.905000', planType: 'monthly', trialDays: 10, intervalDays: 30, ...ENDLESS, maxRetries: 0 },
  { amount: '89.915000', planType: 'bimonthly', trialDays: 0, intervalDays: 60, ...ENDLESS, maxRetries: 2 },
  { amount: '199.000000', planType: 'quarterly', trialDays: 30, intervalDays: 90, ...ENDLESS, maxRetries: 4 },
  {
    amount: '350.000000',
    planType: 'semesterly',
    trialDays: 0,
    intervalDays: 180,
    ...ENDLESS,
    maxRetries: 1,
  },
  { amount: '990.123456', planType: 'yearly', trialDays: 30, intervalDays: 365, ...ENDLESS, maxRetries: 3 },
  {
    amount: '75.500000',
    planType: 'custom',
    trialDays: 0,
    intervalDays: 20,
    installments: 12,
    maxRetries: 4,
  },
  {
    amount: '310.000000',
    planType: 'custom',
    trialDays: 15,
    intervalDays: 45,
    installments: 6,
    maxRetries: 1,
  },
];
const NAMES = [
  'Clube do Livro',
  'Café em Casa',
  'Academia',
  'Revista',
  'Seguro',
  'Anuidade',
  'Curso',
  'Vinhos',
];
/** Without subscriptions: an offer that ended. */
const STATES_OF_OTHERS: readonly PlanState[] = ['inactive', 'canceled'];

/**
 * The plans of one merchant: each kind so many times, and two that take nobody. `first` numbers
 * them among all.
 */
export function plansOf(first: number, rounds: number): LoadedPlan[] {
  const count = TEMPLATES.length * rounds;
  return Array.from({ length: count + STATES_OF_OTHERS.length }, (_, index) => {
    const kind = index % TEMPLATES.length;
    const template = TEMPLATES[kind] as Template;
    return {
      planId: idAt(PLANS_MADE_AT, 2, first + index),
      name: `${NAMES[kind]} ${index + 1}`,
      state: STATES_OF_OTHERS[index - count] ?? 'active',
      charged: centsOfPlanAmount(parsePlanAmount(template.amount)),
      ...template,
    };
  });
}

export const PLANS_MADE_AT = Date.UTC(2020, 0, 2, 12);

/**
 * The id of the stored card of this number. All but the last twelve hexadecimal digits are the same
 * (`CARD_ID_START`): SQL and Lua write it, too.
 */
export function cardId(number: number): string {
  return idAt(PLANS_MADE_AT, 1, number);
}

export const CARD_ID_START = cardId(0).slice(0, 24);

/**
 * A UUID of version 7 of this time; unique by kind (one hexadecimal digit) and number, so that
 * nothing has to be remembered.
 */
export function idAt(milliseconds: number, kind: number, number: number): string {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kind.toString(16)}00-8000-${number.toString(16).padStart(12, '0')}`;
}
