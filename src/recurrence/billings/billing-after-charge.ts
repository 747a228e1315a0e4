import { addDays, type Day } from '../../values/instant.ts';
import { pixRetryDay } from '../plans/pix-schedule.ts';
import { ENDLESS, type Terms } from '../plans/plan.ts';
import { type Retry, retryAfterFailure } from '../plans/retry-schedule.ts';
import { dueDayAfter, isScheduleOver } from '../subscriptions/schedule.ts';
import {
  SUBSCRIPTION_MOVES,
  type SubscriptionReason,
  type SubscriptionState,
} from '../subscriptions/subscription.ts';
import { BILLING_MOVES, type BillingEvent, type BillingState } from './billing.ts';
import { CHARGE_RESULTS, type ChargeResult, type ChargeRule } from './charge-result.ts';

export type ScheduledCharge = {
  readonly result: ChargeResult;
  /** Read when the result is recorded: a cancel may have come during the charge. */
  readonly subscription: SubscriptionState;
  readonly terms: Pick<Terms, 'paymentMethod' | 'planType' | 'installments' | 'intervalDays' | 'maxRetries'>;
  readonly installment: number;
  readonly dueOn: Day;
  /** The due day of the charge at the Pix bank; absent: the same as `dueOn`. */
  readonly askedFor?: Day;
  /** Scheduled charges, this one included. */
  readonly chargesMade: number;
  /** `scheduledOn`: the charge's day. `chargedOn`: when it began (in São Paulo); later after downtime. */
  readonly scheduledOn: Day;
  readonly chargedOn: Day;
  /** The first day that the merchant advice code allows; null: no advice. */
  readonly earliestRetryOn: Day | null;
  /** Another try of this card would pass its network's limit. */
  readonly isNetworkLimitReached: boolean;
};

/** null: the subscription stays as it is. */
export type SubscriptionChange = {
  readonly state: Exclude<SubscriptionState, 'active'>;
  readonly reason: SubscriptionReason;
} | null;

export type NextBilling = { readonly installment: number; readonly dueOn: Day; readonly chargeOn: Day };

export type AfterCharge = {
  /** `chargeOn`: the day of the next charge; null: none. */
  readonly billing: {
    readonly state: BillingState;
    readonly chargeOn: Day | null;
    readonly rule: ChargeRule;
  };
  readonly subscription: SubscriptionChange;
  readonly next: NextBilling | null;
};

type Verdict = { readonly event: BillingEvent; readonly rule: ChargeRule; readonly chargeOn: Day | null };

/**
 * The effect of a scheduled charge on billing and subscription. Only a lack of funds earns a retry: networks
 * punish others. One billing is open at a time; when it ends, the next opens if the subscription goes on.
 */
export function billingAfterCharge(charge: ScheduledCharge): AfterCharge {
  const verdict = verdictOf(charge);
  const billing = {
    state: stateAfter('opened', verdict.event),
    chargeOn: verdict.chargeOn,
    rule: verdict.rule,
  };
  if (verdict.event === 'retry') return { billing, subscription: null, next: null };
  const ended = endOfSubscription(charge);
  return { billing, ...afterFinalized({ ...charge, today: charge.chargedOn }, ended) };
}

/**
 * After a voided charge, attempt number `chargesMade` is made again, unless the subscription has ended.
 * `isSkipped`: the billing was never charged.
 */
export function billingAfterVoid(
  subscription: SubscriptionState,
  scheduledOn: Day,
  chargesMade: number,
): AfterCharge['billing'] & { readonly isSkipped: boolean } {
  if (subscription === 'active')
    return { state: 'opened', chargeOn: scheduledOn, rule: 'sentAgain', isSkipped: false };
  const isSkipped = chargesMade === 1;
  return { state: stateAfter('opened', 'cancel'), chargeOn: null, rule: 'subscriptionEnded', isSkipped };
}

function verdictOf(charge: ScheduledCharge): Verdict {
  const { event, rule } = CHARGE_RESULTS[charge.result];
  const final = { event, rule, chargeOn: null };
  return charge.result === 'funds' ? (verdictOfFunds(charge) ?? final) : final;
}

/** null: no retry is left. */
function verdictOfFunds(charge: ScheduledCharge): Verdict | null {
  if (charge.subscription !== 'active') return { event: 'cancel', rule: 'subscriptionEnded', chargeOn: null };
  const retry = retryOf(charge);
  if (retry === null) return null;
  if (charge.isNetworkLimitReached) return { event: 'deny', rule: 'networkLimit', chargeOn: null };
  return { event: 'retry', rule: retry.isAdvised ? 'retryAsAdvised' : 'retry', chargeOn: retry.retryOn };
}

