import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../platform/postgres/database.ts';
import type { ClockedKind, ClockedWork } from '../../platform/work/due-work.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { addRan, type Due, nextInstant, overdueOf, type Ran } from './jump.ts';
import { endJump, type HeldJump, moveHeldClock, releaseJump, renewJump } from './jumps.sql.ts';
import type { TestClock } from './open-test-clock.ts';

export type MoveTools = {
  readonly database: Database;
  readonly testClock: TestClock;
  /** In the order in which they run at one instant. */
  readonly works: readonly ClockedWork[];
  /**
   * How long something that is due and cannot be run (another process holds it) keeps the clock, in
   * milliseconds.
   */
  readonly patienceMilliseconds: number;
  /** Called for what the clock went past without having run it. */
  readonly warn: (merchantId: string, kind: ClockedKind, dueAt: string) => void;
  /** Called for a jump that had too many instants: the rest of them was passed at once. */
  readonly warnOfManySteps: (merchantId: string) => void;
};

/** Real time. A process that was killed holds the jump for so long. */
export const JUMP_LEASE_MILLISECONDS = 10_000;
const RENEW_MILLISECONDS = 2_000;
/** Something due every ten minutes of two years is less than this. */
const MOST_STEPS = 110_000;
/** Rounds at one instant: enough for ten million rows in batches of a hundred. */
const MOST_ROUNDS = 100_000;
const FIRST_PAUSE_MILLISECONDS = 5;
const LONGEST_PAUSE_MILLISECONDS = 250;

/** A jump as it goes on in this process. */
type Going = {
  readonly jump: HeldJump;
  readonly givenUp: Map<ClockedKind, Instant>;
  ran: Ran;
  steps: number;
};

/**
 * Moves a held clock to its target: from one due instant to the next, and at each until nothing of
 * the merchant is due. The clock is moved in the database first, since claims of due work read it
 * there. When the signal is aborted the jump stops between two runs, for another process or the
 * next start; so it does, silently, when another process has taken it over. Throws what a work
 * throws: the jump goes on after its lease.
 */
export async function moveClock(tools: MoveTools, jump: HeldJump, stopping: AbortSignal): Promise<void> {
  const { database, testClock } = tools;
  const { merchantId } = jump;
  const going: Going = { jump, givenUp: new Map(), ran: jump.ran, steps: jump.steps };
  testClock.note(merchantId, jump.shiftMilliseconds);
  const forget = testClock.noteJump(merchantId);
  const hold = keepLease(tools, going);
  const signal = AbortSignal.any([stopping, hold.lost]);
  try {
    while (!signal.aborted) {
      await runOverdue(tools, going, signal);
      if (signal.aborted) break;
      if (testClock.now(merchantId) >= jump.target) return void (await endJump(database, jump, going));
      if (!(await step(tools, going))) return;
    }
    if (!hold.lost.aborted) await releaseJump(database, jump, going.ran);
  } finally {
    await hold.end();
    forget();
  }
}

/** Moves the clock to the next due instant; false when another process has taken the jump over. */
async function step(
  { database, testClock, works, warnOfManySteps }: MoveTools,
  going: Going,
): Promise<boolean> {
  const { jump } = going;
  const { merchantId, target } = jump;
  const dues = going.steps < MOST_STEPS ? await duesOf(works, merchantId, target) : [];
  if (going.steps === MOST_STEPS) warnOfManySteps(merchantId);
  const next = nextInstant(dues, testClock.now(merchantId), target);
  going.steps += 1;
  const shift = await moveHeldClock(database, jump, next, going, JUMP_LEASE_MILLISECONDS);
  if (shift === null) return false;
  testClock.note(merchantId, shift);
  // What is known here of the database's clock may be a little old: after this it is past the
  // instant as well.
  if (testClock.now(merchantId) < next) await testClock.followTime();
  return true;
}

/**
 * Runs what is due until nothing is. What another process holds is awaited; after a while the clock
 * goes on without it, reports so, and does not wait for the same instant again.
 */
async function runOverdue(tools: MoveTools, going: Going, signal: AbortSignal): Promise<void> {
  const { testClock, works, patienceMilliseconds, warn } = tools;
  const { jump, givenUp } = going;
  const { merchantId, target } = jump;
  let waitsUntil = performance.now() + patienceMilliseconds;
  let pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
  for (let round = 0; !signal.aborted; round += 1) {
    // Read first: behind what is stuck there may be due work that is not visible.
    if (await runAll(works, going, signal)) {
      waitsUntil = performance.now() + patienceMilliseconds;
      pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
      if (round < MOST_ROUNDS) continue;
    }
    const dues = await duesOf(works, merchantId, target);
    const overdue = overdueOf(dues, testClock.now(merchantId), givenUp);
    if (overdue.length === 0) return;
    if (round >= MOST_ROUNDS || performance.now() > waitsUntil) {
      for (const { kind, at } of overdue) {
        givenUp.set(kind, at);
        warn(merchantId, kind, utcText(at));
      }
      return;
    }
    await pause(pauseMilliseconds);
    pauseMilliseconds = Math.min(2 * pauseMilliseconds, LONGEST_PAUSE_MILLISECONDS);
  }
}

async function runAll(works: readonly ClockedWork[], going: Going, signal: AbortSignal): Promise<boolean> {
  let hasRun = false;
  for (const work of works) {
    if (signal.aborted) break;
    const count = await work.runDue(going.jump.merchantId, signal);
    going.ran = addRan(going.ran, work.name, count);
    hasRun ||= count > 0;
  }
  return hasRun;
}

async function duesOf(works: readonly ClockedWork[], merchantId: string, target: Instant): Promise<Due[]> {
  const dues: Due[] = [];
  for (const work of works) {
    const at = await work.earliestDue(merchantId, target);
    if (at !== null && at <= target) dues.push({ kind: work.name, at });
  }
  return dues;
}

type Hold = {
  /**
   * Aborted when another process has the jump, or may have it because the database was away for
   * longer than the lease.
   */
  readonly lost: AbortSignal;
  /** Resolves when nothing more is sent. */
  end(): Promise<void>;
};

/**
 * Keeps the lease while the clock stands at one instant for long, and the count of what was run.
 */
function keepLease({ database }: MoveTools, going: Going): Hold {
  const lost = new AbortController();
  const ending = new AbortController();
  async function renew(): Promise<void> {
    let endsAt = performance.now() + JUMP_LEASE_MILLISECONDS;
    while (!ending.signal.aborted && !lost.signal.aborted) {
      await pause(RENEW_MILLISECONDS, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      const askedAt = performance.now();
      // While the database is away the lease that is left counts: another process needs the
      // database too.
      const isOurs = await renewJump(database, going.jump, going.ran, JUMP_LEASE_MILLISECONDS).catch(
        () => null,
      );
      if (isOurs === true) endsAt = askedAt + JUMP_LEASE_MILLISECONDS;
      if (isOurs === false || performance.now() > endsAt) lost.abort();
    }
  }
  const renewing = renew();
  return {
    lost: lost.signal,
    async end() {
      ending.abort();
      await renewing;
    },
  };
}
