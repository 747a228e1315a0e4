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
  /** For a notice, the billing, subscription or exception; null for a test. */
  readonly transactionId: string | null;
  readonly installmentNumber: number;
  readonly nsu: string | null;
  /** The callback's URL, otherwise the endpoint's current one. */
  readonly url: string | null;
  readonly tries: number;
  /** Real time. */
  readonly createdAt: Instant;
  /** The merchant's business time; null: nothing will be sent. */
  readonly dueAt: Instant | null;
  /** Real time. */
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
  /** False: the registration was removed. */
  readonly hasEndpoint: boolean;
  /** Ended more than thirty days ago. */
  readonly isOld: boolean;
};

/** Real time. `to` is excluded. */
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

/** Days of São Paulo, both included. */
export type WantedDeliveries = Omit<DeliveryFilter, 'period'> & {
  readonly from: Day | null;
  readonly to: Day | null;
};

/** Limited because an exact total counts every delivery of the period. */
export const MOST_DAYS_OF_PERIOD = 31;
/** An NSU has few deliveries, so everything that is kept. */
const ALL_TIME_DAYS = 3_650;

export type PeriodFault = 'periodBackwards' | 'periodTooLong' | 'periodTooFull' | TooManyToOrder;

/** Both included. One alone extends as far as a period may. None: 31 days, or everything of one NSU. */
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

/** Those of an account that were given up and can be resent, by the time of the first one's writing. */
export type LostDeliveries = {
  readonly accountNumber: string;
  readonly count: number;
  readonly oldest: Instant;
};

/** A position among ended deliveries of one state, by writing time and number. */
export type ResendPlace = {
  readonly state: 'delivered' | 'givenUp';
  /** Since the epoch, at PostgreSQL's precision: rounding would skip or repeat a row. */
  readonly createdMicroseconds: number;
  readonly deliveryNumber: number;
};

export type WantedResend = {
  readonly accountNumber: string;
  readonly period: Period;
  /** Delivered ones first: otherwise one that fails now could be found and sent twice in a walk. */
  readonly states: readonly ResendPlace['state'][];
  readonly behind: ResendPlace | null;
};

/** `next`: where to continue; null: nothing is left. */
export type Resent = { readonly resent: number; readonly next: ResendPlace | null };

const PLACE = /^([dg])-(\d{1,16})-(\d{1,16})$/;
const STATES_OF_PLACE = { d: 'delivered', g: 'givenUp' } as const;

/** For example `g-1763730000123456-42`. */
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

/** The eight fields of a notification, only to show that it arrives. `moment` is the text to send. */
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
