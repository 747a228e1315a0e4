import type { BusinessClock } from '../../platform/business-clock.ts';
import type { RateLimit } from '../../platform/http/rate-limit.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Instant, saoPauloOffsetText } from '../../values/instant.ts';
import { accountEndpoint, type DeliveryToSend, deliveryId } from '../deliveries/delivery.ts';
import { type SentTest, type TestOutcome, testNotificationBody } from './recorded-delivery.ts';
import { prepareTest, recordTest } from './test-notification.sql.ts';

/**
 * Sends a delivery once, signed as every other, and returns the result; `totalMilliseconds`: how
 * long it may take. Records nothing, and looks at neither breaker nor holding. Throws only for a
 * bug of ours.
 */
export type DeliverOnce = (delivery: DeliveryToSend, totalMilliseconds: number) => Promise<TestOutcome>;

export type TestTools = {
  readonly database: Database;
  readonly clock: BusinessClock;
  readonly deliverOnce: DeliverOnce;
  /** Tests of a merchant. */
  readonly testLimit: RateLimit;
  /** Wakes the sending. */
  readonly notify: () => void;
};

const LONGEST_TRY_MILLISECONDS = 10_000;
const SHORTEST_TRY_MILLISECONDS = 1_000;
/** What is left of the request for the database. */
const MILLISECONDS_KEPT = 4_000;

export type TestRefusal = 'notFound' | { readonly secondsToWait: number };

/**
 * Tries the registered address of an account now, even while it is held; a success releases it.
 * Real time: `deadlineAt`.
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
  const left = deadlineAt - performance.now() - MILLISECONDS_KEPT;
  const time = Math.max(SHORTEST_TRY_MILLISECONDS, Math.min(LONGEST_TRY_MILLISECONDS, left));
  const outcome = await deliverOnce(test, time);
  if (await recordTest(database, test, outcome, clock.now(merchantId))) notify();
  return { ...outcome, deliveryId: deliveryId(test) };
}
