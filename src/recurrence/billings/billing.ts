import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { Stamp } from '../plans/plan.ts';
import type { Subscription, SubscriptionReason } from '../subscriptions/subscription.ts';
import type { BillingCharge } from './charge-result.ts';

export type { BillingCharge, ChargeOutcome, ChargeRule } from './charge-result.ts';

export const BILLING_STATES = ['opened', 'paymentInvalid', 'canceled', 'denied', 'paid'] as const;
export type BillingState = (typeof BILLING_STATES)[number];

/** `retry`: a charge failed and another day follows. `cancel`: by hand, or with the subscription. */
export const BILLING_EVENTS = ['approve', 'retry', 'deny', 'invalidate', 'cancel'] as const;
export type BillingEvent = (typeof BILLING_EVENTS)[number];

/** null: the event cannot happen. A denied or invalid billing can still be charged by hand. */
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
  /** Canceled with its subscription before any charge: uses up neither day nor installment. */
  readonly isSkipped: boolean;
  readonly amount: Cents;
  readonly installment: number;
  readonly dueOn: Day;
  /** The day of the next charge, or of sending it to the Pix bank; null: no further charge. */
  readonly chargeOn: Day | null;
  /** Scheduled charges only. */
  readonly chargesMade: number;
  readonly isCharging: boolean;
  readonly paidBy: { readonly transactionId: string; readonly nsu: string } | null;
  readonly subscription: Subscription;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

export type EndOfSubscription = {
  readonly type: 'canceled' | 'blocked';
  readonly reason: SubscriptionReason;
  readonly stamp: Stamp;
};

export type BillingWithCharges = {
  readonly billing: Billing;
  readonly charges: readonly BillingCharge[];
  /** For a canceled billing: the last end or block of its subscription up to the cancel; null: none. */
  readonly lastEnd: EndOfSubscription | null;
};

/** `billing`: canceled by itself. Others: canceled with its subscription. */
export const CANCEL_CAUSES = ['billing', 'subscription', 'block', 'plan'] as const;
export type CancelCause = (typeof CANCEL_CAUSES)[number];

export type TimelineEntry =
  | { readonly type: 'opened'; readonly stamp: Stamp }
  | { readonly type: 'charged'; readonly stamp: Stamp; readonly charge: BillingCharge }
  | { readonly type: 'canceled'; readonly stamp: Stamp; readonly cause: CancelCause };

/** In order: opened, charges, cancel. Nothing follows a cancel. */
export function billingTimeline(whole: BillingWithCharges): TimelineEntry[] {
  const { state, created, modified } = whole.billing;
  const canceled = { type: 'canceled' as const, stamp: modified ?? created, cause: cancelCause(whole) };
  return [
    { type: 'opened', stamp: created },
    ...whole.charges.map((charge): TimelineEntry => {
      const stamp = { by: charge.by, at: charge.startedAt };
      return { type: 'charged', stamp, charge };
    }),
    ...(state === 'canceled' ? [canceled] : []),
  ];
}

/**
 * The cause is not stored. The end of a subscription writes the same moment and user to its billing, unless a
 * charge under way ended later. Only a subscription's end skips billings.
 */
function cancelCause({ billing, charges, lastEnd }: BillingWithCharges): CancelCause {
  const { isSkipped, modified } = billing;
  const endedTogether =
    lastEnd !== null && lastEnd.stamp.at === modified?.at && lastEnd.stamp.by === modified.by;
  const endedAfterCharge = charges.at(-1)?.rule === 'subscriptionEnded';
  if (!isSkipped && !endedTogether && !endedAfterCharge) return 'billing';
  if (lastEnd?.type === 'blocked') return 'block';
  return lastEnd?.reason === 'plan' ? 'plan' : 'subscription';
}
