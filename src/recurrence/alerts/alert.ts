import type { CardBrand } from '../../values/card-number.ts';
import { addDays, type Day } from '../../values/instant.ts';

/** The same words are on the wire. */
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

/** Written in the commit of a change, for the endpoints that ask for its event. */
export type Alert = { readonly event: AlertEvent; readonly body: string };

/** A billing's state after a charge, as the wire calls it. */
export type AlertStatus = 'Opened' | 'Denied' | 'PaymentInvalid' | 'Canceled' | 'Paid';

export type EndedCharge = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  /** From 1, retries included; null for a manual charge. */
  readonly attemptNumber: number | null;
  /** The issuer's code; null if approved, if the acquirer was not asked, or if it gave none. */
  readonly returnCode: string | null;
  /** In Portuguese. */
  readonly description: string;
  readonly nextAttemptOn: Day | null;
  readonly status: AlertStatus;
  /** The transaction of the charge; null if the acquirer was not asked. */
  readonly paymentId: string | null;
};

/** The exact text to send: these ten fields in this order, whatever else the value contains. */
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

export type MovedSubscription = {
  readonly event: Extract<AlertEvent, 'canceled' | 'blocked' | 'reactivated' | 'completed'>;
  readonly subscriptionId: string;
  /** The billing whose charge, cancel or chargeback changed the subscription; null if none did. */
  readonly billingId: string | null;
  readonly paymentId: string | null;
  /** Why the subscription is not active: the word of the wire, and a Portuguese sentence. */
  readonly reason: string | null;
  readonly description: string;
  readonly status: string;
};

/**
 * An alert with the fields of a charge's alert, so that one reader fits all; a field that does not apply is
 * null.
 */
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

export type UpcomingBilling = {
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly installment: number;
  readonly dueOn: Day;
};

export const UPCOMING_DAYS = 3;

export function lastUpcomingDay(today: Day): Day {
  return addDays(today, UPCOMING_DAYS);
}

export function upcomingAlert({ subscriptionId, billingId, installment, dueOn }: UpcomingBilling): string {
  const about = { subscriptionId, billingId, installment, attempt: null, returnCode: null };
  const description = `Cobrança prevista para ${dueOn}`;
  const charge = { description, nextAttemptOn: dueOn, status: 'Opened' };
  return JSON.stringify({ ...about, ...charge, event: 'upcoming', paymentId: null });
}

export type ExpiringCard = {
  readonly subscriptionId: string;
  readonly vaultId: string;
  readonly lastDay: Day;
  readonly brand: CardBrand;
  readonly lastFour: string;
};

/** Only this alert has `cardExpiresOn`. */
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

/** Cards that expire in a month are valid through its last day. */
export type CardMonth = {
  /** Two digits, as on the card. */
  readonly year: string;
  readonly month: string;
  readonly lastDay: Day;
  readonly alertedFrom: Day;
};

const DAYS_BEFORE = 30;
/** The two digits of a card's year reach no further. */
const LAST_YEAR = 2099;

/** The months whose cards are alerted about by `to`, in order, beginning with the month of `from`. */
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
  // Four days after the 28th is always in the next month.
  const inNext = addDays(`${year}-${text}-28` as Day, 4);
  const lastDay = addDays(`${inNext.slice(0, 8)}01` as Day, -1);
  const shortYear = String(year).slice(2);
  return { year: shortYear, month: text, lastDay, alertedFrom: addDays(lastDay, -DAYS_BEFORE) };
}
