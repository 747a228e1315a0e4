import { addDays, type Day } from '../../values/instant.ts';
import { ENDLESS, type Terms } from '../plans/plan.ts';
import { nextRetryOn } from '../plans/retry-schedule.ts';
import { dueDayAfter, isScheduleOver } from '../subscriptions/schedule.ts';
import type { SubscriptionReason, SubscriptionState } from '../subscriptions/subscription.ts';
import { BILLING_MOVES, type BillingEvent, type BillingState, type ChargeRule } from './billing.ts';

/**
 * What a charge came to. `invalid`: what we or the acquirer could not process. Nobody was asked: `neverAgain`, the card told this
 * merchant so before; `limited`, its network takes no more tries now; `cardExpired` by our own calendar; `cardUnusable`, it is not
 * in the vault, or cannot be opened; `amountOutOfRange`, nothing or too much is to be charged.
 */
export const CHARGE_CLASSES = [
  'approved',
  'funds',
  'blocked',
  'denied',
  'technical',
  'invalid',
  'neverAgain',
  'limited',
  'cardExpired',
  'cardUnusable',
  'amountOutOfRange',
] as const;
export type ChargeClass = (typeof CHARGE_CLASSES)[number];

/** A billing whose schedule a charge has ended or moved on. */
export type ScheduledCharge = {
  readonly outcome: ChargeClass;
  /** When the outcome is taken: one that was canceled while the charge was under way is not active any more. */
  readonly subscription: SubscriptionState;
  readonly terms: Pick<Terms, 'installments' | 'intervalDays' | 'attempts'>;
  readonly installment: number;
  readonly dueOn: Day;
  /** Charges made on schedule, this one included: from 1. */
  readonly attempts: number;
  /** The day on which this charge was to be made, and the one (in São Paulo) on which it was begun: later after downtime. */
  readonly scheduledOn: Day;
  readonly chargedOn: Day;
  /** The first day that the merchant advice code of this answer allows; null: it says nothing. */
  readonly earliestRetryOn: Day | null;
  /** Whether another try of this card here would pass the limit of its network. */
  readonly isNetworkLimitReached: boolean;
};

/** What a subscription becomes; null: it stays what it is. */
export type SubscriptionChange = {
  readonly state: Exclude<SubscriptionState, 'active'>;
  readonly reason: SubscriptionReason;
} | null;

/** The billing to be opened, and the day of its first charge. */
export type NextBilling = { readonly installment: number; readonly dueOn: Day; readonly chargeOn: Day };

export type AfterCharge = {
  /** `chargeOn`: the day of the next charge; null: there is none. */
  readonly billing: {
    readonly state: BillingState;
    readonly chargeOn: Day | null;
    readonly rule: ChargeRule;
  };
  readonly subscription: SubscriptionChange;
  readonly next: NextBilling | null;
};

type Verdict = { readonly event: BillingEvent; readonly rule: ChargeRule; readonly chargeOn: Day | null };

/** What the outcome says of its own; of a lack of funds the schedule of retries decides. */
const FINAL_VERDICTS = {
  approved: { event: 'approve', rule: 'paid' },
  blocked: { event: 'deny', rule: 'cardCanceled' },
  denied: { event: 'deny', rule: 'denied' },
  technical: { event: 'deny', rule: 'technical' },
  invalid: { event: 'invalidate', rule: 'invalid' },
  neverAgain: { event: 'deny', rule: 'neverAgain' },
  limited: { event: 'deny', rule: 'networkLimit' },
  cardExpired: { event: 'invalidate', rule: 'cardExpired' },
  cardUnusable: { event: 'invalidate', rule: 'cardUnusable' },
  amountOutOfRange: { event: 'invalidate', rule: 'amountOutOfRange' },
} as const satisfies Record<Exclude<ChargeClass, 'funds'>, { event: BillingEvent; rule: ChargeRule }>;

/**
 * What a charge on schedule makes of its billing and subscription. Only a lack of funds earns another try: networks punish
 * repeating any other refusal. One billing is open at a time: the next is opened when this one is over, while its subscription
 * is active.
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
 * What becomes of a billing whose charge stayed without an answer, and of which nothing stays: nobody was told, so the same attempt
 * (`attempts`: its number) is made again. Whose subscription ended meanwhile is not asked again; `isSkipped`: it never was, and uses up
 * neither its day nor its installment.
 */
export function billingAfterVoid(
  subscription: SubscriptionState,
  scheduledOn: Day,
  attempts: number,
): AfterCharge['billing'] & { readonly isSkipped: boolean } {
  if (subscription === 'active')
    return { state: 'opened', chargeOn: scheduledOn, rule: 'sentAgain', isSkipped: false };
  const isSkipped = attempts === 1;
  return { state: stateAfter('opened', 'cancel'), chargeOn: null, rule: 'subscriptionEnded', isSkipped };
}

