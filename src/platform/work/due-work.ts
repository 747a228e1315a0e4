import type { Instant } from '../../values/instant.ts';
import { ALWAYS_OPEN, type Gate } from '../gate.ts';
import type { AskLooks, Look } from './looks.sql.ts';
import { Looks } from './looks.ts';
import { untilNotified, type WakeSignal } from './wake-signal.ts';

/** Work that falls due, kept in a module's own table. */
export type Work = {
  readonly name: string;
  readonly wakeSignal: WakeSignal;
  /**
   * Claims (skip locked, leased, fenced) up to its own batch of due rows, works them off and gives
   * how many it claimed.
   * Must not throw for one bad row. Stops early when `signal` is aborted; a row left behind comes
   * again after its lease.
   * May leave rows under way when it has a `finish`.
   */
  runDue(signal: AbortSignal): Promise<number>;
  /** Finds what other processes left behind, and what fell due. Absent: it is due by its own time alone. */
  readonly look?: Look;
  /**
   * Milliseconds until something falls due (0: now), or null when nothing waits, by what this process knows
   * and `found`: by its look, begun since it ran last; undefined: there was none yet. Asks nobody. Absent:
   * its look gives it.
   */
  millisecondsUntilDue?(found: unknown): number | null;
  /** It only reads, and sends nothing: goes on while the gate is shut. */
  readonly runsWhileHeld?: true;
  /** Called once, after the last run: waits for what is still under way. */
  finish?(): Promise<void>;
};

/** Between two runs, also where there is more to do. */
const SHORTEST_PAUSE_MILLISECONDS = 5;
/** What is due and cannot be claimed, as a row that is locked elsewhere, is tried ever less often. */
const LONGEST_IDLE_PAUSE_MILLISECONDS = 1_000;
/** After an error (the database is away) the loop waits a little longer each time. */
const LONGEST_PAUSE_MILLISECONDS = 5_000;
/** A work whose look finds nothing runs all the same so often: a look that errs delays it, and no more. */
const LONGEST_SLEEP_MILLISECONDS = 60_000;
/** Timers bear no longer ones. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

export type RunningWork = { stop(): Promise<void> };

export type WorkOptions = {
  readonly gate?: Gate;
  /** Absent: no work has a look. */
  readonly ask?: AskLooks;
  /** Called where a work was due at once and had done nothing. */
  readonly onIdleTurn?: (name: string) => void;
};

type OnError = (name: string, error: unknown) => void;

/**
 * Runs each work in a loop of its own, while the gate is open, until `stop`, which waits for what
 * is under way. While nothing is due, one look a second asks for all of them.
 */
