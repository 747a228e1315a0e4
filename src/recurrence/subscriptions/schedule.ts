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

/** Whether no installment comes after this one. */
export function isLastInstallment(
  installment: number,
  { installments }: Pick<Terms, 'installments'>,
): boolean {
  return installments !== ENDLESS && installment >= installments;
}

const LAST_DAY = '9999-12-31' as Day;

/**
 * Whether no billing follows: it was the last installment, or the next day is behind the end of the
 * calendar.
 */
export function isScheduleOver(
  { installment, dueOn }: { readonly installment: number; readonly dueOn: Day },
  terms: Pick<Terms, 'installments' | 'intervalDays'>,
): boolean {
  return isLastInstallment(installment, terms) || dueOn > addDays(LAST_DAY, -terms.intervalDays);
}

/**
 * The series of a subscription, and how much of it was billed. A skipped billing does not count, a
 * canceled one does.
 */
export type Series = {
  readonly firstDueOn: Day;
  readonly intervalDays: number;
  /** The latest due day that was billed; null: none. */
  readonly lastBilledOn: Day | null;
  /** Whether anything of it was ever charged. */
  readonly isCharged: boolean;
};

/**
 * Where a subscription that is active again goes on. It never owes the past: the first day of its
 * series that is not before today and after every billed one. Of which nothing was charged yet begins
 * today: waiting for a day of its series would give away what is used meanwhile.
 */
export function dueDayAtActivation(series: Series, today: Day): Day {
  const { firstDueOn, intervalDays, lastBilledOn, isCharged } = series;
  const afterBilled = lastBilledOn === null ? firstDueOn : dueDayAfter(lastBilledOn, intervalDays);
  if (afterBilled >= today) return afterBilled;
  if (!isCharged) return today;
  const missed = Math.ceil(daysBetween(afterBilled, today) / intervalDays);
  return addDays(afterBilled, missed * intervalDays);
}

const MILLISECONDS_PER_DAY = 86_400_000;

function daysBetween(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / MILLISECONDS_PER_DAY;
}

/** A billing that was not skipped, as a change of status looks at it. */
export type CountedBilling = {
  readonly billingId: string;
  readonly installment: number;
  readonly dueOn: Day;
  readonly isOpen: boolean;
  /** A charge is under way: only that charge touches the billing. */
  readonly isCharging: boolean;
  /** Whether it was ever charged. */
  readonly wasCharged: boolean;
  /** Whether any billing of the subscription ever was. */
  readonly isSeriesCharged: boolean;
  /** The day of the last charge; null: there was none. */
  readonly lastChargedOn: Day | null;
};

/** What a change of status does; what is null stays as it is. */
export type StatusMove = {
  readonly state: SubscriptionState | null;
  /** The open billing that ends with it: skipped unless a charge of it was made. */
  readonly ends: { readonly billingId: string; readonly isSkipped: boolean } | null;
  /** The billing that it opens, and the day of its first charge. */
  readonly opens: { readonly installment: number; readonly dueOn: Day; readonly chargeOn: Day } | null;
};

const NOTHING: StatusMove = { state: null, ends: null, opens: null };

/**
 * What becomes of a subscription that its merchant cancels or activates. `latest`: its newest
 * billings that were not skipped, two at least where there are as many, the newest first. Whatever
 * ends or blocks a subscription ends what it has open, so one that is activated has nothing open
 * but a charge under way; were there something, it would end now and be billed anew. Activating
 * never charges the past: the next day of the series is billed, and charged a day later where
 * another installment was charged on it. `completed`: no installment is left to be billed.
 */
export function statusMove(
  { state, terms, firstDueOn }: Pick<Subscription, 'state' | 'terms' | 'firstDueOn'>,
  latest: readonly CountedBilling[],
  event: Extract<SubscriptionEvent, 'activate' | 'cancel'>,
  today: Day,
): StatusMove | 'completed' {
  const next = SUBSCRIPTION_MOVES[state][event];
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
    intervalDays: terms.intervalDays,
    lastBilledOn: last?.dueOn ?? null,
    isCharged: latest.some(({ isSeriesCharged }) => isSeriesCharged),
  };
  const dueOn = dueDayAtActivation(series, today);
  const chargeOn = latest.some(({ lastChargedOn }) => lastChargedOn === dueOn) ? addDays(dueOn, 1) : dueOn;
  return { state: next, ends, opens: { installment: (last?.installment ?? 0) + 1, dueOn, chargeOn } };
}
