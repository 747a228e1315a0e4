import type { Instant } from '../../values/instant.ts';
import type { PlanAmount } from '../../values/plan-amount.ts';

export const PLAN_TYPES = [
  'weekly',
  'monthly',
  'bimonthly',
  'quarterly',
  'semesterly',
  'yearly',
  'custom',
] as const;
export type PlanType = (typeof PLAN_TYPES)[number];

export const PAYMENT_METHODS = ['creditCard', 'pixAutomatic'] as const;
export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

export const PLAN_STATES = ['active', 'inactive', 'canceled'] as const;
export type PlanState = (typeof PLAN_STATES)[number];

type PlanEvent = 'activate' | 'deactivate' | 'cancel';

export const PLAN_MOVES = {
  active: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
  inactive: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
  canceled: { activate: 'active', deactivate: 'inactive', cancel: 'canceled' },
} as const satisfies Record<PlanState, Record<PlanEvent, PlanState | null>>;

/** `installments` of a plan that bills until the subscription ends. */
export const ENDLESS = 0;

/** Days between two billings; a custom plan has its own. */
export const INTERVAL_DAYS = {
  weekly: 7,
  monthly: 30,
  bimonthly: 60,
  quarterly: 90,
  semesterly: 180,
  yearly: 365,
  custom: null,
} as const satisfies Record<PlanType, number | null>;

/** A subscription keeps these when its plan changes. */
export type Terms = {
  readonly amount: PlanAmount;
  readonly planType: PlanType;
  readonly paymentMethod: PaymentMethod;
  readonly trialDays: number;
  readonly intervalDays: number;
  /** Number of billings, or `ENDLESS`. */
  readonly installments: number;
  /** Retries after a lack of funds, 0 to `MAX_RETRIES`. */
  readonly maxRetries: number;
};

/** `at`: business time. */
export type Stamp = { readonly by: string; readonly at: Instant };

export type Plan = {
  readonly merchantId: string;
  readonly planId: string;
  readonly name: string;
  readonly description: string;
  /** On subscribers' card statements; null: the merchant's default. */
  readonly softDescriptor: string | null;
  readonly terms: Terms;
  readonly state: PlanState;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** For searches: lower case, without accents. */
export function searchText(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** `name`: any part of the name; empty: any name. `state` null: any. */
export type PlanFilter = { readonly name: string; readonly state: PlanState | null };

/** The order by merchant is that by id: all plans have the same merchant. */
export type PlanOrder =
  | 'planId'
  | 'merchantId'
  | 'name'
  | 'description'
  | 'softDescriptor'
  | 'state'
  | 'createdBy'
  | 'createdAt'
  | 'modifiedBy'
  | 'modifiedAt'
  | keyof Terms;
