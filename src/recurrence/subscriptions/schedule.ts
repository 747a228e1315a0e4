import { addDays, type Day } from '../../values/instant.ts';
import { dueDayAfter } from '../plans/calendar.ts';
import { ENDLESS, type Terms } from '../plans/plan.ts';
import {
  SUBSCRIPTION_MOVES,
  type Subscription,
  type SubscriptionEvent,
  type SubscriptionState,
} from './subscription.ts';

export { dueDayAfter, firstDueOn } from '../plans/calendar.ts';

export function isLastInstallment(
  installment: number,
  { installments }: Pick<Terms, 'installments'>,
): boolean {
  return installments !== ENDLESS && installment >= installments;
}

const LAST_DAY = '9999-12-31' as Day;

/** After the last installment, or if the next day lies after the calendar's end. */
export function isScheduleOver(
  { installment, dueOn }: { readonly installment: number; readonly dueOn: Day },
  terms: Pick<Terms, 'installments' | 'intervalDays'>,
): boolean {
  return isLastInstallment(installment, terms) || dueOn > addDays(LAST_DAY, -terms.intervalDays);
}

/** As long as the longest trial. */
const MOST_DAYS_TO_FIRST = 730;

export type FirstDayRefusal = 'firstDueInThePast' | 'firstDueTooFar';

export function firstDayRefusal(dueOn: Day, today: Day): FirstDayRefusal | null {
  if (dueOn < today) return 'firstDueInThePast';
  return dueOn > addDays(today, MOST_DAYS_TO_FIRST) ? 'firstDueTooFar' : null;
}

/** How much of the series was billed. Canceled billings count, skipped ones do not. */
export type Series = {
  readonly firstDueOn: Day;
  readonly rhythm: Pick<Terms, 'paymentMethod' | 'planType' | 'intervalDays'>;
  /** The latest billed due day; null: none. */
  readonly lastBilledOn: Day | null;
  /** Whether it was ever charged, at another gateway too. */
  readonly isCharged: boolean;
};

/**
 * Where a reactivated subscription continues: the first day of its series from today on, after every billed
 * one, so that it never owes the past. If nothing was charged yet, today: waiting would give that time away.
 */
export function dueDayAtActivation(series: Series, today: Day): Day {
  const { firstDueOn, rhythm, lastBilledOn, isCharged } = series;
  const { intervalDays } = rhythm;
  const afterBilled = lastBilledOn === null ? firstDueOn : dueDayAfter(lastBilledOn, rhythm);
  if (afterBilled >= today) return afterBilled;
  if (!isCharged) return today;
  const missed = Math.ceil(daysBetween(afterBilled, today) / intervalDays);
  return addDays(afterBilled, missed * intervalDays);
}

const MILLISECONDS_PER_DAY = 86_400_000;

function daysBetween(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / MILLISECONDS_PER_DAY;
}

/** A billing that is not skipped, as it is read for a change of status. */
export type CountedBilling = {
  readonly billingId: string;
  readonly installment: number;
  readonly dueOn: Day;
  readonly isOpen: boolean;
  /** A billing with a charge under way is changed only by that charge. */
  readonly isCharging: boolean;
  readonly wasCharged: boolean;
  /** Whether any billing of the subscription was charged. */
  readonly isSeriesCharged: boolean;
  readonly lastChargedOn: Day | null;
};

/** null fields stay unchanged. */
export type StatusMove = {
  readonly state: SubscriptionState | null;
  /** The open billing that ends too: skipped unless it was charged. */
  readonly ends: { readonly billingId: string; readonly isSkipped: boolean } | null;
  readonly opens: { readonly installment: number; readonly dueOn: Day; readonly chargeOn: Day } | null;
};

const NOTHING: StatusMove = { state: null, ends: null, opens: null };

/**
 * The effect of a cancel or an activation. `latest`: at least the two newest billings that were not skipped,
 * newest first. An open billing under charge is left to its charge. Any other open billing ends, and an
 * activation opens the next. The past is never charged: the next day of the series is billed, a day later if
 * another installment was charged on it. `completed`: no installment is left. `notAuthorized`: a new
 * authorization is needed.
 */
export function statusMove(
  subscription: Pick<Subscription, 'state' | 'terms' | 'firstDueOn' | 'installmentsPaidBefore'>,
  latest: readonly CountedBilling[],
  event: Extract<SubscriptionEvent, 'activate' | 'cancel'>,
  today: Day,
): StatusMove | 'completed' | 'notAuthorized' {
  const { state, terms, firstDueOn, installmentsPaidBefore } = subscription;
  const next = SUBSCRIPTION_MOVES[state][event];
  const isOver = event === 'activate' && state !== 'active' && terms.paymentMethod === 'pixAutomatic';
  if (isOver && state !== 'completed') return 'notAuthorized';
  if (next === null) return 'completed';
  if (next === state) return NOTHING;
  const open = latest.find(({ isOpen }) => isOpen) ?? null;
  if (open?.isCharging) return { ...NOTHING, state: next };
  const ends = open === null ? null : { billingId: open.billingId, isSkipped: !open.wasCharged };
  if (event === 'cancel') return { state: next, ends, opens: null };
  const last = latest.find((billing) => billing !== open || billing.wasCharged) ?? null;
  if (last !== null && isLastInstallment(last.installment, terms)) return 'completed';
  const series = {
    firstDueOn,
    rhythm: terms,
    lastBilledOn: last?.dueOn ?? null,
    isCharged: installmentsPaidBefore > 0 || latest.some(({ isSeriesCharged }) => isSeriesCharged),
  };
  const dueOn = dueDayAtActivation(series, today);
  const chargeOn = latest.some(({ lastChargedOn }) => lastChargedOn === dueOn) ? addDays(dueOn, 1) : dueOn;
  return {
    state: next,
    ends,
    opens: { installment: (last?.installment ?? installmentsPaidBefore) + 1, dueOn, chargeOn },
  };
}
