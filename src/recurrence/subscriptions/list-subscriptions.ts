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
  /** A merchant's searches take turns: each may count very many rows. */
  readonly search: Search;
};

/** Sorted without an index in a second or two. */
const MOST_SORTED = 300_000;

/** Throws `Overloaded` when too many of the merchant's searches wait. */
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

/** With its history. Null for unknown subscriptions and those of other merchants. */
export function readSubscription(
  { lookUp }: Pick<ReadSubscriptionsTools, 'lookUp'>,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const id = idOrUnissued(subscriptionId);
  return lookUp(merchantId, (database) => findSubscription(database, merchantId, id));
}
