/** Tasks under way at the same time, each for itself: a slow one holds its own slot and nobody else's. */
export type Slots = {
  /** How many are under way. */
  taken(): number;
  /** Begins a task. The caller looks at `taken` before: more than there should be are begun all the same. */
  start(task: () => Promise<void>): void;
  /** Resolves when a task ends or the signal is aborted; at once when nothing is under way. */
  oneEnded(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing is under way. */
  allEnded(): Promise<void>;
  /** Throws the first error of a task since it was asked last. */
  throwFailure(): void;
};

/** `onEnd` hears of the end of each task. */
export function openSlots(onEnd: () => void): Slots {
  const tasks = new Set<Promise<void>>();
  const waiters = new Set<() => void>();
  let failure: { readonly error: unknown } | null = null;

  async function run(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      failure ??= { error };
    }
  }

  return {
    taken: () => tasks.size,
    start(task) {
      const running = run(task).then(() => {
        tasks.delete(running);
        for (const wake of waiters) wake();
        onEnd();
      });
      tasks.add(running);
    },
    oneEnded(signal) {
      if (tasks.size === 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          waiters.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
    async allEnded() {
      while (tasks.size > 0) await Promise.all(tasks);
    },
    throwFailure() {
      const told = failure;
      failure = null;
      if (told !== null) throw told.error;
    },
  };
}
