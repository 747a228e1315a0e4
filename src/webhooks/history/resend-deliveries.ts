import { hasAccount } from '../../merchants/merchants.sql.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { InLine } from '../../platform/work/fair-line.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import { accountEndpoint, type DeliveryToSend, deliveryId } from '../deliveries/delivery.ts';
import { findDelivery } from './list-deliveries.ts';
import {
  DAYS_TO_RESEND,
  MOST_TRIES_TO_RESEND,
  type Period,
  type ResendPlace,
  type ResendRefusal,
  type Resent,
  resendRefusal,
  type SentTest,
  type TestOutcome,
  testNotificationBody,
  type WantedResend,
  type WholeDelivery,
} from './recorded-delivery.ts';
import { prepareTest, recordTest, resendBatch, resendRecordedDelivery } from './resends.sql.ts';

export type ResendTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly notify: () => void;
};

export type ResendManyTools = ResendTools & {
  /** Queues a merchant's resends, because each may write many rows. */
  readonly inLine: InLine;
};

export async function resendDelivery(
  tools: ResendTools,
  merchantId: string,
  deliveryId: string,
): Promise<WholeDelivery | ResendRefusal> {
  const { database, clock, notify } = tools;
  const found = await findDelivery(database, merchantId, deliveryId);
  if (found === null) return 'notFound';
  const refusal = resendRefusal(found);
  if (refusal !== null) return refusal;
  const isDone = await resendRecordedDelivery(database, merchantId, found, clock.now(merchantId));
  if (isDone) notify();
  const now = await findDelivery(database, merchantId, deliveryId);
  if (now === null) return 'notFound';
  // If not done, another request was faster, or the endpoint was removed after the first read.
  return isDone ? now : (resendRefusal(now) ?? 'stillWaiting');
}

const ROWS_OF_STATEMENT = 1_000;
const ROWS_OF_CALL = 10_000;
/** With less time left no further statement begins, because each takes up to five seconds. */
const MILLISECONDS_KEPT = 6_000;

/**
 * Looks at up to ten thousand deliveries a call, and skips those that cannot be resent. `deadlineAt`:
 * monotonic milliseconds.
 */
export async function resendDeliveries(
  tools: ResendManyTools,
  merchantId: string,
  wanted: WantedResend,
  deadlineAt: number,
): Promise<Resent | 'notFound'> {
  return tools.inLine(merchantId, () => walkOverEnded(tools, merchantId, wanted, deadlineAt));
}

async function walkOverEnded(
  { database, clock, notify }: ResendTools,
  merchantId: string,
  { accountNumber, period, states, behind }: WantedResend,
  deadlineAt: number,
): Promise<Resent | 'notFound'> {
  if (!(await hasAccount(database, merchantId, accountNumber))) return 'notFound';
  let place = behind ?? firstPlace(states[0], period);
  let resent = 0;
  for (let lookedAt = 0; place !== null; ) {
    const batch = {
      accountNumber,
      period,
      behind: place,
      limit: Math.min(ROWS_OF_STATEMENT, ROWS_OF_CALL - lookedAt),
      mostTries: MOST_TRIES_TO_RESEND,
      mostDays: DAYS_TO_RESEND,
    };
    const done = await resendBatch(database, merchantId, batch, clock.now(merchantId));
    if (done.resent > 0) notify();
    resent += done.resent;
    lookedAt += done.lookedAt;
    place = done.next ?? firstPlace(states[states.indexOf(place.state) + 1], period);
    if (lookedAt >= ROWS_OF_CALL || performance.now() + MILLISECONDS_KEPT > deadlineAt) break;
  }
  return { resent, next: place };
}

function firstPlace(state: ResendPlace['state'] | undefined, { from }: Period): ResendPlace | null {
  return state === undefined ? null : { state, createdMicroseconds: from * 1_000, deliveryNumber: 0 };
}

/**
 * Sends a delivery once, signed like any other, whatever the breaker and state of its endpoint. Records
 * nothing. Throws only if the database is unavailable.
 */
export type DeliverOnce = (delivery: DeliveryToSend, totalMilliseconds: number) => Promise<TestOutcome>;

export type TestTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly deliverOnce: DeliverOnce;
  readonly testLimit: RateLimit;
  readonly notify: () => void;
};

const LONGEST_TRY_MILLISECONDS = 10_000;
const SHORTEST_TRY_MILLISECONDS = 1_000;
/** So much of the request's time is kept for recording the test. */
const MILLISECONDS_TO_SEND = 4_000;

export type TestRefusal = 'notFound' | { readonly secondsToWait: number };

/**
 * Sends a test even to a disabled registration; a success enables it. `deadlineAt`: monotonic milliseconds.
 */
export async function sendTestNotification(
  tools: TestTools,
  merchantId: string,
  accountNumber: string,
  deadlineAt: number,
): Promise<SentTest | TestRefusal> {
  const { database, clock, deliverOnce, testLimit, notify } = tools;
  const secondsToWait = testLimit.secondsToWait(merchantId, performance.now());
  if (secondsToWait > 0) return { secondsToWait };
  const prepared = await prepareTest(database, merchantId, accountNumber, accountEndpoint(accountNumber));
  if (prepared === null) return 'notFound';
  const moment: Instant = clock.now(merchantId);
  const body = testNotificationBody(prepared.deliveryNumber, saoPauloOffsetText(moment));
  const test = { ...prepared, body };
  const left = deadlineAt - performance.now() - MILLISECONDS_TO_SEND;
  const time = Math.max(SHORTEST_TRY_MILLISECONDS, Math.min(LONGEST_TRY_MILLISECONDS, left));
  const outcome = await deliverOnce(test, time);
  if (await recordTest(database, test, outcome, clock.now(merchantId))) notify();
  return { ...outcome, deliveryId: deliveryId(test) };
}
