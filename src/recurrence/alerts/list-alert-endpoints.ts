import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Search } from '../../platform/postgres/searches.ts';
import type { AlertEndpoint, AlertEndpointFilter, AlertEndpointOrder } from './alert-endpoint.ts';
import { listAlertEndpointPage } from './alert-endpoints.sql.ts';

export type ListAlertEndpointsTools = {
  /** A merchant's searches take their turns. */
  readonly search: Search;
};

/**
 * A page of this merchant's alert endpoints; of another merchant it sees none. Throws `Overloaded`
 * when too many searches of the merchant wait.
 */
export async function listAlertEndpoints(
  { search }: ListAlertEndpointsTools,
  merchantId: string,
  filter: AlertEndpointFilter,
  wanted: WantedPage<AlertEndpointOrder>,
): Promise<Page<AlertEndpoint>> {
  if (filter.merchantId !== null && filter.merchantId !== merchantId) return { items: [], total: 0 };
  return search(merchantId, (database) => listAlertEndpointPage(database, merchantId, filter, wanted));
}
