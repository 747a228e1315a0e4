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

const BATCH = 250;
/** The pause after a lock or a database failure. */
const RETRY_SECONDS = 1;

/**
 * Cancels a canceled plan's subscriptions that were active, blocked or pending when asked, batch by batch
 * while `goOn` allows. Returns whether all are canceled; leaves the rest, also after an error, to the
 * background work.
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
    // If this fails too, the background work goes on when the lease ends.
    await handBackPlanCancellation(database, ending, RETRY_SECONDS).catch(() => {});
    throw error;
  }
}

export type EndingTools = {
  readonly database: Database;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  /** These requests take turns: each holds a connection as long as it lasts. */
  readonly endInLine: <T>(merchantId: string, task: () => Promise<T>) => Promise<T>;
};

/**
 * Ends the subscriptions of a canceled plan within its request. True: none is left to end. Errors here do not
 * concern the request, whose cancel is done: the background work meets and logs them. Nothing of the plan is
 * charged meanwhile (`collection/charge-intents.sql`).
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
