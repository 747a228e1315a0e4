import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { Notifier, NotifierFilter, NotifierOrder } from './notifier.ts';
import { listNotifierPage } from './notifiers.sql.ts';

export type ListNotifiersTools = {
  readonly database: Database;
  /** A merchant's searches take their turns. */
  readonly inLine: <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;
};

/** A page of this merchant's notifiers; of another merchant it sees none. Throws `Overloaded` when too many searches of the merchant wait. */
export async function listNotifiers(
  { database, inLine }: ListNotifiersTools,
  merchantId: string,
  filter: NotifierFilter,
  wanted: WantedPage<NotifierOrder>,
): Promise<Page<Notifier>> {
  if (filter.merchantId !== null && filter.merchantId !== merchantId) return { items: [], total: 0 };
  return inLine(merchantId, () => listNotifierPage(database, merchantId, filter, wanted));
}
