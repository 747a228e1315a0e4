import type { Instant } from '../../values/instant.ts';
import type { PlanAmount } from '../../values/plan-amount.ts';

export const PLAN_TYPES = ['monthly', 'bimonthly', 'quarterly', 'semesterly', 'yearly', 'custom'] as const;
export type PlanType = (typeof PLAN_TYPES)[number];

export const PLAN_STATES = ['active', 'inactive', 'canceled'] as const;
export type PlanState = (typeof PLAN_STATES)[number];

type PlanEvent = 'activate' | 'deactivate' | 'cancel';

/** The whole life of a plan: its merchant gives it any state at any time. */
export const PLAN_MOVES = {
  active: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
  inactive: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
  canceled: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
} as const satisfies Record<PlanState, Record<PlanEvent, PlanState | null>>;

/** No end: billed until the subscription ends. */
export const ENDLESS = 0;

/** Days between two billings; a custom plan names its own. */
export const INTERVAL_DAYS = {
  monthly: 30,
  bimonthly: 60,
  quarterly: 90,
  semesterly: 180,
  yearly: 365,
  custom: null,
} as const satisfies Record<PlanType, number | null>;

/**
 * What is charged, and when: what a subscription keeps of its plan, however the plan changes later.
 */
export type Terms = {
  readonly amount: PlanAmount;
  readonly planType: PlanType;
  readonly trialDays: number;
  readonly intervalDays: number;
  /** How many billings there are in all, or `ENDLESS`. */
  readonly installments: number;
  /** How many retries follow a lack of funds, 0 to `MAX_RETRIES`. */
  readonly maxRetries: number;
};

/** The user that made or changed something, and when in business time. */
export type Stamp = { readonly by: string; readonly at: Instant };

/** A recurring offer of a merchant. */
export type Plan = {
  readonly merchantId: string;
  readonly planId: string;
  readonly name: string;
  readonly description: string;
  /** What subscribers read on their statements; null: the merchant's default. */
  readonly softDescriptor: string | null;
  readonly terms: Terms;
  readonly state: PlanState;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** A text as searches compare it: small letters, without accents. */
export function searchText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/**
 * Which plans are searched for: `name` is any part of the name, an empty text of every one. Null:
 * of every state.
 */
export type PlanFilter = { readonly name: string; readonly state: PlanState | null };

/**
 * What plans can be put in order by; a plan is paid by card and is its merchant's, so these two
 * leave it to the id.
 */
export type PlanOrder =
  | 'planId'
  | 'merchantId'
  | 'name'
  | 'description'
  | 'paymentMethod'
  | 'softDescriptor'
  | 'state'
  | 'createdBy'
  | 'createdAt'
  | 'modifiedBy'
  | 'modifiedAt'
  | keyof Terms;
