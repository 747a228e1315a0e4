import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { cardMonths } from './alert.ts';
import {
  type AlertEndpointKey,
  alertExpiriesBatch,
  type CardPlace,
  FIRST_CARD,
} from './alert-deliveries.sql.ts';

export type AlertExpiringCardsTools = {
  readonly database: Database;
  readonly clock: BusinessClock;
  /** Wakes the deliverer. */
  readonly notify: () => void;
};

/** Of one commit: cards that are looked at, and alerts that are written. */
const CARDS_OF_BATCH = 200;

/**
 * Notifies an endpoint, once for each, of the active subscriptions whose card is good for 30 days
 * at most, by the merchant's business day. Gives how many alerts were written; null: another
 * process has the endpoint or has done it, or it is not active any more. Stops between two commits
 * when the signal is aborted: the next run finds what was written, and goes on.
 */
export async function alertExpiringCards(
  { database, clock, notify }: AlertExpiringCardsTools,
  { merchantId, alertEndpointId }: AlertEndpointKey,
  signal: AbortSignal,
): Promise<number | null> {
  const moment = clock.now(merchantId);
  const day = saoPauloDay(moment);
  const wanted = { merchantId, alertEndpointId, moment, day, months: cardMonths(day, day) };
  let alerted = 0;
  for (let from: CardPlace | null = FIRST_CARD; from !== null && !signal.aborted; ) {
    const batch = await alertExpiriesBatch(database, wanted, from, CARDS_OF_BATCH);
    if (batch === null) return alerted === 0 ? null : alerted;
    if (batch.alerted > 0) notify();
    alerted += batch.alerted;
    from = batch.next;
  }
  return alerted;
}
