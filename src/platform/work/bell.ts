/**
 * Wakes sleeping work in this process. Only a hint: work also looks by itself once a second, because the row may have
 * been left by another process or before a crash.
 */
export type Bell = {
  ring(): void;
  /** How often it rang: a loop that looks before and after its work cannot miss a ring in between. */
  count(): number;
  /** Calls back at the next ring, once. Gives a function that stops listening. */
  onceRung(wake: () => void): () => void;
};

export function hangBell(): Bell {
  const listeners = new Set<() => void>();
  let rings = 0;
  return {
    count: () => rings,
    ring() {
      rings += 1;
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
export function bellBehind(other: Bell): Bell {
  const bell = hangBell();
  const passOn = () => {
    other.onceRung(passOn);
    bell.ring();
  };
  other.onceRung(passOn);
  return bell;
}
