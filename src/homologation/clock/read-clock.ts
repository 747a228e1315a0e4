import type { Database } from '../../platform/postgres/database.ts';
import { type ClockReading, NOTHING_RAN } from './jump.ts';
import { findClock, type StoredClock } from './jumps.sql.ts';
import type { TestClock } from './open-test-clock.ts';

export type ReadTools = { readonly database: Database; readonly testClock: TestClock };

/**
 * A merchant's clock, and the number of its jump: 0 when it was never moved. Read anew: another
 * process may move it.
 */
export async function readClock(
  { database, testClock }: ReadTools,
  merchantId: string,
): Promise<ClockReading & Pick<StoredClock, 'jumpNumber'>> {
  const stored = await findClock(database, merchantId);
  if (stored !== null) testClock.note(merchantId, stored.shiftMilliseconds);
  return {
    now: testClock.now(merchantId),
    target: stored?.target ?? null,
    ran: stored?.ran ?? NOTHING_RAN,
    jumpNumber: stored?.jumpNumber ?? 0,
  };
}
