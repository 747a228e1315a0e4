import type { AlertDayTools, DayResult } from './alert-day.ts';
import {
  alertUpcomingBatch,
  type BillingPlace,
  forgetUpcoming,
  type UpcomingToAlert,
} from './upcoming-alerts.sql.ts';

/** Of one commit. */
const BILLINGS_OF_BATCH = 200;
/** Of one look: as many as may fall due on a day are gone within days. */
const MOST_FORGOTTEN = 10_000;

/**
 * Notifies an endpoint, once for each, of the billings whose day comes within three days. Null:
 * another process has the endpoint. Stops between two commits when the signal is aborted: the next
 * run finds what was written, and goes on.
 */
export async function alertUpcomingBillings(
  { database, notify }: Pick<AlertDayTools, 'database' | 'notify'>,
  wanted: UpcomingToAlert,
  signal: AbortSignal,
): Promise<DayResult | null> {
  let alerted = 0;
  let held = 0;
  let from: BillingPlace | null = null;
  do {
    const batch = await alertUpcomingBatch(database, wanted, from, BILLINGS_OF_BATCH);
    if (batch === null) return alerted === 0 ? null : { alerted, isWhole: false };
    if (batch.alerted > 0) notify();
    alerted += batch.alerted;
    held += batch.held;
    from = batch.next;
  } while (from !== null && !signal.aborted);
  await forgetUpcoming(database, wanted, wanted.day, MOST_FORGOTTEN);
  return { alerted, isWhole: from === null && held === 0 };
}
