import type { Database } from '../../platform/postgres/database.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import {
  type EndingPlace,
  endBatch,
  FIRST_PLACE,
  findPlanCancellation,
  finishPlanCancellation,
  handBackPlanCancellation,
  type PlanCancellation,
} from './plan-cancellations.sql.ts';

/** Subscriptions of one commit, each with its opened billing. */
const BATCH = 250;
/** What could not be ended now (it is locked, or the database is away) is tried again so soon. */
const RETRY_SECONDS = 1;

/**
 * Cancels the subscriptions of a canceled plan that were active or blocked when that was asked for,
 * batch by batch, while `goOn` says so. Gives whether all of them are canceled; what is left, after
 * an error too, is handed back to the work.
 */
export async function endWithPlan(
  { database, deliverer }: Pick<EndingTools, 'database' | 'deliverer'>,
  ending: PlanCancellation,
  goOn: () => boolean,
): Promise<boolean> {
  let place: EndingPlace | null = FIRST_PLACE;
  let left = 0;
  try {
    while (place !== null && goOn()) {
      const batch = await endBatch(database, ending, place, BATCH);
      left += batch.left;
      if (batch.isNotified) deliverer.notify();
      place = batch.next;
    }
    const isDone = place === null && left === 0;
    if (isDone) await finishPlanCancellation(database, ending);
    else await handBackPlanCancellation(database, ending, left === 0 ? 0 : RETRY_SECONDS);
    return isDone;
  } catch (error) {
    // If even this fails, the lease runs out.
    await handBackPlanCancellation(database, ending, RETRY_SECONDS).catch(() => {});
    throw error;
  }
}

export type EndingTools = {
  readonly database: Database;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /**
   * Requests that end subscriptions take their turns: each keeps a connection busy for as long as
   * it lasts.
   */
  readonly endInLine: <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;
};

/**
 * The same for a plan by its id; true also when nothing is asked for any more. An error here, a
 * lock that is not had included, is none of the request that canceled the plan, which is done: the
 * work that goes on meets the error too, and logs it. Nothing of the plan is charged meanwhile
 * (`collection/charge-intents.sql`).
 */
export async function cancelWithPlan(
  { database, deliverer, endInLine }: EndingTools,
  plan: Pick<PlanCancellation, 'merchantId' | 'planId'>,
  goOn: () => boolean,
): Promise<boolean> {
  let ending: PlanCancellation | null = null;
  try {
    ending = await findPlanCancellation(database, plan);
    const asked = ending;
    const end = (wanted: PlanCancellation) => endWithPlan({ database, deliverer }, wanted, goOn);
    return asked === null || (await endInLine(plan.merchantId, () => end(asked)));
  } catch {
    if (ending !== null) await handBackPlanCancellation(database, ending, RETRY_SECONDS).catch(() => {});
    return false;
  }
}
