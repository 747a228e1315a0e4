import { listMovedClocks, VERSION_OF_CLOCKS } from '../../src/merchants/merchants.sql.ts';
import { type BusinessClock, businessClock } from '../../src/platform/business-clock.ts';
import type { NoteClock } from '../../src/platform/clock-watch.ts';
import { DatabaseTime } from '../../src/platform/database-time.ts';
import type { Database, Statement } from '../../src/platform/postgres/database.ts';

/** Business times of all merchants, in memory. */
export type TestClock = BusinessClock & {
  /** While a merchant's clock jumps, other systems have less time to answer. */
  isJumping(merchantId: string): boolean;
  /** Follows a clock that was just read or written. */
  note(merchantId: string, shiftMilliseconds: number): void;
  /** Marks a jump by this process until the returned function is called. */
  noteJump(merchantId: string): () => void;
  /** Changes with the shifts, so that a reload is worth it. */
  readonly version: Statement;
  /** `shown` was the database's time between the two monotonic times. */
  noteTime(shown: unknown, askedAt: number, answeredAt: number): void;
  /** Throws database errors. */
  followTime(): Promise<void>;
  /** Reads other processes' shifts and the time. Throws database errors; the last times stay in use. */
  reload(): Promise<void>;
};

/** A returned time never goes back, whatever is read in which order. */
export async function openTestClock(database: Database, noteClock: NoteClock = () => {}): Promise<TestClock> {
  const time = new DatabaseTime();
  const shifts = new Map<string, number>();
  const ownJumps = new Set<string>();
  let jumps: ReadonlySet<string> = new Set();

  function note(merchantId: string, shiftMilliseconds: number): void {
    if (shiftMilliseconds > (shifts.get(merchantId) ?? 0)) shifts.set(merchantId, shiftMilliseconds);
  }

  const followTime = () => time.follow(database);

  async function reload(): Promise<void> {
    await followTime();
    const clocks = await listMovedClocks(database);
    for (const [merchantId, { shiftMilliseconds }] of clocks) note(merchantId, shiftMilliseconds);
    jumps = new Set([...clocks].filter(([, clock]) => clock.isJumping).map(([merchantId]) => merchantId));
  }

  await reload();
  return {
    ...businessClock(time, shifts),
    isJumping: (merchantId) => ownJumps.has(merchantId) || jumps.has(merchantId),
    note,
    noteJump(merchantId) {
      ownJumps.add(merchantId);
      return () => ownJumps.delete(merchantId);
    },
    version: VERSION_OF_CLOCKS,
    noteTime(shown, askedAt, answeredAt) {
      time.note(shown as number, askedAt, answeredAt);
      noteClock(shown as number, askedAt, answeredAt);
    },
    followTime,
    reload,
  };
}
