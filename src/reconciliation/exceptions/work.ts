import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../../platform/work/every-so-often.ts';
import { type CountedExceptions, countExceptions } from './exception-counts.sql.ts';

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingExceptions(
  { database }: { readonly database: Database },
  observe: (counted: CountedExceptions) => void,
): Work {
  return alsoWhileHeld(
    everySoOften('countExceptions', COUNT_MILLISECONDS, async () => observe(await countExceptions(database))),
  );
}
