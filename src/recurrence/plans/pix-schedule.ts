import { isWeeklyInTime, type RecurringTerms } from '../../providers/pix/recurring-pix.ts';
import { addDays, type Day } from '../../values/instant.ts';
import type { PlanType, Terms } from './plan.ts';

const MONTHS: Readonly<Partial<Record<PlanType, number>>> = {
  monthly: 1,
  quarterly: 3,
  semesterly: 6,
  yearly: 12,
};
const DAYS_OF_A_WEEK = 7;
const WEEK_MILLISECONDS = DAYS_OF_A_WEEK * 86_400_000;
/** Every month has this day, so no two due days lie in one cycle of the scheme. */
const LAST_DAY_OF_EVERY_MONTH = 28;

/** The scheme takes one charge a week or calendar month: after the 28th the next is on the 28th. */
export function pixDueDayAfter(dueOn: Day, planType: PlanType): Day {
  const months = MONTHS[planType];
  if (months === undefined) return addDays(dueOn, DAYS_OF_A_WEEK);
  const [year = 0, month = 0, day = 0] = dueOn.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const digits = (value: number, length: number) => String(value).padStart(length, '0');
  const yearAfter = Math.floor(index / 12);
  if (yearAfter > 9999) throw new RangeError('a due day after the end of the calendar');
  const kept = Math.min(day, LAST_DAY_OF_EVERY_MONTH);
  return `${digits(yearAfter, 4)}-${digits((index % 12) + 1, 2)}-${digits(kept, 2)}` as Day;
}

/** The scheme allows three more tries within seven days after the due day, on days that we choose. */
const RETRY_DAYS_AFTER_DUE: readonly number[] = [2, 4, 7];
const LAST_RETRY_DAY = 7;
export const MOST_PIX_RETRIES = RETRY_DAYS_AFTER_DUE.length;

/**
 * The day of another try, from tomorrow on. null: none is left. `retriesMade`: how many there were before.
 */
export function pixRetryDay(
  { dueOn, maxRetries }: { readonly dueOn: Day; readonly maxRetries: number },
  retriesMade: number,
  today: Day,
): Day | null {
  const pause = retriesMade < maxRetries ? RETRY_DAYS_AFTER_DUE[retriesMade] : undefined;
  if (pause === undefined) return null;
  const day = laterOf(addDays(dueOn, pause), addDays(today, 1));
  return day > addDays(dueOn, LAST_RETRY_DAY) ? null : day;
}

/** An unsent charge can no longer keep its days, because the bank needs its lead time. */
export function isTooLate(
  { attemptNumber, dueOn, tryOn }: { attemptNumber: number; dueOn: Day; tryOn: Day },
  leadDays: number,
  today: Day,
): boolean {
  return attemptNumber === 1 ? dueOn < addDays(today, leadDays) : tryOn <= today;
}

/**
 * Whether charges can be sent with the bank's lead time. A billing opens when the previous one is over, and
 * may then be moved by the lead time within its cycle.
 */
export function hasLeadTime(planType: PlanType, leadDays: number): boolean {
  return MONTHS[planType] !== undefined || isWeeklyInTime({ leadDays });
}

/**
 * Whether some bank could collect for the plan. Without a bank that has Pix Automático: not known, so true.
 */
export function isEverInTime(
  { paymentMethod, planType }: Pick<Terms, 'paymentMethod' | 'planType'>,
  leads: readonly RecurringTerms[],
): boolean {
  if (paymentMethod !== 'pixAutomatic' || leads.length === 0) return true;
  return leads.some(({ leadDays }) => hasLeadTime(planType, leadDays));
}

/** The number of the scheme's cycle that a day is in; the first begins on `startsOn`. Negative before it. */
function pixCycleOf(startsOn: Day, planType: PlanType, day: Day): number {
  const months = MONTHS[planType];
  if (months === undefined) return Math.floor((Date.parse(day) - Date.parse(startsOn)) / WEEK_MILLISECONDS);
  const [year = 0, month = 0, first = 0] = startsOn.split('-').map(Number);
  const [ofYear = 0, ofMonth = 0, ofDay = 0] = day.split('-').map(Number);
  const begun = ofDay >= Math.min(first, LAST_DAY_OF_EVERY_MONTH) ? 0 : 1;
  return Math.floor(((ofYear - year) * 12 + ofMonth - month - begun) / months);
}

/**
 * The day on which a billing is charged. The scheme takes one charge in each cycle; null: the cycle has no
 * day left.
 */
export function pixChargeDay(
  { dueOn, startsOn, planType }: { dueOn: Day; startsOn: Day; planType: PlanType },
  earliest: Day,
): Day | null {
  const day = laterOf(laterOf(dueOn, earliest), startsOn);
  return pixCycleOf(startsOn, planType, day) === pixCycleOf(startsOn, planType, dueOn) ? day : null;
}

export function possiblePixRetryDays(dueOn: Day, maxRetries: number): Day[] {
  return RETRY_DAYS_AFTER_DUE.slice(0, maxRetries).map((days) => addDays(dueOn, days));
}

/** The day on which a charge is sent to the bank: ahead of its due day, never in the past. */
export function sentOn(dueOn: Day, leadDays: number, today: Day): Day {
  return laterOf(addDays(dueOn, -leadDays), today);
}

/**
 * The day on which the next billing is charged or, by Pix Automático, sent ahead of its due day. `leadDays`
 * 0: paid by card.
 */
export function chargeDayOf(
  { dueOn, chargeOn }: { readonly dueOn: Day; readonly chargeOn: Day },
  leadDays: number,
  today: Day,
): Day {
  return leadDays === 0 ? chargeOn : sentOn(dueOn, leadDays, today);
}

export function laterOf(one: Day, other: Day): Day {
  if (one > other) return one;
  return other;
}
