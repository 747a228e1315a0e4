import type { counter, Metrics } from '../metrics.ts';
import type { Database, Statement } from '../postgres/database.ts';
import type { PersonalData } from '../postgres/personal-rows.ts';
import type { Work } from './due-work.ts';
import type { Look } from './looks.sql.ts';
import { createWakeSignal } from './wake-signal.ts';

/** For work that only reads: it also runs while all other work is held. */
export function alsoWhileHeld(work: Work): Work {
  return { ...work, runsWhileHeld: true };
}

/**
 * Work without rows: due `milliseconds` after its end or failure. With a look, it also waits until that finds
 * something.
 */
export function everySoOften(
  name: string,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<void>,
  look?: Look,
): Work {
  let nextAt = 0;
  const left = () => Math.max(0, nextAt - performance.now());
  return {
    name,
    wakeSignal: createWakeSignal(),
    ...(look === undefined ? {} : { look }),
    async runDue(signal) {
      if (left() > 0) return 0;
      try {
        await run(signal);
      } finally {
        nextAt = performance.now() + milliseconds;
      }
      return 1;
    },
    millisecondsUntilDue(found) {
      if (look === undefined) return left();
      return typeof found === 'number' ? Math.max(found, left()) : null;
    },
  };
}

/** Calls `reload` when the result of `version` changes, and once after the start. */
export function following(name: string, version: Statement, reload: () => Promise<void>): Work {
  let newest: unknown;
  let followed: unknown;
  return {
    name,
    wakeSignal: createWakeSignal(),
    look: {
      piece: version,
      observe(found) {
        newest = found;
      },
    },
    async runDue() {
      if (newest === followed) return 0;
      const seen = newest;
      await reload();
      followed = seen;
      return 1;
    },
    millisecondsUntilDue: () => (newest === followed ? null : 0),
  };
}

/** Passes on what a look finds; nothing falls due. */
export function noting(name: string, piece: Statement, note: NonNullable<Look['observe']>): Work {
  return {
    name,
    wakeSignal: createWakeSignal(),
    look: { piece, observe: note },
    runDue: async () => 0,
    millisecondsUntilDue: () => null,
  };
}

/**
 * A count is as good as new for this many times its duration: however often metrics are read, counts take at
 * most a twentieth of one connection's time.
 */
const COUNT_REST_FACTOR = 20;
const SHORTEST_COUNT_PAUSE_MILLISECONDS = 1_000;

/**
 * Counts for metrics at the start, and when metrics are read while the last count is old: their reader then
 * waits for the new count. A count is old after `milliseconds`, and sooner if it took little time.
 */
export function countingWhenRead(
  name: string,
  milliseconds: number,
  metrics: Pick<Metrics, 'beforeRead'>,
  count: () => Promise<void>,
): Work {
  const wakeSignal = createWakeSignal();
  const ended = createWakeSignal();
  let isRunHere = false;
  let isWanted = true;
  let oldAt = 0;
  metrics.beforeRead(async () => {
    if (!isRunHere || performance.now() < oldAt) return;
    isWanted = true;
    wakeSignal.notify();
    await new Promise<void>((resolve) => ended.onceNotified(resolve));
  });
  return {
    name,
    wakeSignal,
    runsWhileHeld: true,
    async runDue() {
      isRunHere = true;
      if (!isWanted) return 0;
      isWanted = false;
      const begunAt = performance.now();
      try {
        await count();
      } finally {
        const endedAt = performance.now();
        const rest = Math.max(SHORTEST_COUNT_PAUSE_MILLISECONDS, (endedAt - begunAt) * COUNT_REST_FACTOR);
        oldAt = endedAt + Math.min(milliseconds, rest);
        ended.notify();
      }
      return 1;
    },
    millisecondsUntilDue: () => null,
    async finish() {
      isRunHere = false;
      ended.notify();
    },
  };
}

const BATCH = 1_000;
/** The pause between two batches, for vacuum and payments: ten thousand rows a second. */
const BREATH_MILLISECONDS = 100;
/**
 * The most steps of one run that change nothing: work over all merchants takes a step for each, even if that
 * one has nothing to forget.
 */
const STEPS_OF_RUN = 100;
/** The pause once nothing is left. */
const PAUSE_MILLISECONDS = 30_000;

/** Removes up to `limit` expired rows; gives how many. Fewer than `limit`: nothing is left. */
export type ForgetBatch = (limit: number) => Promise<number>;

/** Removes expired rows in batches, then again every half minute. A stop waits for one batch at most. */
export function forgetInBatches(name: string, ...batches: readonly ForgetBatch[]): Work {
  return forgetInSteps(
    name,
    async (limit) => {
      let removed = 0;
      let isAnyLeft = false;
      for (const remove of batches) {
        const count = await remove(limit);
        removed += count;
        isAnyLeft ||= count >= limit;
      }
      return isAnyLeft ? removed : null;
    },
    PAUSE_MILLISECONDS,
  );
}

/**
 * Removes personal data older than the configured days of real time; a jump of the test clock removes
 * nothing. With 0 days it is kept for ever.
 */
export function forgetPersonalData(
  name: string,
  { eraseOld }: Pick<PersonalData<string>, 'eraseOld'>,
  { configuration, database, metrics }: RetentionContext,
  erased: ReturnType<typeof counter>,
): Work[] {
  const count = metrics.counter(erased);
  const days = configuration.customerRetentionDays;
  if (days === 0) return [];
  const eraseBatch = async (limit: number) => {
    const erasedNow = await eraseOld(database, limit, days);
    count.inc({}, erasedNow);
    return erasedNow;
  };
  return [forgetInBatches(name, eraseBatch)];
}

type RetentionContext = {
  readonly configuration: { readonly customerRetentionDays: number };
  readonly database: Database;
  readonly metrics: Pick<Metrics, 'counter'>;
};

/**
 * For work that goes over many things in steps: a step changes up to `limit` rows and gives how many, or null
 * at the end.
 */
export function forgetInSteps(
  name: string,
  step: (limit: number) => Promise<number | null>,
  pauseMilliseconds: number,
): Work {
  let nextAt = 0;
  return {
    name,
    wakeSignal: createWakeSignal(),
    async runDue(signal) {
      if (performance.now() < nextAt) return 0;
      let changed: number | null = 0;
      for (let steps = 0; changed === 0 && steps < STEPS_OF_RUN && !signal.aborted; steps += 1)
        changed = await step(BATCH);
      nextAt = performance.now() + (changed === null ? pauseMilliseconds : BREATH_MILLISECONDS);
      return 0;
    },
    millisecondsUntilDue: () => Math.max(0, nextAt - performance.now()),
  };
}
