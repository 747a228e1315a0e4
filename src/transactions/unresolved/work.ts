import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { countUnresolved } from './unresolved.sql.ts';
import type { UnresolvedCount } from './unresolved.ts';

const COUNT_MILLISECONDS = 5_000;

/** However often the metrics are read, the database is asked every five seconds. */
export function countingWork(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (count: UnresolvedCount) => void,
): Work {
  return countingWhenRead('countUnresolved', COUNT_MILLISECONDS, metrics, async () => {
    for (const counted of await countUnresolved(database)) observe(counted);
  });
}
