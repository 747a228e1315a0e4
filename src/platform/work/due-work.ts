import type { Instant } from '../../values/instant.ts';
import { ALWAYS_OPEN, type Gate } from '../gate.ts';
import type { AskLooks, Look } from './looks.sql.ts';
import { Looks } from './looks.ts';
import { untilNotified, type WakeSignal } from './wake-signal.ts';

/** Work that falls due, stored in a module's own table. */
export type Work = {
  readonly name: string;
  readonly wakeSignal: WakeSignal;
  /**
   * Claims a batch of due rows (skip locked, leased, fenced), works them off and gives how many. Must not
   * throw for one bad row. Stops early on abort; leases bring the rest back. With `finish`, it may leave rows
   * under way.
   */
  runDue(signal: AbortSignal): Promise<number>;
  /** Finds what is due or was left by other processes. Absent: the work is due only by its own time. */
  readonly look?: Look;
  /** Called once, before the first run or look. */
  begin?(signal: AbortSignal): void;
  /**
   * Milliseconds until something is due (0: now); null: nothing waits. Uses only this process's knowledge and
   * `found`, the result of a look begun since the last run, if any. Absent: the look gives it.
   */
  millisecondsUntilDue?(found: unknown): number | null;
  /** The work only reads, and goes on while the gate is shut. */
  readonly runsWhileHeld?: true;
  /** Called once, after the last run: waits for what is still under way. */
  finish?(): Promise<void>;
};

/** The pause between two runs, even if more is due. */
const SHORTEST_PAUSE_MILLISECONDS = 5;
/** The pause grows to this while due rows cannot be claimed, such as locked ones. */
const LONGEST_IDLE_PAUSE_MILLISECONDS = 1_000;
/** The pause grows to this after errors (the database is away). */
const LONGEST_PAUSE_MILLISECONDS = 5_000;
/** A work runs at least this often, whatever its look finds. */
const LONGEST_SLEEP_MILLISECONDS = 60_000;
/** The longest time of a Node timer. */
const LONGEST_TIMER_MILLISECONDS = 2 ** 31 - 1;

export type RunningWork = { stop(): Promise<void> };

export type WorkOptions = {
  readonly gate?: Gate;
  /** Absent: no work has a look. */
  readonly ask?: AskLooks;
  /** Called when a work was due at once and did nothing. */
  readonly onIdleTurn?: (name: string) => void;
};

type OnError = (name: string, error: unknown) => void;

/**
 * Each work has its own loop, which runs while the gate is open. `stop` waits for the loops. One look a
 * second serves all works.
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
  // The loops listen before the first look begins, so that it serves all of them.
  const loops = [...works.map((work) => loop(work, shared)), looks.run(signal)];
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
  let isToLookFirst = work.look !== undefined;
  while (!signal.aborted) {
    const wakesBefore = work.wakeSignal.count();
    if (work.runsWhileHeld !== true && gate.reason() !== null) {
      await untilOpen(gate, signal);
      continue;
    }
    if (isToLookFirst) {
      isToLookFirst = false;
      work.begin?.(work.runsWhileHeld === true ? signal : mayRun());
      await untilDue(work, looks, idleTurns, signal);
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

/** Waits until woken or due. Gives whether it was due at once. */
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
    // A further look with the same result postpones nothing.
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
 * Gives the signal that ends a run when the gate shuts or the process stops. It is made once for each opening
 * of the gate, because its sources keep alive every signal made from them.
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

/** The work of a jump of a merchant's clock, in the order for one instant. */
export const CLOCKED_KINDS = [
  'changes',
  'preauthorizations',
  'boletos',
  'pix',
  'billings',
  'notices',
  'deliveries',
] as const;
export type ClockedKind = (typeof CLOCKED_KINDS)[number];

export type ClockedWork = {
  readonly name: ClockedKind;
  /** The earliest due instant up to `until`, including past ones; null: nothing is due. Only reads. */
  earliestDue(merchantId: string, until: Instant): Promise<Instant | null>;
  /** Runs what is due by the merchant's business time; gives how many. Stops early on abort. */
  runDue(merchantId: string, signal: AbortSignal): Promise<number>;
};
