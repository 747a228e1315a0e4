import type { TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import {
  type Day,
  type Instant,
  reachedFrom,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../../values/instant.ts';
import type { DeliveryKind, DeliveryState } from '../deliveries/delivery.ts';

export type RecordedDelivery = {
  readonly deliveryId: string;
  readonly deliveryNumber: number;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  /** What the message is about: for a notice the billing, subscription or exception; null for a test. */
  readonly transactionId: string | null;
  readonly installmentNumber: number;
  readonly nsu: string | null;
  /** The callback's URL, otherwise the endpoint's current one. */
  readonly url: string | null;
  readonly tries: number;
  /** Real time. */
  readonly createdAt: Instant;
  /** When the next try is due, in the merchant's business time; null: none follows. */
  readonly dueAt: Instant | null;
  /** Real time; null: the delivery waits. */
  readonly endedAt: Instant | null;
};

export type RecordedTry = {
  readonly tryNumber: number;
  /** Real time. */
  readonly triedAt: Instant;
  readonly milliseconds: number;
  /** null: no answer. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly answer: string | null;
};

export type WholeDelivery = RecordedDelivery & {
  readonly body: string;
  /** The newest hundred, oldest first. */
  readonly history: readonly RecordedTry[];
  readonly fence: number;
  /** False: there is nowhere to send to, because the registration was removed. */
  readonly hasEndpoint: boolean;
  /** Ended more than thirty days ago. */
  readonly isOld: boolean;
};

/** Moments of real time, when deliveries were written. `to` is excluded. */
export type Period = { readonly from: Instant; readonly to: Instant };

export const DELIVERY_FIELDS = [
  'id',
  'kind',
  'movementId',
  'nsu',
  'installmentNumber',
  'paymentId',
  'noticeOf',
  'url',
  'status',
  'tries',
  'createdAt',
  'nextTryAt',
  'endedAt',
] as const;
export type DeliveryField = (typeof DELIVERY_FIELDS)[number];

export type DeliveryFilter = {
  readonly accountNumber: string;
  readonly states: readonly DeliveryState[];
  readonly nsu: string | null;
  readonly period: Period;
} & WantedPage<DeliveryField>;

/** `from` and `to`: days of São Paulo, both included; null: left open. */
export type WantedDeliveries = Omit<DeliveryFilter, 'period'> & {
  readonly from: Day | null;
  readonly to: Day | null;
};

/** Limited because an exact total counts every delivery of the period. */
export const MOST_DAYS_OF_PERIOD = 31;
/** For the list of one NSU, which has few deliveries: longer than any delivery is kept. */
const ALL_TIME_DAYS = 3_650;

export type PeriodFault = 'periodBackwards' | 'periodTooLong' | 'periodTooFull' | TooManyToOrder;

/**
 * The period of two days, both included. From one day alone it reaches as far as a period may; without any it
 * is the last 31 days, or all time for one NSU.
 */
export function periodOfDays(
  days: { readonly from: Day | null; readonly to: Day | null },
  now: Instant,
  isOfOneNsu: boolean,
): Period | PeriodFault {
  const most = (isOfOneNsu ? ALL_TIME_DAYS : MOST_DAYS_OF_PERIOD) - 1;
  const today = saoPauloDay(now);
  const last = days.to ?? (days.from === null ? today : reachedFrom(days.from, most));
  const first = days.from ?? reachedFrom(last, -most);
  if (first > last) return 'periodBackwards';
  if (reachedFrom(first, most) < last) return 'periodTooLong';
  return { from: startOfSaoPauloDay(first), to: startOfSaoPauloDay(reachedFrom(last, 1)) };
}

export function periodFault({ from, to }: Period): PeriodFault | null {
  if (from >= to) return 'periodBackwards';
  return to - from > MOST_DAYS_OF_PERIOD * 86_400_000 ? 'periodTooLong' : null;
}

/** Days after the delivery ended, by the contract. */
export const DAYS_TO_RESEND = 30;
/** Each sending has twelve scheduled tries, and a delivery at most a hundred tries in all. */
export const MOST_TRIES_TO_RESEND = 88;

export type ResendRefusal =
  | 'notFound'
  | 'stillWaiting'
  | 'testNotResent'
  | 'tooOldToResend'
  | 'endpointRemoved'
  | 'triedTooOften';

export function resendRefusal(delivery: WholeDelivery): ResendRefusal | null {
  if (delivery.kind === 'test') return 'testNotResent';
  if (delivery.state === 'waiting') return 'stillWaiting';
  if (delivery.isOld) return 'tooOldToResend';
  if (!delivery.hasEndpoint) return 'endpointRemoved';
  return delivery.tries > MOST_TRIES_TO_RESEND ? 'triedTooOften' : null;
}

/**
 * The deliveries of an account that were given up and can be resent. `oldest`: when the first was written.
 */
export type LostDeliveries = {
  readonly accountNumber: string;
  readonly count: number;
  readonly oldest: Instant;
};

/** A place among the ended deliveries of one state, in order of writing, behind which a call continues. */
export type ResendPlace = {
  readonly state: 'delivered' | 'givenUp';
  /** Microseconds since the epoch, as precise as PostgreSQL: rounding would skip or repeat a row. */
  readonly createdMicroseconds: number;
  readonly deliveryNumber: number;
};

export type WantedResend = {
  readonly accountNumber: string;
  readonly period: Period;
  /**
   * `delivered` comes first: otherwise a given-up one that is resent and accepted would be found again among
   * the delivered, and sent twice.
   */
  readonly states: readonly ResendPlace['state'][];
  readonly behind: ResendPlace | null;
};

/** `next`: where the next call continues; null: nothing of the period is left. */
export type Resent = { readonly resent: number; readonly next: ResendPlace | null };

const PLACE = /^([dg])-(\d{1,16})-(\d{1,16})$/;
const STATES_OF_PLACE = { d: 'delivered', g: 'givenUp' } as const;

/** A place as text, for example `g-1763730000123456-42`. */
export function placeText({ state, createdMicroseconds, deliveryNumber }: ResendPlace): string {
  return `${state === 'delivered' ? 'd' : 'g'}-${createdMicroseconds}-${deliveryNumber}`;
}

/** null for anything that `placeText` does not write. */
export function parsePlace(text: string): ResendPlace | null {
  const match = PLACE.exec(text);
  if (match === null) return null;
  const [createdMicroseconds, deliveryNumber] = [Number(match[2]), Number(match[3])];
  if (!Number.isSafeInteger(createdMicroseconds) || !Number.isSafeInteger(deliveryNumber)) return null;
  return { state: STATES_OF_PLACE[match[1] as 'd' | 'g'], createdMicroseconds, deliveryNumber };
}

export type TestOutcome = {
  readonly delivered: boolean;
  /** null: no answer. */
  readonly status: number | null;
  /** null: delivered. */
  readonly failure: string | null;
  readonly milliseconds: number;
  readonly answer: string | null;
};

export type SentTest = TestOutcome & { readonly deliveryId: string };

/**
 * A test has the eight fields of a notification, only to show that it arrives. `moment`: its time as text.
 */
export function testNotificationBody(movementId: number, moment: string): string {
  return JSON.stringify({
    movementId,
    nsu: '0',
    codAuth: '',
    installmentNumber: 0,
    moment,
    type: 'Teste',
    oldValue: '',
    newValue: '',
  });
}
