import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import { eraseOldCustomers } from './customers.sql.ts';

/**
 * Removes expired data of customers by real time: a jump of the test clock removes nothing. `days`
 * 0: it has no end.
 */
export function forgetOldCustomers(
  database: Database,
  days: number,
  observe: (erased: number) => void,
): Work[] {
  if (days === 0) return [];
  const forget = forgetInBatches('forgetOldCustomers', async (limit) => {
    const erased = await eraseOldCustomers(database, limit, days);
    observe(erased);
    return erased;
  });
  return [forget];
}
