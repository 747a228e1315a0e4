import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { countUnresolved } from './unresolved.sql.ts';
import type { UnresolvedCount } from './unresolved.ts';

const COUNT_MILLISECONDS = 5_000;

/** However often the metrics are read, the database is asked every five seconds. */
export function countingWork(database: Database, observe: (count: UnresolvedCount) => void): Work {
  const count = everySoOften('countUnresolved', COUNT_MILLISECONDS, async () => {
    for (const counted of await countUnresolved(database)) observe(counted);
  });
  return alsoWhileHeld(count);
}
