import { ALWAYS_OPEN, type Gate } from '../gate.ts';
import type { WakeSignal } from './wake-signal.ts';

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
  /** Milliseconds until something falls due (0: now), or null when nothing waits; asked before sleeping. */
  millisecondsUntilDue(): Promise<number | null>;
  /** It only reads, and sends nothing: goes on while the gate is shut. */
  readonly runsWhileHeld?: true;
  /** Called once, after the last run: waits for what is still under way. */
  finish?(): Promise<void>;
};

/** Another process may have left work behind: look at least once a second. */
const LONGEST_SLEEP_MILLISECONDS = 1_000;
/** After an error (the database is away) the loop waits a little longer each time. */
const LONGEST_PAUSE_MILLISECONDS = 5_000;

export type RunningWork = { stop(): Promise<void> };

/**
 * Runs each work in a loop of its own, while the gate is open, until `stop`, which waits for what
 * is under way.
 */
export function startWork(
  works: readonly Work[],
  onError: (name: string, error: unknown) => void,
  gate: Gate = ALWAYS_OPEN,
): RunningWork {
  const stopping = new AbortController();
  const mayRun = whileOpen(gate, stopping.signal);
  const loops = works.map((work) => loop(work, stopping.signal, onError, { gate, mayRun }));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(
  work: Work,
  signal: AbortSignal,
  onError: (name: string, error: unknown) => void,
  { gate, mayRun }: { readonly gate: Gate; readonly mayRun: () => AbortSignal },
): Promise<void> {
  let failuresInRow = 0;
  while (!signal.aborted) {
    let sleepMilliseconds: number;
    const wakesBefore = work.wakeSignal.count();
    if (work.runsWhileHeld !== true && gate.reason() !== null) {
      await untilOpen(gate, signal);
      continue;
    }
    try {
      const isIdle = (await work.runDue(work.runsWhileHeld === true ? signal : mayRun())) === 0;
      sleepMilliseconds = isIdle
        ? Math.min((await work.millisecondsUntilDue()) ?? Infinity, LONGEST_SLEEP_MILLISECONDS)
        : 0;
      failuresInRow = 0;
    } catch (error) {
      onError(work.name, error);
      failuresInRow += 1;
      sleepMilliseconds = Math.min(100 * 2 ** failuresInRow, LONGEST_PAUSE_MILLISECONDS);
    }
    if (work.wakeSignal.count() !== wakesBefore) sleepMilliseconds = 0;
    // The smallest pause keeps a row that cannot be claimed just now (locked elsewhere) from
    // spinning the loop.
    if (!signal.aborted) await sleep(Math.max(sleepMilliseconds, 5), work.wakeSignal, signal);
  }
  await work.finish?.().catch((error) => onError(work.name, error));
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

function sleep(milliseconds: number, wakeSignal: WakeSignal, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stopListening();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    const stopListening = wakeSignal.onceNotified(wake);
    signal.addEventListener('abort', wake, { once: true });
  });
}
