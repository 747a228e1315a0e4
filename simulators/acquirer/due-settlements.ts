import type { Charge } from './charges.ts';

/** An installment that will be settled. */
export type Due = { readonly at: number; readonly charge: Charge; readonly number: number };

/** `leads`: the next installment of the charge follows when this one is done with. */
type Waiting = Due & { readonly leads: boolean };

/** Installment n is settled n times 30 days of 24 hours after the sale, in absolute time. */
const SETTLED_AFTER_MILLISECONDS = 30 * 86_400_000;

/**
 * Which installment is settled next: a binary heap of one entry for each charge (its next
 * installment), so that a ledger of millions of charges costs a question the few entries that are
 * due. An entry that is overtaken by a void, a block or a chargeback is found out when it comes up.
 */
export class DueSettlements {
  readonly #heap: Waiting[] = [];

  /** Of a charge that was approved. */
  addCharge(charge: Charge): void {
    this.#push(waitingFor(charge, 1, true));
  }

  /** An installment whose block ended: its own entry may have come up meanwhile. */
  addReopened(charge: Charge, number: number): void {
    this.#push(waitingFor(charge, number, false));
  }

  /**
   * The earliest up to the instant; of one instant by reference, then by number. Null: nothing is
   * due.
   */
  firstUntil(until: number): Due | null {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.at > until) return null;
      const at = settlesAt(first);
      if (at === first.at) return first;
      this.#pop();
      const { charge, number } = first;
      if (charge.status !== 'approved') continue;
      if (first.leads && number < charge.installments) this.#push(waitingFor(charge, number + 1, true));
      if (at !== null) this.#push({ ...first, at, leads: false });
    }
  }

  #push(entry: Waiting): void {
    const heap = this.#heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const above = (index - 1) >>> 1;
      if (!comesBefore(entry, heap[above] as Waiting)) break;
      heap[index] = heap[above] as Waiting;
      index = above;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= heap.length) break;
      const right = left + 1;
      const isRight = right < heap.length && comesBefore(heap[right] as Waiting, heap[left] as Waiting);
      const below = isRight ? right : left;
      if (!comesBefore(heap[below] as Waiting, last)) break;
      heap[index] = heap[below] as Waiting;
      index = below;
    }
    heap[index] = last;
  }
}

function waitingFor(charge: Charge, number: number, leads: boolean): Waiting {
  return { at: charge.soldAt + number * SETTLED_AFTER_MILLISECONDS, charge, number, leads };
}

/** When the installment of an entry is settled as things are; null: not at all. */
function settlesAt({ at, charge, number }: Waiting): number | null {
  if (charge.status !== 'approved') return null;
  if (charge.parts === null) return at;
  const part = charge.parts[number - 1];
  if (part === undefined || part.state !== 'open' || part.rest === 0) return null;
  return Math.max(at, part.reopenedAt);
}

function comesBefore(one: Due, other: Due): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.charge.reference !== other.charge.reference) return one.charge.reference < other.charge.reference;
  return one.number < other.number;
}
