import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { type Instant, instant, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { cardMonths } from './notice.ts';
import {
  findDueNotifiers,
  findDueNotifiersOf,
  findEarliestTelling,
  listMerchantsAhead,
  type NotifierKey,
} from './notice-deliveries.sql.ts';
import { type TellExpiringCardsTools, tellExpiringCards } from './tell-expiring-cards.ts';

const NOTIFIERS_OF_RUN = 20;

/** Tells notifiers of cards that expire soon, each once on every business day of its merchant. */
export function expiryWork(tools: TellExpiringCardsTools, bell: Bell): Work {
  return {
    name: 'tellExpiringCards',
    bell,
    async runDue(signal) {
      let reached = 0;
      for (const notifier of await dueNotifiers(tools)) {
        if (signal.aborted) break;
        if ((await tellExpiringCards(tools, notifier, signal)) !== null) reached += 1;
      }
      return reached;
    },
    // A day begins when it begins: the loop looks every second.
    millisecondsUntilDue: async () => null,
  };
}

async function dueNotifiers({ database, clock }: TellExpiringCardsTools): Promise<NotifierKey[]> {
  const due = await findDueNotifiers(database, saoPauloDay(instant(Date.now())), NOTIFIERS_OF_RUN);
  const ahead = await listMerchantsAhead(database);
  for (const { merchantId, toldOn } of ahead) {
    if (due.length >= NOTIFIERS_OF_RUN) break;
    const today = saoPauloDay(clock.now(merchantId));
    if (toldOn < today) due.push(...(await findDueNotifiersOf(database, merchantId, today)));
  }
  return due;
}

/** The same for one merchant whose clock is moved: the parts of a `ClockedWork`. */
export function clockedExpiries(tools: TellExpiringCardsTools) {
  const { database, clock } = tools;
  return {
    /** The earliest instant, not after `until`, at which a notifier must be told of a card; past ones count. */
    async earliestDueOf(merchantId: string, until: Instant): Promise<Instant | null> {
      const months = cardMonths(saoPauloDay(clock.now(merchantId)), saoPauloDay(until));
      const day = await findEarliestTelling(database, merchantId, months);
      const at = day === null ? null : startOfSaoPauloDay(day);
      return at === null || at > until ? null : at;
    },
    /** Tells what is due by the merchant's business time, and gives how many notices that were. */
    async runDueOf(merchantId: string, signal: AbortSignal): Promise<number> {
      const today = saoPauloDay(clock.now(merchantId));
      let told = 0;
      for (const notifier of await findDueNotifiersOf(database, merchantId, today)) {
        if (signal.aborted) break;
        told += (await tellExpiringCards(tools, notifier, signal)) ?? 0;
      }
      return told;
    },
  };
}
