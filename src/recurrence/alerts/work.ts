import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type Instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { cardMonths, UPCOMING_DAYS } from './alert.ts';
import { type AlertDayTools, alertDay } from './alert-day.ts';
import {
  ALERTS_DUE,
  type DueAlertEndpoint,
  findDueAlertEndpoints,
  findDueAlertEndpointsOf,
  findEarliestAlert,
  listMerchantsAhead,
} from './alert-deliveries.sql.ts';
import { findEarliestUpcoming } from './upcoming-alerts.sql.ts';

const NOTIFIERS_OF_RUN = 20;

/**
 * Notifies alert endpoints of cards that expire soon and of billings whose day comes, each once on
 * every business day of its merchant.
 */
export function dailyAlertsWork(tools: AlertDayTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'alertDay',
    wakeSignal,
    async runDue(signal) {
      let reached = 0;
      for (const notifier of await dueAlertEndpoints(tools)) {
        if (signal.aborted) break;
        if ((await alertDay(tools, notifier, signal)) !== null) reached += 1;
      }
      return reached;
    },
    look: { piece: ALERTS_DUE, values: () => [saoPauloDay(tools.clock.unmoved())] },
  };
}

async function dueAlertEndpoints({ database, clock }: AlertDayTools): Promise<DueAlertEndpoint[]> {
  const due = await findDueAlertEndpoints(database, saoPauloDay(clock.unmoved()), NOTIFIERS_OF_RUN);
  const ahead = await listMerchantsAhead(database);
  for (const { merchantId, alertedOn } of ahead) {
    if (due.length >= NOTIFIERS_OF_RUN) break;
    const today = saoPauloDay(clock.now(merchantId));
    if (alertedOn < today) due.push(...(await findDueAlertEndpointsOf(database, merchantId, today)));
  }
  return due;
}

/** The same for one merchant whose clock is moved: the parts of a `ClockedWork`. */
export function clockedAlerts(tools: AlertDayTools) {
  const { database, clock } = tools;
  return {
    /**
     * The earliest instant, not after `until`, at which an endpoint must be notified of a card or a
     * billing; past ones count.
     */
    async earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null> {
      const today = saoPauloDay(clock.now(merchantId));
      const months = cardMonths(today, saoPauloDay(until));
      const days = [
        await findEarliestAlert(database, merchantId, months),
        await findEarliestUpcoming(database, merchantId, today, UPCOMING_DAYS),
      ];
      const [day] = days.filter((each) => each !== null).sort();
      const at = day === undefined ? null : startOfSaoPauloDay(day);
      return at === null || at > until ? null : at;
    },
    /**
     * Enqueues what is due by the merchant's business time, and gives how many alerts that were.
     */
    async runDueOf(merchantId: string, signal: AbortSignal): Promise<number> {
      const today = saoPauloDay(clock.now(merchantId));
      let alerted = 0;
      for (const notifier of await findDueAlertEndpointsOf(database, merchantId, today)) {
        if (signal.aborted) break;
        alerted += (await alertDay(tools, notifier, signal)) ?? 0;
      }
      return alerted;
    },
  };
}
