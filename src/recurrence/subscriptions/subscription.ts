import type { Day } from '../../values/instant.ts';
import type { Plan, Stamp, Terms } from '../plans/plan.ts';
import type { Customer } from './customer.ts';

/**
 * `completed`: its last installment is over; shown as canceled, never active again. Of Pix Automático:
 * `pending` until the payer agrees, `rejected` or `expired` if he does not.
 */
export const SUBSCRIPTION_STATES = [
  'pending',
  'active',
  'blocked',
  'canceled',
  'completed',
  'rejected',
  'expired',
] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/**
 * `authorize`, `reject`, `expire`: the payer's answer. `block`: its card was canceled, or a charge was
 * charged back. `complete`: the last installment is final.
 */
export const SUBSCRIPTION_EVENTS = [
  'activate',
  'cancel',
  'block',
  'complete',
  'authorize',
  'reject',
  'expire',
] as const;
export type SubscriptionEvent = (typeof SUBSCRIPTION_EVENTS)[number];

/**
 * Why a subscription is not active. `user`: a user here, or the merchant's side at its Pix bank. `payer`: the
 * payer ended the authorization. `unanswered`: the bank never made one. `plan`: its plan was canceled.
 * `declined`: a charge was denied for good. `subscriber`: canceled by the subscriber at his page.
 */
export const SUBSCRIPTION_REASONS = [
  'user',
  'plan',
  'declined',
  'completed',
  'cardCanceled',
  'chargeback',
  'payer',
  'rejected',
  'expired',
  'unanswered',
  'subscriber',
] as const;
/** Nothing is charged any more, and the customer may be erased. */
export const ENDED_STATES: readonly SubscriptionState[] = ['canceled', 'completed', 'rejected', 'expired'];

export type SubscriptionReason = (typeof SUBSCRIPTION_REASONS)[number];

const NEVER_ASKED = { authorize: null, reject: null, expire: null } as const;

export const SUBSCRIPTION_MOVES = {
  pending: {
    ...{ activate: null, cancel: 'canceled', block: null, complete: 'completed' },
    ...{ authorize: 'active', reject: 'rejected', expire: 'expired' },
  },
  active: {
    ...{ activate: 'active', cancel: 'canceled', block: 'blocked', complete: 'completed' },
    ...NEVER_ASKED,
  },
  blocked: {
    ...{ activate: 'active', cancel: 'canceled', block: 'blocked', complete: 'completed' },
    ...NEVER_ASKED,
  },
  canceled: {
    ...{ activate: 'active', cancel: 'canceled', block: 'canceled', complete: 'completed' },
    ...NEVER_ASKED,
  },
  completed: {
    ...{ activate: null, cancel: 'completed', block: 'completed', complete: 'completed' },
    ...NEVER_ASKED,
  },
  rejected: {
    ...{ activate: null, cancel: 'rejected', block: null, complete: 'rejected' },
    ...NEVER_ASKED,
  },
  expired: {
    ...{ activate: null, cancel: 'expired', block: null, complete: 'expired' },
    ...NEVER_ASKED,
  },
} as const satisfies Record<SubscriptionState, Record<SubscriptionEvent, SubscriptionState | null>>;

export type Subscription = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  /** null: paid by Pix Automático. */
  readonly vaultId: string | null;
  readonly orderNumber: string;
  /** The account on the transactions of its charges. */
  readonly accountNumber: string;
  readonly state: SubscriptionState;
  /** null while active or pending. */
  readonly reason: SubscriptionReason | null;
  /** Stays when the plan changes; name and description follow the plan. */
  readonly terms: Terms;
  /**
   * The due day of its first billing here. The series goes on from it, or from an activation before any
   * charge.
   */
  readonly firstDueOn: Day;
  /** Installments paid at another gateway. */
  readonly installmentsPaidBefore: number;
  /** null if none was given, or it was erased. */
  readonly customer: Customer | null;
  readonly plan: Omit<Plan, 'terms'>;
  readonly created: Stamp;
  readonly modified: Stamp | null;
};

/** After a chargeback the merchant must speak with the customer; an ended subscription takes no card. */
export function takesCardOfSubscriber({
  state,
  reason,
  vaultId,
}: Pick<Subscription, 'state' | 'reason' | 'vaultId'>): boolean {
  if (vaultId === null || vaultId === '') return false;
  return state === 'active' || (state === 'blocked' && reason === 'cardCanceled');
}

/** Stored events, which follow the creation. */
export const SUBSCRIPTION_EVENT_TYPES = [
  'activated',
  'canceled',
  'blocked',
  'completed',
  'cardChanged',
  'customerChanged',
  'rejected',
  'expired',
] as const;
export type SubscriptionEventType = (typeof SUBSCRIPTION_EVENT_TYPES)[number];

export type SubscriptionEntry = {
  readonly type: 'created' | SubscriptionEventType;
  readonly stamp: Stamp;
  /** Why it is no longer active; null: the event does not end it. */
  readonly reason: SubscriptionReason | null;
  /** null: neither a charge nor a cancel caused it. */
  readonly billingId: string | null;
};

export type SubscriptionWithEvents = {
  readonly subscription: Subscription;
  /** The newest, in order. */
  readonly history: readonly SubscriptionEntry[];
};

/** In order, with the creation first. */
export function subscriptionTimeline({ subscription, history }: SubscriptionWithEvents): SubscriptionEntry[] {
  return [{ type: 'created', stamp: subscription.created, reason: null, billingId: null }, ...history];
}

/** The creating or changing user, and the account of the charges. */
export type Enroller = {
  readonly merchantId: string;
  readonly userName: string;
  readonly accountNumber: string;
};

/**
 * Plans and cards of other merchants are unknown. The refusals from `firstDueByPix` on depend on how the plan
 * is paid.
 */
export type SubscriptionCreationRefusal =
  | 'unknownPlan'
  | 'unknownCard'
  | 'planNotActive'
  | 'firstDueInThePast'
  | 'firstDueTooFar'
  | 'firstDueByPix'
  | 'cardNeeded'
  | 'cardNotTaken'
  | 'payerNameNeeded'
  | 'payerDocumentNeeded'
  | 'payerAccountNeeded'
  | 'automaticPixOff';

/**
 * `completed`: no installment is left. `cardRemoved`: the subscription's card is gone. `unknownCard`: the new
 * card is not in the vault. `notAuthorized`: a new authorization is needed. `notByCard`: it is paid by Pix
 * Automático.
 */
export type ChangeRefusal =
  | 'notFound'
  | 'completed'
  | 'cardRemoved'
  | 'unknownCard'
  | 'notAuthorized'
  | 'notByCard';

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

/** null fields match every subscription. */
export type SubscriptionFilter = {
  readonly planName: string | null;
  readonly states: readonly SubscriptionState[];
  readonly orderNumber: string | null;
  readonly vaultId: string | null;
  /** Exact match. */
  readonly documentNumber: string | null;
  /** Without regard to case. */
  readonly email: string | null;
};
