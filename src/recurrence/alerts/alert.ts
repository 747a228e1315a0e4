import type { CardBrand } from '../../values/card-number.ts';
import { addDays, type Day } from '../../values/instant.ts';

/** What a billing is after a charge that failed, as the wire says it. */
export type AlertStatus = 'Opened' | 'Denied' | 'PaymentInvalid' | 'Canceled';

/** A charge that failed. */
export type Failure = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  /** On schedule from 1, retries behind it; null: by hand. */
  readonly attemptNumber: number | null;
  /** The issuer's code; null when the acquirer was not asked, or answered with none. */
  readonly returnCode: string | null;
  /** What it means, in Portuguese. */
  readonly description: string;
  /** The day of the next try; null: there is none. */
  readonly nextAttemptOn: Day | null;
  readonly status: AlertStatus;
};

/**
 * The very text that alert endpoints are sent: these eight fields in this order, whatever else a
 * caller's value holds.
 */
export function failureAlert(failure: Failure): string {
  const { subscriptionId, billingId, installment, attemptNumber } = failure;
  const { returnCode, description, nextAttemptOn, status } = failure;
  return JSON.stringify({
    subscriptionId,
    billingId,
    installment,
    attempt: attemptNumber,
    returnCode,
    description,
    nextAttemptOn,
    status,
  });
}

/**
 * The stored card of a subscription that goes on being charged, and the last day on which it is
 * good.
 */
export type ExpiringCard = {
  readonly subscriptionId: string;
  readonly vaultId: string;
  readonly lastDay: Day;
  readonly brand: CardBrand;
  readonly lastFour: string;
};

/** The text of the other kind: `cardExpiresOn` is in no alert of a failure. */
export function expiryAlert({ subscriptionId, vaultId, lastDay, brand, lastFour }: ExpiringCard): string {
  return JSON.stringify({
    type: 'CardExpiring',
    subscriptionId,
    vaultId,
    cardExpiresOn: lastDay,
    brand,
    lastFour,
  });
}

/** The cards of a month: all of them are good through its last day. */
export type CardMonth = {
  /** As cards show them: two digits. */
  readonly year: string;
  readonly month: string;
  readonly lastDay: Day;
  /** The first day on which merchants are notified that these expire soon. */
  readonly alertedFrom: Day;
};

const DAYS_BEFORE = 30;
/** Two digits of a year are not enough beyond. */
const LAST_YEAR = 2099;

/**
 * The months whose cards are still good on a day and are notified on some day from it to another,
 * in order.
 */
export function cardMonths(from: Day, to: Day): CardMonth[] {
  const months: CardMonth[] = [];
  let [year, month] = [Number(from.slice(0, 4)), Number(from.slice(5, 7))];
  for (; year <= LAST_YEAR; [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1]) {
    const found = cardMonth(year, month);
    if (found.alertedFrom > to) break;
    months.push(found);
  }
  return months;
}

function cardMonth(year: number, month: number): CardMonth {
  const text = String(month).padStart(2, '0');
  // The 28th and four days more is in the next month, whichever it is.
  const inNext = addDays(`${year}-${text}-28` as Day, 4);
  const lastDay = addDays(`${inNext.slice(0, 8)}01` as Day, -1);
  const shortYear = String(year).slice(2);
  return { year: shortYear, month: text, lastDay, alertedFrom: addDays(lastDay, -DAYS_BEFORE) };
}
