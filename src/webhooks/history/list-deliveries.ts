import type { BusinessClock } from '../../platform/business-clock.ts';
import type { Page } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { deliveryNumberOf } from '../deliveries/delivery.ts';
import { findRecordedDelivery, listRecordedDeliveries } from './recorded-deliveries.sql.ts';
import {
  DAYS_TO_RESEND,
  type PeriodFault,
  periodOfDays,
  type RecordedDelivery,
  type WantedDeliveries,
  type WholeDelivery,
} from './recorded-delivery.ts';

export type HistoryTools = {
  readonly lookUp: LookUp;
  /** A merchant's lists take their turns with its other searches: each may read a great many rows. */
  readonly search: Search;
  /** By the database's time: which days are the newest. */
  readonly clock: Pick<BusinessClock, 'unmoved'>;
};

/** What is counted for one list, in a second or so. A period that holds more is refused. */
const MOST_COUNTED = 1_000_000;
/** All of them are read, in about a second, where no index has the order. */
const MOST_SORTED = 100_000;

/** A page of an account's deliveries. Throws `Overloaded` when too many lists of the merchant wait. */
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

/** A delivery of this merchant, or null: one of another merchant looks like one that never was. */
export function readDelivery(
  { lookUp }: Pick<HistoryTools, 'lookUp'>,
  merchantId: string,
  deliveryId: string,
): Promise<WholeDelivery | null> {
  return lookUp(merchantId, (database) => findDelivery(database, merchantId, deliveryId));
}

/** The same for an operation that is let in already. */
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
