import type { Page, TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import type { LookUp, Search } from '../../platform/postgres/searches.ts';
import { idOrUnissued } from '../../values/ids.ts';
import { searchSubscriptions } from './searches.sql.ts';
import type {
  Subscription,
  SubscriptionField,
  SubscriptionFilter,
  SubscriptionWithEvents,
} from './subscription.ts';
import { findSubscription } from './subscriptions.sql.ts';

export type ReadSubscriptionsTools = {
  readonly lookUp: LookUp;
  /** A merchant's searches take their turns: each may count a great many rows. */
  readonly search: Search;
};

/** What is put in order by something that no index has, in a second or two. */
const MOST_SORTED = 300_000;

/**
 * A page of this merchant's subscriptions. Throws `Overloaded` when too many searches of the
 * merchant wait.
 */
export async function listSubscriptions(
  { search }: Pick<ReadSubscriptionsTools, 'search'>,
  merchantId: string,
  filter: SubscriptionFilter,
  wanted: WantedPage<SubscriptionField>,
): Promise<Page<Subscription> | TooManyToOrder> {
  const vaultId = filter.vaultId === null ? null : idOrUnissued(filter.vaultId);
  return search(merchantId, (database) =>
    searchSubscriptions(database, merchantId, { ...filter, vaultId }, wanted, MOST_SORTED),
  );
}

/**
 * A subscription of this merchant with what happened to it, or null: one of another merchant looks
 * like one that never was.
 */
export function readSubscription(
  { lookUp }: Pick<ReadSubscriptionsTools, 'lookUp'>,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const id = idOrUnissued(subscriptionId);
  return lookUp(merchantId, (database) => findSubscription(database, merchantId, id));
}