/** Another try of Pix Automático is sent on the day before it. */
function retryOf(charge: ScheduledCharge): Retry | null {
  const { terms, chargesMade, chargedOn, dueOn, askedFor = dueOn } = charge;
  const { maxRetries } = terms;
  if (terms.paymentMethod === 'creditCard')
    return retryAfterFailure({ ...charge, attemptNumber: chargesMade, maxRetries });
  const tryOn = pixRetryDay({ dueOn: askedFor, maxRetries }, chargesMade - 1, chargedOn);
  return tryOn === null ? null : { retryOn: addDays(tryOn, -1), isAdvised: false };
}

/** Whether a final failure ends the subscription, by `CHARGE_RESULTS`. */
function endOfSubscription({
  result,
  subscription,
  terms,
  chargesMade,
}: ScheduledCharge): SubscriptionChange {
  if (subscription !== 'active') return null;
  const effect = CHARGE_RESULTS[result].subscription;
  const isEnded = terms.planType === 'monthly' || terms.installments === ENDLESS;
  switch (effect) {
    case 'blocks':
      return subscriptionChange(subscription, 'block', 'cardCanceled');
    case 'cancelsAllButCustom':
      return isEnded ? subscriptionChange(subscription, 'cancel', 'declined') : null;
    case 'cancelsAllButCustomOnRetry':
      return isEnded && chargesMade > 1 ? subscriptionChange(subscription, 'cancel', 'declined') : null;
    case null:
      return null;
  }
}

function subscriptionChange(
  state: SubscriptionState,
  event: 'block' | 'cancel' | 'complete',
  reason: SubscriptionReason,
): SubscriptionChange {
  const next = SUBSCRIPTION_MOVES[state][event];
  return next === null || next === state ? null : { state: next, reason };
}

type Finalized = {
  readonly subscription: SubscriptionState;
  readonly terms: Pick<Terms, 'paymentMethod' | 'planType' | 'installments' | 'intervalDays'>;
  readonly installment: number;
  readonly dueOn: Day;
  /** The day on which the billing ended, or was last charged. */
  readonly today: Day;
};

/** `pending`: a payer may agree after his first billing was canceled. */
const CONTINUED: readonly SubscriptionState[] = ['active', 'pending'];

/**
 * What follows a finished billing. A canceled card blocks the subscription, even with the last installment,
 * which otherwise completes it. An ended or blocked subscription opens nothing. A billing whose day has
 * passed (after downtime or late retries) is charged tomorrow, so that two are never charged on one day.
 */
export function afterFinalized(
  { subscription, terms, installment, dueOn, today }: Finalized,
  ended: SubscriptionChange,
): Pick<AfterCharge, 'subscription' | 'next'> {
  if (ended?.state === 'blocked') return { subscription: ended, next: null };
  if (isScheduleOver({ installment, dueOn }, terms))
    return { subscription: subscriptionChange(subscription, 'complete', 'completed'), next: null };
  if (ended !== null || !CONTINUED.includes(subscription)) return { subscription: ended, next: null };
  const nextDueOn = dueDayAfter(dueOn, terms);
  const chargeOn = nextDueOn > today ? nextDueOn : addDays(today, 1);
  return { subscription: null, next: { installment: installment + 1, dueOn: nextDueOn, chargeOn } };
}

export type ChargeableByHand = Extract<BillingState, 'denied' | 'paymentInvalid'>;

/**
 * The billing is paid or stays as it was: its successor is already open. Only a canceled card blocks the
 * subscription.
 */
export function billingAfterChargeByHand(
  billing: ChargeableByHand,
  result: ChargeResult,
  subscription: SubscriptionState,
): AfterCharge {
  const { event, rule: ruleOnSchedule, subscription: effect } = CHARGE_RESULTS[result];
  const rule = result === 'funds' ? 'declinedByHand' : ruleOnSchedule;
  return {
    billing: { state: stateAfter(billing, event), chargeOn: null, rule },
    subscription: effect === 'blocks' ? subscriptionChange(subscription, 'block', 'cardCanceled') : null,
    next: null,
  };
}

function stateAfter(state: 'opened' | ChargeableByHand, event: BillingEvent): BillingState {
  const next: BillingState | null = BILLING_MOVES[state][event];
  if (next === null) throw new Error(`a billing that is ${state} knows no ${event}`);
  return next;
}

export type CancelRefusal = 'finalized' | 'charging';

export type BillingToCancel = Finalized & { readonly state: BillingState; readonly isCharging: boolean };

/**
 * Cancels an open billing, also one that waits for a retry. Its day and installment are used up; the series
 * continues.
 */
export function billingAfterCancel(
  billing: BillingToCancel,
): CancelRefusal | Pick<AfterCharge, 'subscription' | 'next'> {
  if (BILLING_MOVES[billing.state].cancel === null) return 'finalized';
  if (billing.isCharging) return 'charging';
  return afterFinalized(billing, null);
}
