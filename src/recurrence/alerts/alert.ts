import type { CardBrand } from '../../values/card-number.ts';
import { addDays, type Day } from '../../values/instant.ts';

/** What an alert endpoint may ask for; on the wire by the same words. */
export const ALERT_EVENTS = [
  'failed',
  'paid',
  'canceled',
  'blocked',
  'reactivated',
  'completed',
  'cardExpiring',
  'upcoming',
] as const;
export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** What the commit of a change writes to the endpoints that ask for its event. */
export type Alert = { readonly event: AlertEvent; readonly body: string };

/** What a billing is after a charge, as the wire says it. */
export type AlertStatus = 'Opened' | 'Denied' | 'PaymentInvalid' | 'Canceled' | 'Paid';

/** A charge that has ended. */
export type EndedCharge = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  /** On schedule from 1, retries behind it; null: by hand. */
  readonly attemptNumber: number | null;
  /** The issuer's code; null: approved, or the acquirer was not asked, or answered with none. */
  readonly returnCode: string | null;
  /** What it means, in Portuguese. */
  readonly description: string;
  /** The day of the next try; null: there is none. */
  readonly nextAttemptOn: Day | null;
  readonly status: AlertStatus;
  /** The transaction that it was; null: the acquirer was not asked. */
  readonly paymentId: string | null;
};

/**
 * The very text that alert endpoints are sent: these ten fields in this order, whatever else a
 * caller's value holds. The first eight are those of the alerts before events had names.
 */
export function chargeAlert(charge: EndedCharge): Alert {
  const { subscriptionId, billingId, installment, attemptNumber } = charge;
  const { returnCode, description, nextAttemptOn, status, paymentId } = charge;
  const event = status === 'Paid' ? 'paid' : 'failed';
  const body = JSON.stringify({
    subscriptionId,
    billingId,
    installment,
    attempt: attemptNumber,
    returnCode,
    description,
    nextAttemptOn,
    status,
    event,
    paymentId,
  });
  return { event, body };
}

/** A change of a subscription's state. */
export type MovedSubscription = {
  readonly event: Extract<AlertEvent, 'canceled' | 'blocked' | 'reactivated' | 'completed'>;
  readonly subscriptionId: string;
  /** The billing whose charge, cancel or chargeback did it; null: none did. */
  readonly billingId: string | null;
  /** The transaction of that charge; null: none was made. */
  readonly paymentId: string | null;
  /** Why it is not active any more, in the words of the wire and as a sentence in Portuguese. */
  readonly reason: string | null;
  readonly description: string;
  readonly status: string;
};

/** The same fields, so that one reader will do for all alerts; what does not apply is null. */
export function subscriptionAlert(moved: MovedSubscription): Alert {
  const { event, subscriptionId, billingId, paymentId, reason, description, status } = moved;
  const none = { installment: null, attempt: null, returnCode: null };
  const about = { subscriptionId, billingId, ...none };
  const body = JSON.stringify({
    ...about,
    description,
    nextAttemptOn: null,
    status,
    event,
    paymentId,
    reason,
  });
  return { event, body };
}

/** A billing whose day comes soon. */
export type UpcomingBilling = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  readonly dueOn: Day;
};

/** So many days before its day a billing is notified of. */
export const UPCOMING_DAYS = 3;

/** The last due day of which a merchant is notified on a day. */
export function lastUpcomingDay(today: Day): Day {
  return addDays(today, UPCOMING_DAYS);
}

export function upcomingAlert({ subscriptionId, billingId, installment, dueOn }: UpcomingBilling): string {
  const about = { subscriptionId, billingId, installment, attempt: null, returnCode: null };
  const description = `Cobrança prevista para ${dueOn}`;
  const charge = { description, nextAttemptOn: dueOn, status: 'Opened' };
  return JSON.stringify({ ...about, ...charge, event: 'upcoming', paymentId: null });
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

/** The text of a card: `cardExpiresOn` is in no other alert. */
export function expiryAlert({ subscriptionId, vaultId, lastDay, brand, lastFour }: ExpiringCard): string {
  return JSON.stringify({
    type: 'CardExpiring',
    subscriptionId,
    vaultId,
    cardExpiresOn: lastDay,
    brand,
    lastFour,
    event: 'cardExpiring',
    paymentId: null,
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
