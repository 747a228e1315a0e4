import type { ModuleContext } from '../platform/module.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { ClockedWork } from '../platform/work/clocked-work.ts';
import type { Work } from '../platform/work/due-work.ts';
import { countingWhenRead, everySoOften } from '../platform/work/every-so-often.ts';
import { forgetInBatches } from '../platform/work/forgetting.ts';
import { type AdvanceDueTools, advanceDueBoletos, bankCodeOf } from './advance-due-boletos.ts';
import { ACTING_DUE, earliestActing, findMerchantsActing } from './due-days.sql.ts';
import { eraseOldPayers } from './payers/payers.sql.ts';
import { countUnresolvedBoletos, type UnresolvedBoletoCount } from './unresolved/unresolved-boletos.sql.ts';

const COUNT_MILLISECONDS = 5_000;
const DUE_DAYS_MILLISECONDS = 5_000;
/** Merchants whose clock is ahead, in one look. */
const MOST_AHEAD = 100;

/** What becomes overdue, and what is over, by the business time of each merchant. */
export function advanceDueWork(tools: AdvanceDueTools): Work {
  const advance = async (signal: AbortSignal) => {
    await advanceDueBoletos(tools, null, signal);
    for (const merchantId of await findMerchantsActing(tools.database, bankCodeOf(tools), MOST_AHEAD)) {
      if (signal.aborted) return;
      await advanceDueBoletos(tools, merchantId, signal);
    }
  };
  const look = { piece: ACTING_DUE, values: () => [bankCodeOf(tools)] };
  return everySoOften('advanceDueBoletos', DUE_DAYS_MILLISECONDS, advance, look);
}

/** The same in a jump of a merchant's clock. */
export function advanceDueByClock(tools: AdvanceDueTools): ClockedWork {
  return {
    name: 'boletos',
    earliestDue: (merchantId, until) => earliestActing(tools.database, merchantId, bankCodeOf(tools), until),
    runDue: (merchantId, signal) => advanceDueBoletos(tools, merchantId, signal),
  };
}

/** However often the metrics are read, the database is asked every five seconds. */
export function countingBoletos(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  observe: (count: UnresolvedBoletoCount) => void,
): Work {
  return countingWhenRead('countUnresolvedBoletos', COUNT_MILLISECONDS, metrics, async () =>
    observe(await countUnresolvedBoletos(database)),
  );
}

/**
 * Removes payers of long ago, of boletos that cannot be paid any more, by real time. `days` 0: they
 * are kept.
 */
export function forgetOldPayers(database: Database, days: number, observe: (erased: number) => void): Work[] {
  if (days === 0) return [];
  const forget = forgetInBatches('forgetOldPayers', async (limit) => {
    const erased = await eraseOldPayers(database, limit, days);
    observe(erased);
    return erased;
  });
  return [forget];
}
