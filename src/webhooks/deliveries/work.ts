import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { countDeliveries, type DeliveryCounts } from './endpoint-changes.sql.ts';

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingDeliveries(database: Database, observe: (counts: DeliveryCounts) => void): Work {
  const count = everySoOften('countDeliveries', COUNT_MILLISECONDS, async () =>
    observe(await countDeliveries(database)),
  );
  return alsoWhileHeld(count);
}
