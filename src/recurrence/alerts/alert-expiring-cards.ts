import type { AlertDayTools, DayResult } from './alert-day.ts';
import {
  alertExpiriesBatch,
  type CardPlace,
  type ExpiriesToAlert,
  FIRST_CARD,
} from './alert-deliveries.sql.ts';

/** Of one commit: cards that are looked at, and alerts that are written. */
const CARDS_OF_BATCH = 200;

/**
 * Notifies an endpoint, once for each, of the active subscriptions whose card is good for 30 days
 * at most. Null: another process has the endpoint. Stops between two commits when the signal is
 * aborted: the next run finds what was written, and goes on.
 */
export async function alertExpiringCards(
  { database, notify }: Pick<AlertDayTools, 'database' | 'notify'>,
  wanted: ExpiriesToAlert,
  signal: AbortSignal,
): Promise<DayResult | null> {
  let alerted = 0;
  let from: CardPlace | null = FIRST_CARD;
  while (from !== null && !signal.aborted) {
    const batch = await alertExpiriesBatch(database, wanted, from, CARDS_OF_BATCH);
    if (batch === null) return alerted === 0 ? null : { alerted, isWhole: false };
    if (batch.alerted > 0) notify();
    alerted += batch.alerted;
    from = batch.next;
  }
  return { alerted, isWhole: from === null };
}
