import type { TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import { addDays, type Day, type Instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import type { DeliveryKind, DeliveryState } from '../deliveries/delivery.ts';

/** A delivery as its merchant looks at it. */
export type RecordedDelivery = {
  readonly deliveryId: string;
  readonly deliveryNumber: number;
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  /** Of a notice a billing or a subscription. Null: of a test. */
  readonly transactionId: string | null;
  readonly installmentNumber: number;
  readonly nsu: string | null;
  /** Where it goes; null: the account is registered nowhere any more. */
  readonly url: string | null;
  readonly tries: number;
  /** Real time. */
  readonly createdAt: Instant;
  /** The merchant's business time; null: nothing is waited for. */
  readonly dueAt: Instant | null;
  /** Real time. */
  readonly endedAt: Instant | null;
};

/** One try to deliver. */
export type RecordedTry = {
  readonly tryNumber: number;
  /** Real time. */
  readonly triedAt: Instant;
  readonly milliseconds: number;
  /** Of the answer; null: none came. */
  readonly status: number | null;
  readonly failure: string | null;
  readonly answer: string | null;
};

/** One delivery with all that is kept of it. */
export type WholeDelivery = RecordedDelivery & {
  readonly body: string;
  /** The newest hundred, oldest first. */
  readonly history: readonly RecordedTry[];
  readonly fence: number;
  /** Whether something can be sent there: a registration that was removed takes nothing more. */
  readonly hasEndpoint: boolean;
  /** Whether it ended more than thirty days ago. */
  readonly isOld: boolean;
};

/** A stretch of real time: from its first moment up to the first one behind it. */
export type Period = { readonly from: Instant; readonly to: Instant };

/** By what a list can be put in order. */
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

/** What is looked for among an account's deliveries. */
export type DeliveryFilter = {
  readonly accountNumber: string;
  readonly states: readonly DeliveryState[];
  readonly nsu: string | null;
  readonly period: Period;
} & WantedPage<DeliveryField>;

/** The same as a caller names it: days of São Paulo, both included, or none. */
export type WantedDeliveries = Omit<DeliveryFilter, 'period'> & {
  readonly from: Day | null;
  readonly to: Day | null;
};

/** An exact total counts every delivery of the period. */
const MOST_DAYS_OF_PERIOD = 31;
/** Whatever is kept at all: what has one nsu is few. */
const ALL_TIME_DAYS = 3_650;

export type PeriodFault = 'periodBackwards' | 'periodTooLong' | 'periodTooFull' | TooManyToOrder;

/**
 * The days that are looked through, both included. One alone reaches as far as a period may;
 * without either it is the last
 * 31 days, today included, and all that is kept of one nsu.
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

/** At the edge of the calendar there is nothing to be found: the day itself will do. */
function reachedFrom(day: Day, count: number): Day {
  try {
    return addDays(day, count);
  } catch {
    return day;
  }
}

/** What is wrong with a period of moments; null: it is good. */
export function periodFault({ from, to }: Period): PeriodFault | null {
  if (from >= to) return 'periodBackwards';
  return to - from > MOST_DAYS_OF_PERIOD * 86_400_000 ? 'periodTooLong' : null;
}

/** After it ended, as the contract has it. */
export const DAYS_TO_RESEND = 30;
/** A delivery has at most a hundred tries: twelve of the schedule, each time that it is sent again. */
export const MOST_TRIES_TO_RESEND = 88;

/** Why a delivery is not sent again. */
export type ResendRefusal =
  | 'notFound'
  | 'stillWaiting'
  | 'testNotResent'
  | 'tooOldToResend'
  | 'endpointRemoved'
  | 'triedTooOften';

/** Null: it can be sent again. */
export function resendRefusal(delivery: WholeDelivery): ResendRefusal | null {
  if (delivery.kind === 'test') return 'testNotResent';
  if (delivery.state === 'waiting') return 'stillWaiting';
  if (delivery.isOld) return 'tooOldToResend';
  if (!delivery.hasEndpoint) return 'endpointRemoved';
  return delivery.tries > MOST_TRIES_TO_RESEND ? 'triedTooOften' : null;
}

/** Ended deliveries of one state, by the time of writing and the number, behind a place. */
export type ResendPlace = {
  readonly state: 'delivered' | 'givenUp';
  /** Microseconds since the epoch, as PostgreSQL keeps them: rounded ones would skip or repeat a row. */
  readonly createdMicroseconds: number;
  readonly deliveryNumber: number;
};

export type WantedResend = {
  readonly accountNumber: string;
  readonly period: Period;
  /**
   * Delivered ones come first: one that is sent again now must not be found given up, and sent once
   * more, in the same walk.
   */
  readonly states: readonly ResendPlace['state'][];
  /** Where an earlier call ended. */
  readonly behind: ResendPlace | null;
};

/** `next`: behind which the following ones stand; null: nothing is left. */
export type Resent = { readonly resent: number; readonly next: ResendPlace | null };

const PLACE = /^([dg])-(\d{1,16})-(\d{1,16})$/;
const STATES_OF_PLACE = { d: 'delivered', g: 'givenUp' } as const;

/** `g-1763730000123456-42`: where to go on. */
export function placeText({ state, createdMicroseconds, deliveryNumber }: ResendPlace): string {
  return `${state === 'delivered' ? 'd' : 'g'}-${createdMicroseconds}-${deliveryNumber}`;
}

/** Reads what `placeText` writes; null for anything else. */
export function parsePlace(text: string): ResendPlace | null {
  const match = PLACE.exec(text);
  if (match === null) return null;
  const [createdMicroseconds, deliveryNumber] = [Number(match[2]), Number(match[3])];
  if (!Number.isSafeInteger(createdMicroseconds) || !Number.isSafeInteger(deliveryNumber)) return null;
  return { state: STATES_OF_PLACE[match[1] as 'd' | 'g'], createdMicroseconds, deliveryNumber };
}

/** What one try of a test gave. */
export type TestOutcome = {
  readonly delivered: boolean;
  /** Of the answer; null: none came. */
  readonly status: number | null;
  /** Null: delivered. */
  readonly failure: string | null;
  readonly milliseconds: number;
  readonly answer: string | null;
};

export type SentTest = TestOutcome & { readonly deliveryId: string };

/**
 * The eight fields of a notification that only shows that notifications arrive. `moment` as it is
 * sent.
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
