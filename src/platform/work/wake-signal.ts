/**
 * Wakes sleeping work in this process. Only a hint: work also looks by itself once a second, because the row may have
 * been left by another process or before a crash.
 */
export type WakeSignal = {
  notify(): void;
  /** How often it rang: a loop that looks before and after its work cannot miss a ring in between. */
  count(): number;
  /** Calls back at the next ring, once. Gives a function that stops listening. */
  onceRung(wake: () => void): () => void;
};

export function createWakeSignal(): WakeSignal {
  const listeners = new Set<() => void>();
  let wakes = 0;
  return {
    count: () => wakes,
    notify() {
      wakes += 1;
      const woken = [...listeners];
      listeners.clear();
      for (const wake of woken) wake();
    },
    onceRung(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
  };
}

/** A bell of its own that also rings whenever the other one does, and not the other way round. */
export function forwardSignal(other: WakeSignal): WakeSignal {
  const wakeSignal = createWakeSignal();
  const passOn = () => {
    other.onceRung(passOn);
    wakeSignal.notify();
  };
  other.onceRung(passOn);
  return wakeSignal;
}
