import type { BusinessClock } from '../../platform/business-clock.ts';
import type { ModuleContext } from '../../platform/module.ts';
import type { Page } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { reachedFrom, saoPauloDay, startOfSaoPauloDay } from '../../values/instant.ts';
import { deliveryNumberOf } from '../deliveries/delivery.ts';
import { findRecordedDelivery, listRecordedDeliveries } from './recorded-deliveries.sql.ts';
import {
  DAYS_TO_RESEND,
  type LostDeliveries,
  MOST_TRIES_TO_RESEND,
  type Period,
  type PeriodFault,
  periodOfDays,
  type RecordedDelivery,
  type WantedDeliveries,
  type WholeDelivery,
} from './recorded-delivery.ts';
import { countLostDeliveries } from './resends.sql.ts';

export type HistoryTools = Pick<ModuleContext, 'lookUp' | 'search'> & {
  /**
   * The unmoved time decides which days are the newest: rows are written by it, whatever a test clock says.
   */
  readonly clock: Pick<BusinessClock, 'unmoved'>;
};

/** So many rows are counted for an exact total in about a second. A period with more is refused. */
const MOST_COUNTED = 1_000_000;
/** An order without an index reads and sorts all rows of a period: so many in about a second. */
const MOST_SORTED = 100_000;

/** Throws `Overloaded` if too many lists of the merchant wait. */
export async function listDeliveries(
  { search, clock }: Pick<HistoryTools, 'search' | 'clock'>,
  merchantId: string,
  wanted: WantedDeliveries,
): Promise<Page<RecordedDelivery> | PeriodFault | 'notFound'> {
  const period = periodOfDays(wanted, clock.unmoved(), wanted.nsu !== null);
  if (typeof period === 'string') return period;
  const found = await search(merchantId, (database) =>
    listRecordedDeliveries(
      database,
      merchantId,
      { ...wanted, period },
      { mostCounted: MOST_COUNTED, mostSorted: MOST_SORTED },
    ),
  );
  return found ?? 'notFound';
}

/** A delivery waits up to 30 days until it is given up, and can be resent for 30 days after that. */
const DAYS_OF_LOST = 61;
const MOST_LOST_LOOKED_AT = 10_000;

/**
 * Counts given-up deliveries that can be resent, among the newest of each account. `period` null: as far back
 * as any can be resent.
 */
export function countLost(
  { search, clock }: Pick<HistoryTools, 'search' | 'clock'>,
  merchantId: string,
  accountNumbers: readonly string[],
  period: Period | null,
): Promise<LostDeliveries[]> {
  const today = saoPauloDay(clock.unmoved());
  const ever = {
    from: startOfSaoPauloDay(reachedFrom(today, -DAYS_OF_LOST)),
    to: startOfSaoPauloDay(reachedFrom(today, 1)),
  };
  const bounds = {
    mostLookedAt: MOST_LOST_LOOKED_AT,
    mostTries: MOST_TRIES_TO_RESEND,
    mostDays: DAYS_TO_RESEND,
  };
  return search(merchantId, (database) =>
    countLostDeliveries(database, merchantId, accountNumbers, period ?? ever, bounds),
  );
}

/** null: there is no such delivery, or it is another merchant's. */
export function readDelivery(
  { lookUp }: Pick<HistoryTools, 'lookUp'>,
  merchantId: string,
  deliveryId: string,
): Promise<WholeDelivery | null> {
  return lookUp(merchantId, (database) => findDelivery(database, merchantId, deliveryId));
}

export async function findDelivery(
  database: Reader,
  merchantId: string,
  deliveryId: string,
): Promise<WholeDelivery | null> {
  const deliveryNumber = deliveryNumberOf(deliveryId);
  if (deliveryNumber === null) return null;
  const found = await findRecordedDelivery(database, merchantId, deliveryNumber, DAYS_TO_RESEND);
  return found?.deliveryId === deliveryId.toLowerCase() ? found : null;
}
