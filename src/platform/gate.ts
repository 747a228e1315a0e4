/**
 * Why the process may not act: `byHand`: the operator holds it; `restored`: the database is a copy or was
 * restored; `unchecked`: it is being compared; `unfit`: its server is unfit for money; `unwritable`: it takes
 * no writes.
 */
export const HOLD_REASONS = ['byHand', 'restored', 'unchecked', 'unfit', 'unwritable'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

const NEVER = new AbortController().signal;

/** Whether this process may act on the acquirer and on merchants. */
export type Gate = {
  /** Null when the process may act. */
  reason(): HoldReason | null;
  signal(): AbortSignal;
  /** Calls back once, when the gate opens. Returns a function that ends the listening. */
  onceOpen(wake: () => void): () => void;
};

/** Why nothing is sent now, in words; null: the gate is open. */
export function whyHeld(gate: Gate): string | null {
  const reason = gate.reason();
  return reason === null ? null : `all work is held (${reason})`;
}

/** An open gate, for programs without a database to compare. */
export const ALWAYS_OPEN: Gate = {
  reason: () => null,
  signal: () => NEVER,
  onceOpen: () => () => {},
};

export type GateKeeper = Gate & {
  hold(reason: Exclude<HoldReason, 'byHand'>, words: string): void;
  open(): void;
};

/** `onChange` gets words for a person. A hold by the operator lasts as long as the process. */
export function openGate(
  isHeldByHand: boolean,
  onChange: (reason: HoldReason | null, words: string) => void,
): GateKeeper {
  const listeners = new Set<() => void>();
  let held: HoldReason | null = null;
  let words = '';
  let holding = new AbortController();
  const reason = () => (isHeldByHand ? 'byHand' : held);
  if (isHeldByHand) holding.abort();

  function change(to: HoldReason | null, why: string): void {
    if (to === held && why === words) return;
    held = to;
    words = why;
    if (isHeldByHand) return;
    onChange(to, why);
    if (to !== null) {
      holding.abort();
      return;
    }
    holding = new AbortController();
    const woken = [...listeners];
    listeners.clear();
    for (const wake of woken) wake();
  }

  return {
    reason,
    signal: () => holding.signal,
    onceOpen(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
    hold: change,
    open: () => change(null, ''),
  };
}
