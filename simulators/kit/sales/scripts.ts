import type { Operation, Step } from './script-step.ts';

const MOST_MERCHANTS = 1_000;

/** What tests have laid out for the next requests of a merchant. In memory only: a restart forgets it. */
export class Scripts {
  readonly #steps = new Map<string, Step[]>();

  /** Replaces what is left of the merchant's script; false when too many merchants have one. */
  write(merchantId: string, steps: readonly Step[]): boolean {
    this.#steps.delete(merchantId);
    if (steps.length === 0) return true;
    if (this.#steps.size >= MOST_MERCHANTS) return false;
    this.#steps.set(merchantId, [...steps]);
    return true;
  }

  left(merchantId: string): readonly Step[] {
    return this.#steps.get(merchantId) ?? [];
  }

  /** The merchant's next step for a request of the kind; null: it goes its ordinary way. */
  next(merchantId: string, on: Operation): Step | null {
    const steps = this.#steps.get(merchantId);
    const index = steps?.findIndex((step) => step.on === on) ?? -1;
    if (steps === undefined || index === -1) return null;
    const [step] = steps.splice(index, 1);
    if (steps.length === 0) this.#steps.delete(merchantId);
    return step ?? null;
  }
}
