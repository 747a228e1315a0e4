import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { type EndpointPlace, forgetStep, giveUpStep, nextMerchant } from './retention.sql.ts';

/** Rows of one statement. Of a hundred tries each at most. */
const BATCH = 1_000;
const ENDPOINTS_AT_ONCE = 500;
/** Between two statements that changed rows, so that vacuum keeps up: ten thousand rows a second at most. */
const BREATH_MILLISECONDS = 100;
/** Steps of one run that found nothing: a merchant with nothing to forget costs one of them. */
const STEPS_OF_RUN = 100;
/** Between two walks over everything: what is kept is kept for days. */
const PAUSE_MILLISECONDS = 600_000;
/** What waits for so long at a target that takes nothing is given up. */
const DAYS_OF_WAITING = 30;

const START: EndpointPlace = { merchantId: '', endpoint: '' };

/** Walks over something in steps: does one, and gives how many rows it changed, or null at the end. */
type Walk = () => Promise<number | null>;

function walkingWork(name: string, step: Walk): Work {
  let nextAt = 0;
  const restFor = (milliseconds: number) => {
    nextAt = performance.now() + milliseconds;
    return 0;
  };
  return {
    name,
    wakeSignal: createWakeSignal(),
    async runDue(signal) {
      if (performance.now() < nextAt) return 0;
      for (let steps = 0; steps < STEPS_OF_RUN && !signal.aborted; steps += 1) {
        const changed = await step();
        if (changed === null) return restFor(PAUSE_MILLISECONDS);
        if (changed > 0) return restFor(BREATH_MILLISECONDS);
      }
      return restFor(BREATH_MILLISECONDS);
    },
    millisecondsUntilDue: async () => Math.max(0, nextAt - performance.now()),
  };
}

/** Forgets deliveries that ended more than `retentionDays` ago, merchant by merchant, in the order of their numbers. */
export function forgetOldDeliveries(database: Database, retentionDays: number): Work {
  let merchantId = '';
  let behind: number | null = null;
  return walkingWork('forgetOldDeliveries', async () => {
    if (behind === null) {
      const next = await nextMerchant(database, merchantId);
      merchantId = next ?? '';
      if (next === null) return null;
    }
    const step = await forgetStep(database, merchantId, behind ?? 0, BATCH, retentionDays);
    behind = step.next;
    return step.forgotten;
  });
}

/** Gives up what has waited for thirty days at targets that are held or were removed. */
export function giveUpStaleDeliveries(database: Database): Work {
  let behind: EndpointPlace = START;
  const limits = { endpoints: ENDPOINTS_AT_ONCE, limit: BATCH, days: DAYS_OF_WAITING };
  return walkingWork('giveUpStaleDeliveries', async () => {
    const { givenUp, next } = await giveUpStep(database, behind, limits);
    behind = next ?? START;
    if (next === null && givenUp === 0) return null;
    return givenUp;
  });
}
