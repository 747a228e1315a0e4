import type { CancelStep, Step } from './script-step.ts';

const MOST_MERCHANTS = 1_000;
/** Hidden boletos that are remembered; the oldest is forgotten first. */
const MOST_HIDDEN = 100_000;

/**
 * The steps that tests have laid out for the next registrations and cancels of a merchant. In memory
 * only: a restart forgets them.
 */
export class Scripts {
  readonly #steps = new Map<string, Step[]>();
  readonly #cancels = new Map<string, CancelStep[]>();
  readonly #hidden = new Map<string, number>();

  /** Replaces what is left of the merchant's script; false when too many merchants have one. */
  write(merchantId: string, steps: readonly Step[], cancels: readonly CancelStep[]): boolean {
    this.#steps.delete(merchantId);
    this.#cancels.delete(merchantId);
    if (Math.max(this.#steps.size, this.#cancels.size) >= MOST_MERCHANTS) return false;
    if (steps.length > 0) this.#steps.set(merchantId, [...steps]);
    if (cancels.length > 0) this.#cancels.set(merchantId, [...cancels]);
    return true;
  }

  nextRegistration(merchantId: string): Step | null {
    return take(this.#steps, merchantId);
  }

  nextCancel(merchantId: string): CancelStep | null {
    return take(this.#cancels, merchantId);
  }

  hide(key: string, times: number): void {
    if (times === 0) return;
    this.#hidden.set(key, times);
    for (const oldest of this.#hidden.keys()) {
      if (this.#hidden.size <= MOST_HIDDEN) return;
      this.#hidden.delete(oldest);
    }
  }

  /** Whether this question about the boleto is answered with "not found". */
  isHidden(key: string): boolean {
    const times = this.#hidden.get(key) ?? 0;
    if (times > 1) this.#hidden.set(key, times - 1);
    else this.#hidden.delete(key);
    return times > 0;
  }
}

function take<S>(waiting: Map<string, S[]>, merchantId: string): S | null {
  const steps = waiting.get(merchantId);
  const step = steps?.shift() ?? null;
  if (steps?.length === 0) waiting.delete(merchantId);
  return step;
}
