import type { Work } from '../../platform/work/due-work.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type Instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { cardMonths } from './alert.ts';
import {
  type AlertEndpointKey,
  findDueAlertEndpoints,
  findDueAlertEndpointsOf,
  findEarliestAlert,
  listMerchantsAhead,
} from './alert-deliveries.sql.ts';
import { type AlertExpiringCardsTools, alertExpiringCards } from './alert-expiring-cards.ts';

const NOTIFIERS_OF_RUN = 20;

/**
 * Notifies alert endpoints of cards that expire soon, each once on every business day of its
 * merchant.
 */
export function expiryWork(tools: AlertExpiringCardsTools, wakeSignal: WakeSignal): Work {
  return {
    name: 'alertExpiringCards',
    wakeSignal,
    async runDue(signal) {
      let reached = 0;
      for (const notifier of await dueAlertEndpoints(tools)) {
        if (signal.aborted) break;
        if ((await alertExpiringCards(tools, notifier, signal)) !== null) reached += 1;
      }
      return reached;
    },
    // A day begins when it begins: the loop looks every second.
    millisecondsUntilDue: async () => null,
  };
}

async function dueAlertEndpoints({ database, clock }: AlertExpiringCardsTools): Promise<AlertEndpointKey[]> {
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
export function clockedExpiries(tools: AlertExpiringCardsTools) {
  const { database, clock } = tools;
  return {
    /**
     * The earliest instant, not after `until`, at which an endpoint must be notified of a card;
     * past ones count.
     */
    async earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null> {
      const months = cardMonths(saoPauloDay(clock.now(merchantId)), saoPauloDay(until));
      const day = await findEarliestAlert(database, merchantId, months);
      const at = day === null ? null : startOfSaoPauloDay(day);
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
        alerted += (await alertExpiringCards(tools, notifier, signal)) ?? 0;
      }
      return alerted;
    },
  };
}
