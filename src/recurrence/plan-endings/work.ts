import type { Database } from '../../platform/postgres/database.ts';
import type { Bell } from '../../platform/work/bell.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { endWithPlan } from './end-with-plan.ts';
import { claimPlanEndings, millisecondsUntilDueEnding } from './plan-endings.sql.ts';

const PLANS_AT_ONCE = 4;
/** Of all that one run takes; a batch under way when it is over takes seconds at most. */
const RUN_MILLISECONDS = 10_000;
const LEASE_MILLISECONDS = 30_000;

/** Goes on with the end of the subscriptions of canceled plans where a request died or its time was over. */
export function planEndingWork(database: Database, bell: Bell): Work {
  return {
    name: 'endWithPlan',
    bell,
    async runDue(signal) {
      const claimed = await claimPlanEndings(database, PLANS_AT_ONCE, LEASE_MILLISECONDS);
      const endsAt = performance.now() + RUN_MILLISECONDS;
      const goOn = () => !signal.aborted && performance.now() < endsAt;
      const done = await Promise.allSettled(claimed.map((ending) => endWithPlan(database, ending, goOn)));
      const failed = done.find((result) => result.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return claimed.length;
    },
    millisecondsUntilDue: () => millisecondsUntilDueEnding(database),
  };
}
