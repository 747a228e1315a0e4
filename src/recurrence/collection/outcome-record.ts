import { mayRetryAt, readDecline } from '../../providers/acquirers/issuer-code.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Day, type Instant, saoPauloDay } from '../../values/instant.ts';
import { type Alert, type AlertStatus, chargeAlert } from '../alerts/alert.ts';
import type { BillingState, ChargeOutcome, ChargeRule } from '../billings/billing.ts';
import {
  type AfterCharge,
  afterFinalized,
  billingAfterCharge,
  billingAfterChargeByHand,
  billingAfterVoid,
  type ChargeableByHand,
} from '../billings/billing-after-charge.ts';
import { CHARGE_RESULTS, type ChargeResult, type UnsentResult } from '../billings/charge-result.ts';
import type { Terms } from '../plans/plan.ts';
import { moveAlert } from '../subscriptions/reasons.ts';
import type { SubscriptionState } from '../subscriptions/subscription.ts';
import { firstDayFrom } from './day-window.ts';

export type LockedBilling = {
  readonly subscription: SubscriptionState;
  readonly terms: Pick<Terms, 'paymentMethod' | 'planType' | 'installments' | 'intervalDays' | 'maxRetries'>;
  readonly subscriptionId: string;
  readonly billingId: string;
  /** null if the acquirer was not asked. */
  readonly transactionId: string | null;
  readonly state: BillingState;
  readonly installment: number;
  readonly dueOn: Day;
  /** The due day of the charge at the Pix bank; absent: the same as `dueOn`. */
  readonly askedFor?: Day;
  /** null if no scheduled charge follows. */
  readonly chargeOn: Day | null;
  /** Scheduled charges, the ending one included. */
  readonly chargesMade: number;
  /** From 1, retries included; null for a manual charge. */
  readonly attemptNumber: number | null;
  readonly voidedBefore: number;
  readonly chargedOn: Day;
};

export type OutcomeRecord = {
  readonly state: BillingState;
  /** Canceled and never charged: day and installment are free again. */
  readonly isSkipped: boolean;
  readonly chargeOn: Day | null;
  /** Real time until the next charge; 0 for no pause. */
  readonly restSeconds: number;
  readonly chargesMade: number;
  readonly outcome: ChargeOutcome;
  readonly code: string | null;
  /** null for a voided manual charge. */
  readonly rule: ChargeRule | null;
  readonly subscription: AfterCharge['subscription'];
  readonly next: AfterCharge['next'];
  /** About the charge; null if it was voided. */
  readonly alert: Alert | null;
  /** About the subscription; null if unchanged. */
  readonly moveAlert: Alert | null;
};

export function recordOfOutcome(held: LockedBilling, facts: ChargeFacts | 'voided'): OutcomeRecord {
  if (facts === 'voided') return recordOfVoid(held);
  const after = afterCharge(held, facts);
  const { state, chargeOn, rule } = after.billing;
  const { result, code } = facts;
  return {
    state,
    isSkipped: false,
    chargeOn,
    restSeconds: 0,
    chargesMade: held.chargesMade,
    outcome: CHARGE_RESULTS[result].storedAs,
    code,
    rule,
    subscription: after.subscription,
    next: after.next,
    alert: alertOf(held, facts, after),
    moveAlert: moveAlertOf(held, after.subscription),
  };
}

function afterCharge(held: LockedBilling, facts: ChargeFacts): AfterCharge {
  const { state, chargeOn, subscription } = held;
  if (held.attemptNumber === null) {
    if (state !== 'denied' && state !== 'paymentInvalid')
      throw new Error(`a billing that is ${state} cannot be charged by hand`);
    return billingAfterChargeByHand(state, facts.result, subscription);
  }
  if (chargeOn === null) throw new Error('a billing that is charged on schedule has a day for it');
  return billingAfterCharge({ ...held, ...facts, scheduledOn: chargeOn });
}

/**
 * A voided charge is made again at once, then ever more slowly, to avoid floods if the acquirer never answers
 * it.
 */
const SEND_AGAIN_PAUSES_SECONDS = [0, 5, 30, 120, 600, 1_800] as const;
const LONGEST_SEND_AGAIN_PAUSE_SECONDS = 3_600;

/** A restarting acquirer causes one or two voids; more concern the operator. */
const QUIETLY_SENT_AGAIN = 3;

/** `times` counts from 1. */
export function isSentAgainOften(times: number): boolean {
  return times > QUIETLY_SENT_AGAIN;
}

/**
 * The pause before a charge that was voided so often (from 1) is made again. An attempt is never given up.
 */
export function secondsUntilSentAgain(voided: number): number {
  return SEND_AGAIN_PAUSES_SECONDS[voided - 1] ?? LONGEST_SEND_AGAIN_PAUSE_SECONDS;
}

