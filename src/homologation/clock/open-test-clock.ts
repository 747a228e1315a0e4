import { listMovedClocks, VERSION_OF_CLOCKS } from '../../merchants/merchants.sql.ts';
import { type BusinessClock, businessClock } from '../../platform/business-clock.ts';
import { DatabaseTime } from '../../platform/database-time.ts';
import type { Database, Statement } from '../../platform/postgres/database.ts';

/** Every merchant's business time, as this process has it in memory. */
export type TestClock = BusinessClock & {
  /** While a merchant's clock jumps, other systems have less time to answer. */
  isJumping(merchantId: string): boolean;
  /** A clock that was just read or written: this process follows it at once. */
  note(merchantId: string, shiftMilliseconds: number): void;
  /** This process moves the clock, until the returned function is called. */
  noteJump(merchantId: string): () => void;
  /** Of the shifts; finds whether a reload brings anything. */
  readonly version: Statement;
  /** What the database's clock showed at some moment between the two (monotonic). */
  noteTime(shown: unknown, askedAt: number, answeredAt: number): void;
  /** Reads the database's clock. Throws the errors of the database. */
  followTime(): Promise<void>;
  /**
   * Reads the shifts of other processes, and the database's clock. Throws the errors of the
   * database; the last known times stay in use.
   */
  reload(): Promise<void>;
};

/**
 * Opens the clock with the stored shifts. A time that was once returned never goes back, whatever
 * is read in which order.
 */
export async function openTestClock(database: Database): Promise<TestClock> {
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
    noteTime: (shown, askedAt, answeredAt) => time.note(shown as number, askedAt, answeredAt),
    followTime,
    reload,
  };
}
