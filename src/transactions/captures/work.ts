import type { Database } from '../../platform/postgres/database.ts';
import type { ClockedWork } from '../../platform/work/clocked-work.ts';
import type { Work } from '../../platform/work/due-work.ts';
import { everySoOften } from '../../platform/work/every-so-often.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { earliestExpiry, expirePreauthorizations, findMerchantsAhead } from './expiries.sql.ts';
import { type ResolveCapturesTools, resolveUnresolvedCaptures } from './resolve-unresolved-captures.ts';

const EXPIRY_MILLISECONDS = 5_000;
const BATCH = 100;
/** Of one round: what is left waits for the next. */
const MOST_BATCHES = 100;

export function capturingWork(tools: ResolveCapturesTools, wakeSignal: WakeSignal): Work {
  return resolveUnresolvedCaptures(tools, wakeSignal);
}

type ExpiryTools = {
  readonly database: Database;
  /** Wakes the resolving of charges, which voids what was let go. */
  readonly wakeSignal: WakeSignal;
  readonly observeExpired: (count: number) => void;
};

/** What was not captured in time is let go, and voided as any charge that must not stay. */
export function expiringWork(tools: ExpiryTools): Work {
  return everySoOften('expirePreauthorizations', EXPIRY_MILLISECONDS, async (signal) => {
    await expireAll(tools, null, signal);
    for (const merchantId of await findMerchantsAhead(tools.database, BATCH))
      await expireAll(tools, merchantId, signal);
  });
}

/** The same in a jump of a merchant's clock. */
export function expiringByClock(tools: ExpiryTools): ClockedWork {
  return {
    name: 'preauthorizations',
    earliestDue: (merchantId, until) => earliestExpiry(tools.database, merchantId, until),
    runDue: (merchantId, signal) => expireAll(tools, merchantId, signal),
  };
}

async function expireAll(
  { database, wakeSignal, observeExpired }: ExpiryTools,
  merchantId: string | null,
  signal: AbortSignal,
): Promise<number> {
  let expired = 0;
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
    const count = await expirePreauthorizations(database, merchantId, BATCH);
    expired += count;
    if (count > 0) wakeSignal.notify();
    if (count < BATCH) break;
  }
  observeExpired(expired);
  return expired;
}
