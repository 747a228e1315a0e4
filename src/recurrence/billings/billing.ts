import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { Stamp } from '../plans/plan.ts';
import type { Subscription, SubscriptionReason } from '../subscriptions/subscription.ts';
import type { BillingCharge } from './charge-result.ts';

export type { BillingCharge, ChargeOutcome, ChargeRule } from './charge-result.ts';

export const BILLING_STATES = ['opened', 'paymentInvalid', 'canceled', 'denied', 'paid'] as const;
export type BillingState = (typeof BILLING_STATES)[number];

/**
 * `retry`: a charge failed and another day is tried. `cancel`: by hand, or with its subscription.
 */
export const BILLING_EVENTS = ['approve', 'retry', 'deny', 'invalidate', 'cancel'] as const;
export type BillingEvent = (typeof BILLING_EVENTS)[number];

/**
 * The whole life of a billing; null means that the event cannot happen there. What was denied or
 * invalid can be charged again by hand: it is paid then, or stays what it was.
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
  /**
   * Canceled with its subscription, and no charge of it came to anything: it uses up neither its
   * day nor its installment.
   */
  readonly isSkipped: boolean;
  /** What is charged. */
  readonly amount: Cents;
  readonly installment: number;
  readonly dueOn: Day;
  /**
   * The day of the next charge: the due day, or that of a retry; null: nothing is charged any more.
   */
  readonly chargeOn: Day | null;
  /** Charges made on schedule so far. */
  readonly chargesMade: number;
  /** Whether a charge is under way. */
  readonly isCharging: boolean;
  /** The charge that paid it; null: it is not paid. */
  readonly paidBy: { readonly transactionId: string; readonly nsu: string } | null;
  readonly subscription: Subscription;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** What ended or blocked a subscription, as far as its billing is concerned. */
export type EndOfSubscription = {
  readonly type: 'canceled' | 'blocked';
  readonly reason: SubscriptionReason;
  readonly stamp: Stamp;
};

export type BillingWithCharges = {
  readonly billing: Billing;
  readonly charges: readonly BillingCharge[];
  /** Of a billing that is canceled, the last that was not after it; null: none was. */
  readonly lastEnd: EndOfSubscription | null;
};

/**
 * `billing`: it was canceled by itself, by hand. The others: with its subscription, which was
 * canceled, blocked, or ended with its plan.
 */
export const CANCEL_CAUSES = ['billing', 'subscription', 'block', 'plan'] as const;
export type CancelCause = (typeof CANCEL_CAUSES)[number];

/** What happened to a billing, and when. */
export type TimelineEntry =
  | { readonly type: 'opened'; readonly stamp: Stamp }
  | { readonly type: 'charged'; readonly stamp: Stamp; readonly charge: BillingCharge }
  | { readonly type: 'canceled'; readonly stamp: Stamp; readonly cause: CancelCause };

/**
 * The life of a billing in its order: opened, each charge, and its cancel, after which nothing
 * happens.
 */
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
 * No billing says why it was canceled, because its subscription does: what ended that wrote the
 * same moment and user to both. A charge under way then canceled it later, and only a subscription
 * leaves a billing as one that does not count.
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
