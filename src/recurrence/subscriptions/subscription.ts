import type { Day } from '../../values/instant.ts';
import type { Plan, Stamp, Terms } from '../plans/plan.ts';
import type { Customer } from './customer.ts';

/** `completed`: its last installment is over; shown as canceled, and never active again. */
export const SUBSCRIPTION_STATES = ['active', 'blocked', 'canceled', 'completed'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/**
 * `block`: the card is canceled, or its holder took a charge back. `complete`: the last installment
 * is finalized.
 */
export const SUBSCRIPTION_EVENTS = ['activate', 'cancel', 'block', 'complete'] as const;
export type SubscriptionEvent = (typeof SUBSCRIPTION_EVENTS)[number];

/**
 * Why a subscription is not active. `plan`: its plan was canceled. `declined`: a charge was denied
 * for good.
 */
export const SUBSCRIPTION_REASONS = [
  'user',
  'plan',
  'declined',
  'completed',
  'cardCanceled',
  'chargeback',
] as const;
export type SubscriptionReason = (typeof SUBSCRIPTION_REASONS)[number];

/** The whole life of a subscription; null means that the event is refused there. */
export const SUBSCRIPTION_MOVES = {
  active: { activate: 'active', cancel: 'canceled', block: 'blocked', complete: 'completed' },
  blocked: { activate: 'active', cancel: 'canceled', block: 'blocked', complete: 'completed' },
  canceled: { activate: 'active', cancel: 'canceled', block: 'canceled', complete: 'completed' },
  completed: { activate: null, cancel: 'completed', block: 'completed', complete: 'completed' },
} as const satisfies Record<SubscriptionState, Record<SubscriptionEvent, SubscriptionState | null>>;

/** A customer's enrolment in a plan, paid with a stored card. */
export type Subscription = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly vaultId: string;
  readonly orderNumber: string;
  /** Stamped on the transactions of its charges. */
  readonly accountNumber: string;
  readonly state: SubscriptionState;
  /** Null: active. */
  readonly reason: SubscriptionReason | null;
  /** What it bills, whatever became of the plan; name and description follow the plan. */
  readonly terms: Terms;
  /** The day of its first billing: every other one is a whole number of intervals later. */
  readonly firstDueOn: Day;
  /** Null: its merchant named none, or it was erased. */
  readonly customer: Customer | null;
  readonly plan: Omit<Plan, 'terms'>;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** What happens to a subscription after its creation, as it is kept. */
export const SUBSCRIPTION_EVENT_TYPES = [
  'activated',
  'canceled',
  'blocked',
  'completed',
  'cardChanged',
  'customerChanged',
] as const;
export type SubscriptionEventType = (typeof SUBSCRIPTION_EVENT_TYPES)[number];

/** What happened to a subscription, when, by whom, and why. */
export type SubscriptionEntry = {
  readonly type: 'created' | SubscriptionEventType;
  readonly stamp: Stamp;
  /** Why it is not active any more; null for what does not end it. */
  readonly reason: SubscriptionReason | null;
  /** The billing whose charge, or cancel, did it; null: none did. */
  readonly billingId: string | null;
};

export type SubscriptionWithEvents = {
  readonly subscription: Subscription;
  /** The newest, in their order. */
  readonly history: readonly SubscriptionEntry[];
};

/** The life of a subscription in its order: created, and what happened since. */
export function subscriptionTimeline({ subscription, history }: SubscriptionWithEvents): SubscriptionEntry[] {
  return [{ type: 'created', stamp: subscription.created, reason: null, billingId: null }, ...history];
}

/**
 * The user that makes or changes a subscription, and the account that its charges are stamped with.
 */
export type Enroller = {
  readonly merchantId: string;
  readonly userName: string;
  readonly accountNumber: string;
};

/** Why a subscription is not made. What another merchant has is unknown. */
export type SubscriptionCreationRefusal = 'unknownPlan' | 'unknownCard' | 'planNotActive';

/**
 * Why a subscription is not changed: it is not there; `completed`: no installment is left; its new
 * card is not there.
 */
export type ChangeRefusal = 'notFound' | 'completed' | 'cardRemoved' | 'unknownCard';

/** By which a list can be put in order. */
export const SUBSCRIPTION_FIELDS = [
  'id',
  'vaultId',
  'orderNumber',
  'status',
  'createdBy',
  'createdDate',
  'modifiedBy',
  'modifiedDate',
] as const;
export type SubscriptionField = (typeof SUBSCRIPTION_FIELDS)[number];

/** What is looked for; null: anything. */
export type SubscriptionFilter = {
  readonly planName: string | null;
  readonly states: readonly SubscriptionState[];
  readonly orderNumber: string | null;
  readonly vaultId: string | null;
  /** Of its customer: exactly this one. */
  readonly documentNumber: string | null;
  /** Whatever its capitals. */
  readonly email: string | null;
};
