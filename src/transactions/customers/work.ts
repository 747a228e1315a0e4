import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { eraseOldCustomers } from './customers.sql.ts';

const BATCH = 500;
/** Between two batches, so that vacuum and payments have their turn: five thousand rows a second at most. */
const BREATH_MILLISECONDS = 100;
/** Once nothing is over: what is kept is kept for days. */
const PAUSE_MILLISECONDS = 60_000;

/**
 * Removes customers' data that is over by real time: a jump of the test clock removes nothing. `days` 0: it
 * has no end.
 */
export function forgetOldCustomers(
  database: Database,
  days: number,
  observe: (erased: number) => void,
): Work[] {
  if (days === 0) return [];
  let nextAt = 0;
  return [
    {
      name: 'forgetOldCustomers',
      wakeSignal: createWakeSignal(),
      async runDue() {
        if (performance.now() < nextAt) return 0;
        const erased = await eraseOldCustomers(database, BATCH, days);
        observe(erased);
        nextAt = performance.now() + (erased === 0 ? PAUSE_MILLISECONDS : BREATH_MILLISECONDS);
        return 0;
      },
      millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
    },
  ];
}
