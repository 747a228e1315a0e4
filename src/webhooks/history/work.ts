import type { Database } from '../../platform/postgres/database.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { forgetInSteps } from '../../platform/work/forgetting.ts';
import { type EndpointPlace, forgetStep, giveUpStep, nextMerchant } from './retention.sql.ts';

const ENDPOINTS_AT_ONCE = 500;
/** Between two walks over everything: what is kept is kept for days. */
const PAUSE_MILLISECONDS = 600_000;
/** What waits for so long at a target that takes nothing is given up. */
const DAYS_OF_WAITING = 30;

const START: EndpointPlace = { merchantId: '', endpoint: '' };

/**
 * Forgets deliveries that ended more than `retentionDays` ago, merchant by merchant, in the order
 * of their numbers.
 */
export function forgetOldDeliveries(database: Database, retentionDays: number): Work {
  let merchantId = '';
  let behind: number | null = null;
  const step = async (limit: number) => {
    if (behind === null) {
      const found = await nextMerchant(database, merchantId);
      merchantId = found ?? '';
      if (found === null) return null;
    }
    const { forgotten, next } = await forgetStep(database, merchantId, behind ?? 0, limit, retentionDays);
    behind = next;
    return forgotten;
  };
  return forgetInSteps('forgetOldDeliveries', step, PAUSE_MILLISECONDS);
}

/** Gives up what has waited for thirty days at endpoints that are disabled or were removed. */
export function giveUpStaleDeliveries(database: Database): Work {
  let behind: EndpointPlace = START;
  const limits = { endpoints: ENDPOINTS_AT_ONCE, days: DAYS_OF_WAITING };
  const step = async (limit: number) => {
    const { givenUp, next } = await giveUpStep(database, behind, { ...limits, limit });
    behind = next ?? START;
    if (next === null && givenUp === 0) return null;
    return givenUp;
  };
  return forgetInSteps('giveUpStaleDeliveries', step, PAUSE_MILLISECONDS);
}
