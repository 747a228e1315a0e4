import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { cardMonths } from './alert.ts';
import { type DueAlertEndpoint, finishDay } from './alert-deliveries.sql.ts';
import { alertExpiringCards } from './alert-expiring-cards.ts';
import { alertUpcomingBillings } from './alert-upcoming-billings.ts';

export type AlertDayTools = {
  readonly database: Database;
  readonly clock: BusinessClock;
  /** Wakes the deliverer. */
  readonly notify: () => void;
};

/** `isWhole`: there is nothing left of it on this day. */
export type DayResult = { readonly alerted: number; readonly isWhole: boolean };

/**
 * Notifies an endpoint of what a business day brings: cards that expire soon and billings whose day
 * comes, as far as it asks for them, each once. Gives how many alerts were written; null: another
 * process has the endpoint or has done it, or it is not active any more.
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
  if (isWhole) await finishDay(tools.database, wanted, day);
  const alerted = done.reduce((sum, part) => sum + part.alerted, 0);
  return isWhole || alerted > 0 ? alerted : null;
}
