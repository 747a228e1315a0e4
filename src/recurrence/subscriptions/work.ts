import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInBatches } from '../../platform/work/forgetting.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { type EndingTools, endWithPlan } from './cancel-with-plan.ts';
import { eraseOldSubscriptionCustomers } from './customers.sql.ts';
import { claimPlanCancellations, EARLIEST_CANCELLATION } from './plan-cancellations.sql.ts';

const PLANS_AT_ONCE = 4;
/** Of all that one run takes; a batch under way when it is over takes seconds at most. */
const RUN_MILLISECONDS = 10_000;
const LEASE_MILLISECONDS = 30_000;

/**
 * Goes on with the end of the subscriptions of canceled plans where a request died or its time was
 * over.
 */
export function planCancellationWork(
  tools: Pick<EndingTools, 'database' | 'deliverer'>,
  wakeSignal: WakeSignal,
): Work {
  const { database } = tools;
  return {
    name: 'endWithPlan',
    wakeSignal,
    async runDue(signal) {
      const claimed = await claimPlanCancellations(database, PLANS_AT_ONCE, LEASE_MILLISECONDS);
      const endsAt = performance.now() + RUN_MILLISECONDS;
      const goOn = () => !signal.aborted && performance.now() < endsAt;
      const done = await Promise.allSettled(claimed.map((ending) => endWithPlan(tools, ending, goOn)));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return claimed.length;
    },
    look: { piece: EARLIEST_CANCELLATION },
  };
}

/**
 * Removes the customers of subscriptions that ended so many days of real time ago: a jump of the
 * test clock removes nothing. `days` 0: they have no end.
 */
export function forgetOldSubscribers(
  database: Database,
  days: number,
  observe: (erased: number) => void,
): Work[] {
  if (days === 0) return [];
  const forget = forgetInBatches('forgetOldSubscribers', async (limit) => {
    const erased = await eraseOldSubscriptionCustomers(database, limit, days);
    observe(erased);
    return erased;
  });
  return [forget];
}
