import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../src/platform/postgres/database.ts';
import type { ClockedKind, ClockedWork } from '../../src/platform/work/due-work.ts';
import { type Instant, utcText } from '../../src/values/instant.ts';
import { addRan, type Due, nextInstant, overdueOf, type Ran } from './jump.ts';
import { endJump, type HeldJump, moveHeldClock, releaseJump, renewJump } from './jumps.sql.ts';
import type { TestClock } from './open-test-clock.ts';

export type MoveTools = {
  readonly database: Database;
  readonly testClock: TestClock;
  /** In their order at one instant. */
  readonly works: readonly ClockedWork[];
  /** How long due work of another process holds the clock, in milliseconds. */
  readonly patienceMilliseconds: number;
  /** Called for work that the clock passed without running it. */
  readonly warn: (merchantId: string, kind: ClockedKind, dueAt: string) => void;
  /** Called for a jump with too many instants; the rest is passed at once. */
  readonly warnOfManySteps: (merchantId: string) => void;
};

/** Real time: how long a killed process holds the jump. */
export const JUMP_LEASE_MILLISECONDS = 10_000;
const RENEW_MILLISECONDS = 2_000;
/** Something due every ten minutes of two years needs fewer. */
const MOST_STEPS = 110_000;
/** Rounds at one instant: ten million rows in batches of a hundred. */
const MOST_ROUNDS = 100_000;
const FIRST_PAUSE_MILLISECONDS = 5;
const LONGEST_PAUSE_MILLISECONDS = 250;

type Going = {
  readonly jump: HeldJump;
  readonly givenUp: Map<ClockedKind, Instant>;
  ran: Ran;
  steps: number;
};

/**
 * Moves a held clock to its target, from one due instant to the next, and runs at each what is due. Moves the
 * clock in the database first, where claims read it. An abort, or another process that has taken over, stops
 * it between two runs. Throws errors of the work; the jump continues after its lease.
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
      const dues = await runOverdue(tools, going, signal);
      if (signal.aborted) break;
      if (testClock.now(merchantId) >= jump.target) return void (await endJump(database, jump, going));
      if (!(await step(tools, going, dues))) return;
    }
    if (!hold.lost.aborted) await releaseJump(database, jump, going.ran);
  } finally {
    await hold.end();
    forget();
  }
}

/** False when another process has taken over. */
async function step(
  { database, testClock, warnOfManySteps }: MoveTools,
  going: Going,
  dues: readonly Due[],
): Promise<boolean> {
  const { jump } = going;
  const { merchantId, target } = jump;
  if (going.steps === MOST_STEPS) warnOfManySteps(merchantId);
  const next = nextInstant(going.steps < MOST_STEPS ? dues : [], testClock.now(merchantId), target);
  going.steps += 1;
  const shift = await moveHeldClock(database, jump, next, going, JUMP_LEASE_MILLISECONDS);
  if (shift === null) return false;
  testClock.note(merchantId, shift);
  // This process's copy of the database's clock may be a little late: this brings it past the instant.
  if (testClock.now(merchantId) < next) await testClock.followTime();
  return true;
}

/**
 * Runs until nothing is due, and gives what falls due later. Waits for other processes' work; after the
 * patience warns and continues.
 */
async function runOverdue(tools: MoveTools, going: Going, signal: AbortSignal): Promise<readonly Due[]> {
  const { testClock, works, patienceMilliseconds, warn } = tools;
  const { jump, givenUp } = going;
  const { merchantId, target } = jump;
  let waitsUntil = performance.now() + patienceMilliseconds;
  let pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
  for (let round = 0; !signal.aborted; round += 1) {
    const hasRun = await runAll(works, going, signal);
    if (hasRun) {
      waitsUntil = performance.now() + patienceMilliseconds;
      pauseMilliseconds = FIRST_PAUSE_MILLISECONDS;
    }
    const dues = await duesOf(works, merchantId, target);
    const overdue = overdueOf(dues, testClock.now(merchantId), givenUp);
    // More due work may be hidden behind work that was given up.
    if (overdue.length === 0 && !(hasRun && givenUp.size > 0)) return dues;
    if (hasRun && round < MOST_ROUNDS) continue;
    if (round >= MOST_ROUNDS || performance.now() > waitsUntil) {
      for (const { kind, at } of overdue) {
        givenUp.set(kind, at);
        warn(merchantId, kind, utcText(at));
      }
      return dues;
    }
    await pause(pauseMilliseconds);
    pauseMilliseconds = Math.min(2 * pauseMilliseconds, LONGEST_PAUSE_MILLISECONDS);
  }
  return [];
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
  /** Aborted when another process has the jump, or may have it after a long absence of the database. */
  readonly lost: AbortSignal;
  /** Resolves when nothing more is sent. */
  end(): Promise<void>;
};

/** Keeps lease and counts while the clock stands at one instant. */
function keepLease({ database }: MoveTools, going: Going): Hold {
  const lost = new AbortController();
  const ending = new AbortController();
  async function renew(): Promise<void> {
    let endsAt = performance.now() + JUMP_LEASE_MILLISECONDS;
    while (!ending.signal.aborted && !lost.signal.aborted) {
      await pause(RENEW_MILLISECONDS, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      const askedAt = performance.now();
      // While the database is away the rest of the lease counts: others need the database too.
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
