import type { Database } from '../../src/platform/postgres/database.ts';
import { type ClockReading, NOTHING_RAN } from './jump.ts';
import { findClock, type StoredClock } from './jumps.sql.ts';
import type { TestClock } from './open-test-clock.ts';

export type ReadTools = { readonly database: Database; readonly testClock: TestClock };

/** With its jump's number, 0 when never moved. From the database: another process may move it. */
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
