import { requestsRead } from './idempotency/idempotency-keys.sql.ts';
import { type Base, gatheredFor } from './money-rooms.ts';
import type { Route } from './platform/http/endpoint.ts';
import { gatherReads } from './platform/postgres/gathered-reads.ts';
import { hangBell } from './platform/work/bell.ts';
import type { Work } from './platform/work/due-work.ts';
import { type WaitingLineLimits, waitingLine, waitingLines } from './platform/work/waiting-line.ts';
import { billingCancelsWrite } from './recurrence/billings/billing-cancels.sql.ts';
import { billingRoutes } from './recurrence/billings/routes.ts';
import { planCalendarRoutes } from './recurrence/calendars/routes.ts';
import { enrolmentsWrite } from './recurrence/enrolments/enrolments.sql.ts';
import { planEndingRoutes } from './recurrence/plan-endings/routes.ts';
import { planEndingWork } from './recurrence/plan-endings/work.ts';
import { planEditsWrite, planMovesWrite, plansWrite } from './recurrence/plans/plan-changes.sql.ts';
import { planRoutes } from './recurrence/plans/routes.ts';
import { subscriptionChangesWrite } from './recurrence/subscriptions/changes.sql.ts';
import { subscriptionRoutes } from './recurrence/subscriptions/routes.ts';
import type { Ground } from './surroundings.ts';

/** Searches of one merchant, which may read very many rows. */
const SEARCH_LINE = { name: 'searches', atOnce: 2, waiting: 50, longestWaitMilliseconds: 5_000 };
/** Those of all merchants together: payments need the other connections to the database. */
const SEARCHES_LINE = { name: 'all searches', atOnce: 4, waiting: 200, longestWaitMilliseconds: 5_000 };

/** Requests that cancel a plan and see to the end of its subscriptions; whose turn does not come leaves it to the work behind it. */
const ENDING_LINE = { name: 'plan endings', atOnce: 1, waiting: 20, longestWaitMilliseconds: 5_000 };
const ENDINGS_LINE = { name: 'all plan endings', atOnce: 3, waiting: 100, longestWaitMilliseconds: 5_000 };

/** Plans, subscriptions and billings. */
export function openRecurrenceRooms({ metrics }: Ground, base: Base): { routes: Route[]; works: Work[] } {
  const { database, keyring, clock } = base;
  const gathered = gatheredFor(metrics);
  const shared = {
    database,
    keyring,
    clock,
    findRequest: gatherReads(requestsRead(database)),
    inLine: twoLines(SEARCH_LINE, SEARCHES_LINE),
  };
  const plans = {
    ...shared,
    bell: hangBell(),
    endInLine: twoLines(ENDING_LINE, ENDINGS_LINE),
    writePlan: gathered(plansWrite(database)),
    editPlan: gathered(planEditsWrite(database)),
    movePlan: gathered(planMovesWrite(database)),
  };
  const subscriptions = {
    ...shared,
    writeEnrolment: gathered(enrolmentsWrite(database)),
    writeChange: gathered(subscriptionChangesWrite(database)),
  };
  return {
    routes: [
      ...planRoutes(plans),
      ...planCalendarRoutes(plans),
      ...planEndingRoutes(plans),
      ...subscriptionRoutes(subscriptions),
      ...billingRoutes({ ...shared, writeCancel: gathered(billingCancelsWrite(database)) }),
    ],
    works: [planEndingWork(database, plans.bell)],
  };
}

/** Whoever comes waits for the merchant's turn, and then for one among all. */
function twoLines(ofEach: WaitingLineLimits, together: WaitingLineLimits) {
  const ofMerchant = waitingLines(ofEach);
  const ofAll = waitingLine(together);
  return <T>(merchantId: string, task: () => Promise<T>) => ofMerchant(merchantId, () => ofAll(task));
}
