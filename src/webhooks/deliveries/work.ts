import type { ModuleContext } from '../../platform/module.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import { countDeliveries, type DeliveryCounts } from './endpoint-changes.sql.ts';

const COUNT_MILLISECONDS = 10_000;

/** However often the metrics are read, the database is asked every ten seconds. */
export function countingDeliveries(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (counts: DeliveryCounts) => void,
): Work {
  return countingWhenRead('countDeliveries', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countDeliveries(database)),
  );
}
