/** Wakes sleeping work in this process. Only a hint: a look finds other work once a second. */
export type WakeSignal = {
  notify(): void;
  /** Notifications so far: a loop that compares it before and after its work misses none. */
  count(): number;
  /** Calls back once, at the next notification. Returns a function that ends the listening. */
  onceNotified(wake: () => void): () => void;
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
    onceNotified(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
  };
}

/** A signal that is notified with `other` too, but not the other way round. */
export function forwardSignal(other: WakeSignal): WakeSignal {
  const wakeSignal = createWakeSignal();
  const passOn = () => {
    other.onceNotified(passOn);
    wakeSignal.notify();
  };
  other.onceNotified(passOn);
  return wakeSignal;
}

/** Resolves when notified, when the time is over, or when `stopping` is aborted. */
export function untilNotified(
  wakeSignal: WakeSignal | null,
  milliseconds: number,
  stopping: AbortSignal,
): Promise<void> {
  if (stopping.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      stopListening?.();
      stopping.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    const stopListening = wakeSignal?.onceNotified(wake);
    stopping.addEventListener('abort', wake, { once: true });
  });
}
