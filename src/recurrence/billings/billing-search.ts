import type { TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import type { Day } from '../../values/instant.ts';
import type { BillingState } from './billing.ts';

/** Ties are ordered by id in the same direction. */
export const BILLING_ORDERS = [
  'id',
  'status',
  'expireAt',
  'amount',
  'installment',
  'createdBy',
  'createdDate',
  'modifiedBy',
  'modifiedDate',
] as const;
export type BillingOrder = (typeof BILLING_ORDERS)[number];

export const USUAL_ORDER = { field: 'createdDate', isDescending: true } as const;

/** null fields match every billing. Days are due days in São Paulo, both included. */
export type BillingFilter = {
  readonly subscriptionId: string | null;
  readonly state: BillingState | null;
  readonly dueFrom: Day | null;
  readonly dueTo: Day | null;
};

export type WantedBillings = BillingFilter & {
  /** null: the merchant that calls. */
  readonly merchantId: string | null;
} & WantedPage<BillingOrder>;

export type SearchRefusal = 'rangeBackwards' | TooManyToOrder;

/**
 * `sorted` and `ofSubscription` read all results to sort them, and are refused above a limit; the others
 * follow an index.
 */
export type SearchKind = 'allByCreation' | 'allById' | 'byDay' | 'byCreation' | 'sorted' | 'ofSubscription';

export function searchKind({
  subscriptionId,
  state,
  dueFrom,
  dueTo,
  order,
}: BillingFilter & Pick<WantedBillings, 'order'>): SearchKind {
  if (subscriptionId !== null) return 'ofSubscription';
  const isOfAll = state === null && dueFrom === null && dueTo === null;
  if (order.field === 'expireAt') return 'byDay';
  if (order.field === 'createdDate') return isOfAll ? 'allByCreation' : 'byCreation';
  return order.field === 'id' && isOfAll ? 'allById' : 'sorted';
}

export function isRangeBackwards({ dueFrom, dueTo }: BillingFilter): boolean {
  return dueFrom !== null && dueTo !== null && dueFrom > dueTo;
}
