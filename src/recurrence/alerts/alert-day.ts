import type { ModuleContext } from '../../platform/module.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { finishAlertDay } from '../../webhooks/endpoints/webhook-endpoints.sql.ts';
import { cardMonths } from './alert.ts';
import {
  alertExpiriesBatch,
  type CardPlace,
  type DueAlertEndpoint,
  type ExpiriesToAlert,
  FIRST_CARD,
} from './alert-deliveries.sql.ts';
import {
  alertUpcomingBatch,
  type BillingPlace,
  forgetUpcoming,
  type UpcomingToAlert,
} from './upcoming-alerts.sql.ts';

export type AlertDayTools = Pick<ModuleContext, 'database' | 'clock'> & { readonly notify: () => void };

const CARDS_OF_BATCH = 200;
const BILLINGS_OF_BATCH = 200;
const FORGOTTEN_OF_BATCH = 10_000;
/** Batches of records that one run deletes: a million rows. The rest is deleted on the next day. */
const MOST_BATCHES_FORGOTTEN = 100;

type DayResult = { readonly alerted: number; readonly isWhole: boolean };

/**
 * Sends an endpoint the alerts that it asks for, once each. Returns the number of alerts; null if another
 * process has the endpoint or has finished it, or if it is no longer active.
 */
export async function alertDay(
  tools: AlertDayTools,
  { merchantId, alertEndpointId, events }: DueAlertEndpoint,
  signal: AbortSignal,
): Promise<number | null> {
  const moment = tools.clock.now(merchantId);
  const day = saoPauloDay(moment);
  const wanted = { merchantId, alertEndpointId, moment, day };
  const parts: (DayResult | null)[] = [];
  if (events.includes('cardExpiring'))
    parts.push(await alertExpiringCards(tools, { ...wanted, months: cardMonths(day, day) }, signal));
  if (events.includes('upcoming')) parts.push(await alertUpcomingBillings(tools, wanted, signal));
  const done = parts.filter((part) => part !== null);
  const isWhole = done.length === parts.length && done.every((part) => part.isWhole);
  if (isWhole) await finishAlertDay(tools.database, wanted, day);
  const alerted = done.reduce((sum, part) => sum + part.alerted, 0);
  return isWhole || alerted > 0 ? alerted : null;
}

/**
 * Alerts about cards that expire within 30 days. null: the endpoint could not be locked
 * (`lockAlertEndpoint`). Can be resumed after an abort.
 */
async function alertExpiringCards(
  { database, notify }: AlertDayTools,
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

/**
 * Alerts about billings due within three days. null: the endpoint could not be locked (`lockAlertEndpoint`).
 * Can be resumed after an abort.
 */
async function alertUpcomingBillings(
  { database, notify }: AlertDayTools,
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

async function forgetPast(database: Database, wanted: UpcomingToAlert, signal: AbortSignal): Promise<void> {
  for (let batches = 0; batches < MOST_BATCHES_FORGOTTEN && !signal.aborted; batches += 1) {
    const forgotten = await forgetUpcoming(database, wanted, wanted.day, FORGOTTEN_OF_BATCH);
    if (forgotten < FORGOTTEN_OF_BATCH) return;
  }
}