/** The billing stays as it was, and the same charge may be made again. */
function recordOfVoid(held: LockedBilling): OutcomeRecord {
  const { subscription, chargesMade, chargeOn, state } = held;
  const ended = { outcome: 'voided', code: null, restSeconds: 0, isSkipped: false } as const;
  const kept = { ...ended, alert: null } as const;
  const nothing = { subscription: null, next: null, moveAlert: null } as const;
  if (held.attemptNumber === null || chargeOn === null)
    return { ...kept, ...nothing, state, chargeOn, chargesMade, rule: null };
  const billing = billingAfterVoid(subscription, chargeOn, chargesMade);
  if (billing.state === 'opened') {
    const restSeconds = secondsUntilSentAgain(held.voidedBefore + 1);
    return { ...kept, ...nothing, ...billing, restSeconds, chargesMade: chargesMade - 1 };
  }
  // The billing was never charged: no other follows it, and a last installment is not over.
  if (billing.isSkipped) return { ...kept, ...nothing, ...billing, chargesMade: chargesMade - 1 };
  const after = afterFinalized({ ...held, today: held.chargedOn }, null);
  return { ...kept, ...billing, chargesMade, ...after, moveAlert: moveAlertOf(held, after.subscription) };
}

const ALERT_STATUSES = {
  opened: 'Opened',
  paymentInvalid: 'PaymentInvalid',
  canceled: 'Canceled',
  denied: 'Denied',
  paid: 'Paid',
} as const satisfies Record<BillingState, AlertStatus>;

function alertOf(held: LockedBilling, facts: ChargeFacts, { billing }: AfterCharge): Alert {
  const { subscriptionId, billingId, installment, attemptNumber, transactionId } = held;
  return chargeAlert({
    subscriptionId,
    billingId,
    installment,
    attemptNumber,
    returnCode: facts.code,
    description: facts.meaning,
    nextAttemptOn: billing.chargeOn,
    status: ALERT_STATUSES[billing.state],
    paymentId: transactionId,
  });
}

function moveAlertOf(held: LockedBilling, change: AfterCharge['subscription']): Alert | null {
  if (change === null || change.state === held.subscription) return null;
  const { subscriptionId, billingId, transactionId } = held;
  return moveAlert({ subscriptionId, ...change, billingId, paymentId: transactionId });
}

/** For an unsent charge whose subscription has ended meanwhile: nothing is charged any more. */
export function recordOfUnsent(held: LockedBilling): OutcomeRecord {
  return { ...recordOfVoid(held), outcome: 'invalid' };
}

export type ChargeFacts = {
  readonly result: ChargeResult;
  /** null if approved, or if the acquirer was not asked. */
  readonly code: string | null;
  /** In Portuguese, for the alert of a failure. */
  readonly meaning: string;
  readonly earliestRetryOn: Day | null;
  readonly isNetworkLimitReached: boolean;
};

export const APPROVED: ChargeFacts = {
  result: 'approved',
  code: null,
  meaning: 'Sucesso',
  earliestRetryOn: null,
  isNetworkLimitReached: false,
};

export function factsOfUnsent(result: UnsentResult): ChargeFacts {
  return { ...APPROVED, result, meaning: CHARGE_RESULTS[result].notSent };
}

/** An advice code that forbids another try makes a lack of funds final. `soldAt`: business time. */
export function factsOfDecline(
  brand: CardBrand,
  responseCode: string,
  adviceCode: string | null,
  soldAt: Instant,
): Omit<ChargeFacts, 'isNetworkLimitReached'> {
  const read = readDecline(brand, responseCode, adviceCode);
  const { declineClass, isRetryable, sentence } = read;
  const retryAt = mayRetryAt(read, soldAt);
  return {
    result: declineClass === 'funds' && !isRetryable ? 'denied' : declineClass,
    code: responseCode,
    meaning: sentence.pt,
    earliestRetryOn: retryAt === null ? null : firstDayFrom(retryAt, saoPauloDay(retryAt)),
  };
}

/**
 * Whether an outcome shows that the acquirer is reachable; null if it shows nothing. Without a connection it
 * is not. A late answer (`unknown`) proves nothing, because resolving asks at once; but while the acquirer is
 * away (`isAway`) the charge was its test and postpones the next one.
 */
export function isAcquirerThere(
  outcome: 'approved' | 'preauthorized' | 'declined' | 'unknown' | 'notMade' | 'notSent' | 'notConnected',
  isAway: boolean,
): boolean | null {
  switch (outcome) {
    case 'approved':
    case 'preauthorized':
    case 'declined':
    case 'notMade':
      return true;
    case 'unknown':
      return isAway ? false : null;
    case 'notConnected':
      return false;
    case 'notSent':
      return null;
  }
}

export type HandChargeRefusal =
  | 'notChargeable'
  | 'charging'
  | 'paidByPix'
  | 'cardExpired'
  | 'cardUnusable'
  | 'amountOutOfRange';

/** Only final failures: an open billing has its scheduled day, and others owe nothing. */
export function isChargeableByHand(state: BillingState): state is ChargeableByHand {
  return state === 'denied' || state === 'paymentInvalid';
}
