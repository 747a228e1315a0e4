import type { Database } from '../../platform/postgres/database.ts';
import type { ClockedWork } from '../../platform/work/clocked-work.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import {
  areManyChargesDue,
  EXPIRIES_DUE,
  earliestExpiry,
  expirePreauthorizations,
  findMerchantsAhead,
} from './expiries.sql.ts';

const EXPIRY_MILLISECONDS = 5_000;
const BATCH = 100;
/**
 * While more unresolved charges than that are due, nothing is let go: the void of what was lost, whose
 * buyer may be paying again, comes before the void of what only waited too long.
 */
const MOST_DUE_CHARGES = 300;
/** Of one step of a clock. */
const MOST_BATCHES = 100;

type ExpiryTools = {
  readonly database: Database;
  /** Wakes the resolving of charges, which voids what was let go. */
  readonly wakeSignal: WakeSignal;
  readonly observeExpired: (count: number) => void;
};

/** What was not captured in time is let go, and voided as any charge that must not stay. */
export function expiringWork(tools: ExpiryTools): Work {
  const expire = (signal: AbortSignal) => expireSome(tools, signal);
  return everySoOften('expirePreauthorizations', EXPIRY_MILLISECONDS, expire, { piece: EXPIRIES_DUE });
}

/** One batch, of all merchants together. */
export async function expireSome(tools: ExpiryTools, signal: AbortSignal): Promise<void> {
  const { database } = tools;
  if (await areManyChargesDue(database, MOST_DUE_CHARGES)) return;
  let left = BATCH - (await expireBatch(tools, null, BATCH));
  for (const merchantId of await findMerchantsAhead(database, BATCH)) {
    if (left === 0 || signal.aborted) return;
    left -= await expireBatch(tools, merchantId, left);
  }
}

/** The same in a jump of a merchant's clock. */
export function expiringByClock(tools: ExpiryTools): ClockedWork {
  return {
    name: 'preauthorizations',
    earliestDue: (merchantId, until) => earliestExpiry(tools.database, merchantId, until),
    runDue: (merchantId, signal) => expireAll(tools, merchantId, signal),
  };
}

async function expireAll(tools: ExpiryTools, merchantId: string, signal: AbortSignal): Promise<number> {
  let expired = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const count = await expireBatch(tools, merchantId, BATCH);
    expired += count;
    if (count < BATCH) break;
  }
  return expired;
}

async function expireBatch(
  { database, wakeSignal, observeExpired }: ExpiryTools,
  merchantId: string | null,
  limit: number,
): Promise<number> {
  const count = await expirePreauthorizations(database, merchantId, limit);
  if (count > 0) wakeSignal.notify();
  observeExpired(count);
  return count;
}
