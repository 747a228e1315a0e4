import type { Database } from '../../platform/postgres/database.ts';
import { findRemovedEndpoints, giveUpDeliveries } from './webhook-endpoints.sql.ts';

const ENDPOINTS = 20;
const ROWS_PER_COMMIT = 1_000;
/** Of one endpoint before the others have their turn. */
const COMMITS_PER_ENDPOINT = 20;

/**
 * Gives up the deliveries of removed endpoints, in batches: those beyond the commit of the removal,
 * and those that a payment wrote which did not see the removal yet. Returns how many, and whether
 * any may be left.
 */
export async function giveUpRemoved(
  database: Database,
  signal: AbortSignal,
): Promise<{ readonly givenUp: number; readonly isAnyLeft: boolean }> {
  const endpoints = await findRemovedEndpoints(database, ENDPOINTS);
  let givenUp = 0;
  for (const endpoint of endpoints) {
    let from: number | null = null;
    for (let commits = 0; commits < COMMITS_PER_ENDPOINT && !signal.aborted; commits += 1) {
      // From the end of the last batch: the entries of what was given up stay in the index for a
      // while.
      const { count, last } = await giveUpDeliveries(database, endpoint, from, ROWS_PER_COMMIT);
      givenUp += count;
      from = last;
      if (count < ROWS_PER_COMMIT) break;
    }
  }
  return { givenUp, isAnyLeft: endpoints.length > 0 };
}
