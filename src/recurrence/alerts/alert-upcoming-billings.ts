import type { AlertDayTools, DayResult } from './alert-day.ts';
import {
  alertUpcomingBatch,
  type BillingPlace,
  forgetUpcoming,
  type UpcomingToAlert,
} from './upcoming-alerts.sql.ts';

/** Of one commit. */
const BILLINGS_OF_BATCH = 200;
/** Of one statement. */
const FORGOTTEN_OF_BATCH = 10_000;
/** Of one look: a million, what is left is forgotten on the next day. */
const MOST_BATCHES_FORGOTTEN = 100;

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
  await forgetPast(database, wanted, signal);
  return { alerted, isWhole: from === null && held === 0 };
}

async function forgetPast(
  database: AlertDayTools['database'],
  wanted: UpcomingToAlert,
  signal: AbortSignal,
): Promise<void> {
  for (let batches = 0; batches < MOST_BATCHES_FORGOTTEN && !signal.aborted; batches += 1) {
    const forgotten = await forgetUpcoming(database, wanted, wanted.day, FORGOTTEN_OF_BATCH);
    if (forgotten < FORGOTTEN_OF_BATCH) return;
  }
}
