import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { idOrNobodys } from '../../values/ids.ts';
import { searchSubscriptions } from './searches.sql.ts';
import type {
  Subscription,
  SubscriptionField,
  SubscriptionFilter,
  SubscriptionWithEvents,
} from './subscription.ts';
import { findSubscription } from './subscriptions.sql.ts';

export type ReadSubscriptionsTools = {
  readonly database: Database;
  /** A merchant's searches take their turns: each may count a great many rows. */
  readonly inLine: <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;
};

/**
 * A page of this merchant's subscriptions. Throws `Overloaded` when too many searches of the merchant wait.
 */
export function listSubscriptions(
  { database, inLine }: ReadSubscriptionsTools,
  merchantId: string,
  filter: SubscriptionFilter,
  wanted: WantedPage<SubscriptionField>,
): Promise<Page<Subscription>> {
  const vaultId = filter.vaultId === null ? null : idOrNobodys(filter.vaultId);
  return inLine(merchantId, () => searchSubscriptions(database, merchantId, { ...filter, vaultId }, wanted));
}

/**
 * A subscription of this merchant with what happened to it, or null: one of another merchant looks like one
 * that never was.
 */
export function readSubscription(
  { database }: Pick<ReadSubscriptionsTools, 'database'>,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  return findSubscription(database, merchantId, idOrNobodys(subscriptionId));
}
