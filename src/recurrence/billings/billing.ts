import type { Cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import type { Stamp } from '../plans/plan.ts';
import type { Subscription } from '../subscriptions/subscription.ts';

export const BILLING_STATES = ['opened', 'paymentInvalid', 'canceled', 'denied', 'paid'] as const;
export type BillingState = (typeof BILLING_STATES)[number];

/** `retry`: a charge failed and another day is tried. `cancel`: by hand, or with its subscription. */
export const BILLING_EVENTS = ['approve', 'retry', 'deny', 'invalidate', 'cancel'] as const;
export type BillingEvent = (typeof BILLING_EVENTS)[number];

/**
 * The whole life of a billing; null means that the event cannot happen there. What was denied or invalid can be charged again by
 * hand: it is paid then, or stays what it was.
 */
export const BILLING_MOVES = {
  opened: {
    approve: 'paid',
    retry: 'opened',
    deny: 'denied',
    invalidate: 'paymentInvalid',
    cancel: 'canceled',
  },
  paymentInvalid: {
    approve: 'paid',
    retry: null,
    deny: 'paymentInvalid',
    invalidate: 'paymentInvalid',
    cancel: null,
  },
  canceled: { approve: null, retry: null, deny: null, invalidate: null, cancel: null },
  denied: { approve: 'paid', retry: null, deny: 'denied', invalidate: 'denied', cancel: null },
  paid: { approve: null, retry: null, deny: null, invalidate: null, cancel: null },
} as const satisfies Record<BillingState, Record<BillingEvent, BillingState | null>>;

/** What a subscription owes for one due day. */
export type Billing = {
  readonly merchantId: string;
  readonly billingId: string;
  readonly state: BillingState;
  /** What is charged. */
  readonly amount: Cents;
  readonly installment: number;
  readonly dueOn: Day;
  /** The day of the next charge: the due day, or that of a retry; null: nothing is charged any more. */
  readonly chargeOn: Day | null;
  /** Charges made on schedule so far. */
  readonly attempts: number;
  /** Whether a charge is under way. */
  readonly isCharging: boolean;
  readonly subscription: Subscription;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** What came of a charge, as it is kept. `undone`: nobody answered, and nothing of it stays. */
export const CHARGE_OUTCOMES = [
  'approved',
  'funds',
  'blocked',
  'denied',
  'technical',
  'invalid',
  'undone',
] as const;
export type ChargeOutcome = (typeof CHARGE_OUTCOMES)[number];

/** What was made of the outcome of a charge, and why: kept with the charge and shown in the timeline. */
export const CHARGE_RULES = [
  'paid',
  'retry',
  'retryAsAdvised',
  'noRetriesLeft',
  'networkLimit',
  'subscriptionEnded',
  'cardCanceled',
  'neverAgain',
  'denied',
  'technical',
  'invalid',
  'declinedByHand',
] as const;
export type ChargeRule = (typeof CHARGE_RULES)[number];

/** One try to collect a billing. */
export type BillingCharge = {
  /** The first on schedule is 1, its retries 2 to 5; null: by hand. */
  readonly attempt: number | null;
  readonly startedAt: Instant;
  readonly by: string;
  /** Null: no answer yet. */
  readonly outcome: ChargeOutcome | null;
  /** What the issuer answered; null: nothing, or nobody was asked. */
  readonly code: string | null;
  /** What was made of it. */
  readonly rule: ChargeRule | null;
  readonly nextChargeOn: Day | null;
};

export type BillingWithCharges = { readonly billing: Billing; readonly charges: readonly BillingCharge[] };

/** What happened to a billing, and when. */
export type TimelineEntry =
  | { readonly type: 'opened' | 'canceled'; readonly stamp: Stamp }
  | { readonly type: 'charged'; readonly stamp: Stamp; readonly charge: BillingCharge };

/** The life of a billing in its order: opened, each charge, and its cancel, after which nothing happens. */
export function billingTimeline({ billing, charges }: BillingWithCharges): TimelineEntry[] {
  const { state, created, modified } = billing;
  return [
    { type: 'opened', stamp: created },
    ...charges.map((charge): TimelineEntry => {
      const stamp = { by: charge.by, at: charge.startedAt };
      return { type: 'charged', stamp, charge };
    }),
    ...(state === 'canceled' ? [{ type: 'canceled' as const, stamp: modified ?? created }] : []),
  ];
}
