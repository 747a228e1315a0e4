import { businessDayFrom, daysBetween } from '../values/business-day.ts';
import { type Cents, cents } from '../values/cents.ts';
import { addDays, type Day } from '../values/instant.ts';

/** The amount of a bill with a due day, a boleto or a Pix, and how it changes with the day of the payment. */
export type BillTerms = {
  readonly amount: Cents;
  readonly dueOn: Day;
  readonly discount: { readonly amount: Cents; readonly until: Day } | null;
  /** Hundredths of a percent, once after the due day; null for no fine. */
  readonly finePortion: number | null;
  /** Hundredths of a percent a month, by days after the due day; null for no interest. */
  readonly interestPortion: number | null;
};

/** Far within the twelve years around a reference day in which a bar code's due day is unambiguous. */
export const MOST_DAYS_AHEAD = 1_825;

/** The last day on which the bank takes a payment: a business day. */
export function payableUntil({
  dueOn,
  daysToExpire,
}: {
  readonly dueOn: Day;
  readonly daysToExpire: number;
}): Day {
  return businessDayFrom(addDays(dueOn, daysToExpire));
}

/** A bill that is due on a day without banks is paid in time on the next business day. */
export function lastDayInTime(dueOn: Day): Day {
  return businessDayFrom(dueOn);
}

export type TermsFault =
  | 'dueInThePast'
  | 'dueTooFarAhead'
  | 'discountTooLarge'
  | 'discountAfterDueDay'
  | 'discountInThePast';

/** Checks the terms against the day on which they are sent, as far as a malformed request has them. */
export function termsFaults(
  { amount, dueOn, discount }: Partial<Pick<BillTerms, 'amount' | 'dueOn' | 'discount'>>,
  today: Day,
): TermsFault[] {
  const faults: TermsFault[] = [];
  if (dueOn !== undefined && dueOn < today) faults.push('dueInThePast');
  if (dueOn !== undefined && dueOn > addDays(today, MOST_DAYS_AHEAD)) faults.push('dueTooFarAhead');
  if (discount === null || discount === undefined) return faults;
  if (amount !== undefined && discount.amount >= amount) faults.push('discountTooLarge');
  if (discount.until < today) faults.push('discountInThePast');
  else if (dueOn !== undefined && discount.until > dueOn) faults.push('discountAfterDueDay');
  return faults;
}

const WHOLE = 10_000;
const DAYS_OF_MONTH = 30;

/**
 * The discount applies up to its last day. After the last day in time the fine is added once, and interest
 * for each day since the due day. Each is rounded half up to cents.
 */
export function amountDue(
  { amount, dueOn, discount, finePortion, interestPortion }: BillTerms,
  day: Day,
): Cents {
  if (discount !== null && day <= discount.until) return cents(amount - discount.amount);
  if (day <= lastDayInTime(dueOn)) return amount;
  const fine = Math.round((amount * (finePortion ?? 0)) / WHOLE);
  const days = daysBetween(dueOn, day);
  const interest = Math.round((amount * (interestPortion ?? 0) * days) / (WHOLE * DAYS_OF_MONTH));
  return cents(amount + fine + interest);
}

/** Banks round the interest of each day before they add it up, so one cent a day may differ. */
export function isAmountDue(terms: BillTerms, day: Day, amount: number): boolean {
  const { dueOn, interestPortion } = terms;
  const isBearing = (interestPortion ?? 0) > 0 && day > lastDayInTime(dueOn);
  const rounding = isBearing ? daysBetween(dueOn, day) : 0;
  return Math.abs(amount - amountDue(terms, day)) <= rounding;
}
