import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/postgres/database.ts';
import { Stopped } from './list-charges.ts';
import {
  isWalked,
  keepWalking,
  leaveRun,
  WALK_LEASE_MILLISECONDS,
  type WalkedRun,
} from './restore-runs.sql.ts';

/** `restore accept` and other walks wait for its end. */
export type HeldWalk = {
  readonly run: WalkedRun;
  /** Throws `Stopped` if the lease may have run out. Call it before each action. */
  readonly mustBeHeld: () => void;
};

const KEEP_EVERY_MILLISECONDS = WALK_LEASE_MILLISECONDS / 4;
const LOOK_EVERY_MILLISECONDS = 500;
const TAKEN_MEANWHILE =
  'another restore reconcile came to its end meanwhile, or this database was accepted: see restore show';

/** Waits for the lease of a killed walk to run out. */
export async function claimWalk<T>(
  database: Database,
  take: () => Promise<WalkedRun | null>,
  work: (held: HeldWalk) => Promise<T>,
): Promise<T> {
  let takenAt = performance.now();
  const endsAt = takenAt + WALK_LEASE_MILLISECONDS + KEEP_EVERY_MILLISECONDS;
  let run = await take();
  while (run === null) {
    if (!(await isWalked(database))) throw new Stopped(TAKEN_MEANWHILE);
    if (performance.now() > endsAt) throw new Stopped('another restore reconcile goes on with it');
    await pause(LOOK_EVERY_MILLISECONDS);
    takenAt = performance.now();
    run = await take();
  }
  return keepAndWork(database, run, { takenAt, work });
}

async function keepAndWork<T>(
  database: Database,
  run: WalkedRun,
  { takenAt, work }: { readonly takenAt: number; readonly work: (held: HeldWalk) => Promise<T> },
): Promise<T> {
  let heldUntil = takenAt + WALK_LEASE_MILLISECONDS;
  const keep = async () => {
    const askedAt = performance.now();
    if (await keepWalking(database, run)) heldUntil = askedAt + WALK_LEASE_MILLISECONDS;
  };
  // While the database is unreachable the lease runs out.
  const timer = setInterval(() => void keep().catch(() => {}), KEEP_EVERY_MILLISECONDS);
  try {
    return await work({
      run,
      mustBeHeld() {
        if (performance.now() >= heldUntil) throw new Stopped('another restore reconcile may go on with it');
      },
    });
  } finally {
    clearInterval(timer);
    await leaveRun(database, run).catch(() => {});
  }
}