export function startWork(
  works: readonly Work[],
  onError: OnError,
  { gate = ALWAYS_OPEN, ask = async () => [], onIdleTurn = () => {} }: WorkOptions = {},
): RunningWork {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wanted = works.flatMap(({ look }) => look ?? []);
  const looks = new Looks(wanted, ask, (error) => onError('look', error));
  const shared = { signal, onError, gate, mayRun: whileOpen(gate, signal), looks, onIdleTurn };
  const loops = [looks.run(signal), ...works.map((work) => loop(work, shared))];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

type Shared = Required<Pick<WorkOptions, 'gate' | 'onIdleTurn'>> & {
  readonly signal: AbortSignal;
  readonly onError: OnError;
  readonly mayRun: () => AbortSignal;
  readonly looks: Looks;
};

async function loop(work: Work, shared: Shared): Promise<void> {
  const { signal, onError, gate, mayRun, looks, onIdleTurn } = shared;
  let failuresInRow = 0;
  let idleTurns = 0;
  let wasDueAtOnce = false;
  while (!signal.aborted) {
    const wakesBefore = work.wakeSignal.count();
    if (work.runsWhileHeld !== true && gate.reason() !== null) {
      await untilOpen(gate, signal);
      continue;
    }
    let pause = SHORTEST_PAUSE_MILLISECONDS;
    let isIdle = false;
    try {
      isIdle = (await work.runDue(work.runsWhileHeld === true ? signal : mayRun())) === 0;
      failuresInRow = 0;
    } catch (error) {
      onError(work.name, error);
      failuresInRow += 1;
      pause = Math.min(100 * 2 ** failuresInRow, LONGEST_PAUSE_MILLISECONDS);
    }
    const isIdleTurn = isIdle && wasDueAtOnce;
    if (isIdleTurn) onIdleTurn(work.name);
    idleTurns = isIdleTurn ? idleTurns + 1 : 0;
    wasDueAtOnce = false;
    if (work.wakeSignal.count() !== wakesBefore)
      await untilNotified(null, SHORTEST_PAUSE_MILLISECONDS, signal);
    else if (isIdle) wasDueAtOnce = await untilDue(work, looks, idleTurns, signal);
    else await untilNotified(work.wakeSignal, pause, signal);
  }
  await work.finish?.().catch((error) => onError(work.name, error));
}

/** Until it is woken or due. Gives whether it was due at once: by what it knows, or by a look. */
function untilDue(work: Work, looks: Looks, idleTurns: number, signal: AbortSignal): Promise<boolean> {
  const pause = Math.min(SHORTEST_PAUSE_MILLISECONDS * 2 ** idleTurns, LONGEST_IDLE_PAUSE_MILLISECONDS);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (signal.aborted) return Promise.resolve(false);
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  const wake = (wasDueAtOnce: boolean) => {
    clearTimeout(timer);
    clearTimeout(anyway);
    stopListening();
    stopLooking?.();
    signal.removeEventListener('abort', stop);
    resolve(wasDueAtOnce);
  };
  const stop = () => wake(false);
  const anyway = work.look && setTimeout(stop, LONGEST_SLEEP_MILLISECONDS);
  const wait = (found: unknown) => {
    const milliseconds = dueIn(work, found);
    // One look more that says the same puts nothing off.
    if (isDue && milliseconds === 0) return;
    clearTimeout(timer);
    isDue = milliseconds === 0;
    if (milliseconds === null) return;
    const atOnce = isDue;
    timer = setTimeout(
      () => wake(atOnce),
      Math.max(milliseconds, atOnce ? pause : SHORTEST_PAUSE_MILLISECONDS),
    );
  };
  const stopListening = work.wakeSignal.onceNotified(stop);
  const stopLooking = work.look && looks.listen(work.look, { found: wait, failed: stop });
  signal.addEventListener('abort', stop, { once: true });
  if (work.look !== undefined) looks.hasten();
  wait(undefined);
  return promise;
}

function dueIn(work: Work, found: unknown): number | null {
  const milliseconds = work.millisecondsUntilDue === undefined ? found : work.millisecondsUntilDue(found);
  if (typeof milliseconds !== 'number') return null;
  return Math.min(Math.max(0, milliseconds), LONGEST_TIMER_MILLISECONDS);
}

/**
 * A run under way ends early when the gate shuts. One signal for all runs of an opening: each made
 * is kept by its sources.
 */
function whileOpen(gate: Gate, stopping: AbortSignal): () => AbortSignal {
  let opening = gate.signal();
  let merged = AbortSignal.any([stopping, opening]);
  return () => {
    if (gate.signal() === opening) return merged;
    opening = gate.signal();
    merged = AbortSignal.any([stopping, opening]);
    return merged;
  };
}

function untilOpen(gate: Gate, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      stopListening();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const stopListening = gate.onceOpen(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}

/**
 * The kinds of work that a jump of a merchant's clock runs, in this order where they fall due at
 * one instant: what the acquirer
 * brings, and what merchants are to be notified of, is sent then.
 */
export const CLOCKED_KINDS = [
  'changes',
  'preauthorizations',
  'boletos',
  'billings',
  'notices',
  'deliveries',
] as const;
export type ClockedKind = (typeof CLOCKED_KINDS)[number];

/** Work of one merchant that falls due by business time, as a jump takes it along. */
export type ClockedWork = {
  readonly name: ClockedKind;
  /**
   * The earliest instant, not after `until`, at which something of the merchant falls due; past
   * ones count. Changes nothing.
   */
  earliestDue(merchantId: string, until: Instant): Promise<Instant | null>;
  /**
   * Runs what is due by the merchant's business time, and gives how many that were; 0: nothing more
   * can be run now. Stops
   * early when the signal is aborted.
   */
  runDue(merchantId: string, signal: AbortSignal): Promise<number>;
};
