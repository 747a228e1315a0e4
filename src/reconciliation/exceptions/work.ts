import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { type CountedExceptions, countExceptions } from './exception-counts.sql.ts';

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingExceptions(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (counted: CountedExceptions) => void,
): Work {
  return countingWhenRead('countExceptions', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countExceptions(database)),
  );
}
