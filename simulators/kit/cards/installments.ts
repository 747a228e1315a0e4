/** What happens to an installment after its charge was approved. */
export const CHANGE_TYPES = ['settled', 'blocked', 'unblocked', 'chargeback'] as const;
export type ChangeType = (typeof CHANGE_TYPES)[number];

export type PartState = 'open' | 'settled' | 'blocked' | 'chargedBack';

/**
 * What each change makes of an installment; null: it cannot happen there. `asBefore`: what it was
 * when it was blocked.
 */
const PART_MOVES = {
  open: { settled: 'settled', blocked: 'blocked', unblocked: null, chargeback: 'chargedBack' },
  settled: { settled: null, blocked: 'blocked', unblocked: null, chargeback: 'chargedBack' },
  blocked: { settled: 'settled', blocked: null, unblocked: 'asBefore', chargeback: 'chargedBack' },
  chargedBack: { settled: null, blocked: null, unblocked: null, chargeback: null },
} as const satisfies Record<PartState, Record<ChangeType, PartState | 'asBefore' | null>>;

/** An installment in the acquirer's books. */
export type Part = {
  state: PartState;
  /** What it was before it was blocked. */
  stateBefore: 'open' | 'settled';
  /** When its last block ended: it is not settled for an earlier time. */
  reopenedAt: number;
  /** Cents that were not given back. */
  rest: number;
};

/** What a cancellation or a chargeback took of an installment. */
export type Taken = {
  readonly installmentNumber: number;
  readonly amount: number;
  /** What it left of the installment. */
  readonly left: number;
  /** Else what it took never will be. */
  readonly wasPaid: boolean;
};

/** The installments of a charge as they are sold: the first takes the cents that do not divide. */
export function newParts(amount: number, count: number): Part[] {
  const size = Math.floor(amount / count);
  return Array.from({ length: count }, (_, index) => ({
    state: 'open',
    stateBefore: 'open',
    reopenedAt: 0,
    rest: index === 0 ? amount - size * (count - 1) : size,
  }));
}

/** Takes a cancellation off the last installments that have something left. */
export function takeFromLast(parts: readonly Part[], amount: number): Taken[] {
  const all: Taken[] = [];
  let left = amount;
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const taken = Math.min(left, part.rest);
    part.rest -= taken;
    left -= taken;
    if (taken === 0) continue;
    const installmentNumber = index + 1;
    all.push({ installmentNumber, amount: taken, left: part.rest, wasPaid: isPaid(part) });
  }
  return all;
}

/** Whether its money is at the bank: a block does not bring it back. */
export function isPaid({ state, stateBefore }: Part): boolean {
  return state === 'settled' || (state === 'blocked' && stateBefore === 'settled');
}

/**
 * What the change would make of the installment; null when it cannot happen. Of one without a rest
 * nothing happens. `amount`: what a chargeback takes of it, at most its rest (null: all of it); one
 * of which something stays is what it was.
 */
export function stateAfter(part: Part, type: ChangeType, amount: number | null): PartState | null {
  if (part.rest === 0 || (amount ?? 0) > part.rest) return null;
  const next = PART_MOVES[part.state][type];
  if (next === 'chargedBack' && (amount ?? part.rest) < part.rest) return part.state;
  return next === 'asBefore' ? part.stateBefore : next;
}

/**
 * Writes a change that can happen into the installment. Gives the cents that it takes back from the
 * merchant.
 */
export function applyToPart(
  part: Part,
  change: { readonly type: ChangeType; readonly amount: number | null; readonly happenedAt: number },
  next: PartState,
): number {
  const { type, amount, happenedAt } = change;
  if (type === 'blocked') part.stateBefore = part.state === 'settled' ? 'settled' : 'open';
  if (type === 'unblocked') part.reopenedAt = happenedAt;
  part.state = next;
  if (type !== 'chargeback') return 0;
  const given = amount ?? part.rest;
  part.rest -= given;
  return given;
}