function verdictOf(charge: ScheduledCharge): Verdict {
  const { outcome } = charge;
  return outcome === 'funds' ? verdictOfFunds(charge) : { ...FINAL_VERDICTS[outcome], chargeOn: null };
}

/** Nobody is charged for a subscription that ended meanwhile, and a try that its network would fine is not made. */
function verdictOfFunds(charge: ScheduledCharge): Verdict {
  const { scheduledOn, chargedOn, attempts, earliestRetryOn } = charge;
  if (charge.subscription !== 'active') return { event: 'cancel', rule: 'subscriptionEnded', chargeOn: null };
  const isLate = chargedOn > scheduledOn;
  const retryOn = nextRetryOn(isLate ? chargedOn : scheduledOn, attempts - 1, charge.terms.attempts);
  if (retryOn === null) return { event: 'deny', rule: 'noRetriesLeft', chargeOn: null };
  if (charge.isNetworkLimitReached) return { event: 'deny', rule: 'networkLimit', chargeOn: null };
  if (earliestRetryOn !== null && earliestRetryOn > retryOn)
    return { event: 'retry', rule: 'retryAsAdvised', chargeOn: earliestRetryOn };
  return { event: 'retry', rule: 'retry', chargeOn: retryOn };
}

/**
 * Whether a final failure ends the subscription. What has no end is ended by a final no of the issuer; a plan with so many
 * installments goes on with the next, and so does everything after a failure that was not the card's. A network's limit that keeps
 * a retry from being made leaves the lack of funds before it the last word; one that meets a first try says nothing of this billing.
 */
function endOfSubscription({ outcome, subscription, terms, attempts }: ScheduledCharge): SubscriptionChange {
  if (subscription !== 'active') return null;
  if (outcome === 'blocked' || outcome === 'neverAgain') return { state: 'blocked', reason: 'cardCanceled' };
  const isDeclined = outcome === 'funds' || outcome === 'denied' || (outcome === 'limited' && attempts > 1);
  return isDeclined && terms.installments === ENDLESS ? { state: 'canceled', reason: 'declined' } : null;
}

/** A billing that is over, and its subscription. */
export type Finalized = {
  readonly subscription: SubscriptionState;
  readonly terms: Pick<Terms, 'installments' | 'intervalDays'>;
  readonly installment: number;
  readonly dueOn: Day;
  /** The day on which it ended, or was charged last. */
  readonly today: Day;
};

/**
 * How the schedule goes on behind a billing that is over. A canceled card blocks the subscription also with the last installment.
 * Otherwise it is completed then, whatever else became of it; one that is not active, or has just ended, opens nothing. A billing whose day
 * has come already (after downtime, or late retries) is charged tomorrow: never are two installments charged on one day.
 */
export function afterFinalized(
  { subscription, terms, installment, dueOn, today }: Finalized,
  ended: SubscriptionChange,
): Pick<AfterCharge, 'subscription' | 'next'> {
  if (ended?.state === 'blocked') return { subscription: ended, next: null };
  if (isScheduleOver({ installment, dueOn }, terms)) {
    const isCompleted = subscription === 'completed';
    return { subscription: isCompleted ? null : { state: 'completed', reason: 'completed' }, next: null };
  }
  if (ended !== null || subscription !== 'active') return { subscription: ended, next: null };
  const nextDueOn = dueDayAfter(dueOn, terms.intervalDays);
  const chargeOn = nextDueOn > today ? nextDueOn : addDays(today, 1);
  return { subscription: null, next: { installment: installment + 1, dueOn: nextDueOn, chargeOn } };
}

/** Billings that can be charged by hand. */
export type ChargeableByHand = Extract<BillingState, 'denied' | 'paymentInvalid'>;

/**
 * What a charge by hand makes of a billing whose schedule is over: paid, or nothing. Its successor was opened when it ended, so none is
 * opened now. A card that is canceled blocks the subscription as on schedule; any other no is the merchant's own try.
 */
export function billingAfterChargeByHand(
  billing: ChargeableByHand,
  outcome: ChargeClass,
  subscription: SubscriptionState,
): AfterCharge {
  const { event, rule } =
    outcome === 'funds' ? ({ event: 'deny', rule: 'declinedByHand' } as const) : FINAL_VERDICTS[outcome];
  const isBlocked = subscription === 'active' && (outcome === 'blocked' || outcome === 'neverAgain');
  return {
    billing: { state: stateAfter(billing, event), chargeOn: null, rule },
    subscription: isBlocked ? { state: 'blocked', reason: 'cardCanceled' } : null,
    next: null,
  };
}

function stateAfter(state: 'opened' | ChargeableByHand, event: BillingEvent): BillingState {
  const next: BillingState | null = BILLING_MOVES[state][event];
  if (next === null) throw new Error(`a billing that is ${state} knows no ${event}`);
  return next;
}
