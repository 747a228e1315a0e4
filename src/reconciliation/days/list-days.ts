import { hasAccount } from '../../merchants/accounts.sql.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import type { Day } from '../../values/instant.ts';
import type { Follower } from '../receivables/open-follower.ts';
import type { DayOfReceivables } from './day.ts';
import { listReceivableDays } from './days.sql.ts';

export type ListDaysTools = Pick<Follower, 'isUpToDate'> & {
  readonly lookUp: LookUp;
  readonly search: Search;
};

export type WantedDays = { readonly accountNumber: string; readonly from: Day; readonly to: Day };

/** Null: the merchant has no such account. */
export async function listDays(
  { lookUp, search, isUpToDate }: ListDaysTools,
  merchantId: string,
  wanted: WantedDays,
): Promise<DayOfReceivables[] | 'receivablesBehind' | null> {
  const isOwn = await lookUp(merchantId, (database) =>
    hasAccount(database, merchantId, wanted.accountNumber),
  );
  if (!isOwn) return null;
  if (!(await isUpToDate(merchantId))) return 'receivablesBehind';
  return search(merchantId, (database) => listReceivableDays(database, merchantId, wanted));
}
