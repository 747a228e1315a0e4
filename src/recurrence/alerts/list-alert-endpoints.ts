import type { Page, WantedPage } from '../../platform/pages.ts';
import type { Database } from '../../platform/postgres/database.ts';
import type { AlertEndpoint, AlertEndpointFilter, AlertEndpointOrder } from './alert-endpoint.ts';
import { listAlertEndpointPage } from './alert-endpoints.sql.ts';

export type ListAlertEndpointsTools = {
  readonly database: Database;
  /** A merchant's searches take their turns. */
  readonly inLine: <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;
};

/**
 * A page of this merchant's alert endpoints; of another merchant it sees none. Throws `Overloaded` when too
 * many searches of the merchant wait.
 */
export async function listAlertEndpoints(
  { database, inLine }: ListAlertEndpointsTools,
  merchantId: string,
  filter: AlertEndpointFilter,
  wanted: WantedPage<AlertEndpointOrder>,
): Promise<Page<AlertEndpoint>> {
  if (filter.merchantId !== null && filter.merchantId !== merchantId) return { items: [], total: 0 };
  return inLine(merchantId, () => listAlertEndpointPage(database, merchantId, filter, wanted));
}
