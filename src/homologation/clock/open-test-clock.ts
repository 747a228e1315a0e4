import { listMovedClocks } from '../../merchants/merchant-clocks.sql.ts';
import { type BusinessClock, businessClock } from '../../platform/business-clock.ts';
import { DatabaseTime } from '../../platform/database-time.ts';
import type { Database } from '../../platform/postgres/database.ts';

/** Every merchant's business time, as this process has it in memory. */
export type TestClock = BusinessClock & {
  /** While a merchant's clock jumps, nobody is waited for as long as usual. */
  isJumping(merchantId: string): boolean;
  /** What was just read or written of one clock: this process goes by it at once. */
  note(merchantId: string, shiftMilliseconds: number): void;
  /** This process takes the clock along, until what it gives is called. */
  noteJump(merchantId: string): () => void;
  /** Reads the database's clock. Throws the errors of the database. */
  followTime(): Promise<void>;
  /** Reads what other processes have moved, and the database's clock. Throws the errors of the database; the last known times hold. */
  reload(): Promise<void>;
};

/** Opens the clock with what is stored. A time that was once told never goes back, whatever is read in which order. */
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
    followTime,
    reload,
  };
}
