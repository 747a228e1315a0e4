import type { CancellationStep, Step } from './script-step.ts';

/** What is left to do to one reference. */
type Scripted = { readonly step: Step; undoRefusals: number; notFoundTimes: number };

const MOST_MERCHANTS = 1_000;
/** References whose step is remembered; the oldest is forgotten first. */
const MOST_REFERENCES = 100_000;

/**
 * The steps that tests have laid out for the next charges of a merchant. In memory only: a restart
 * forgets them.
 */
export class Scripts {
  readonly #waiting = new Map<string, Step[]>();
  readonly #scripted = new Map<string, Scripted>();
  readonly #cancellations = new Map<string, CancellationStep[]>();

  /** Replaces what is left of the merchant's script; false when too many merchants have one. */
  write(
    merchantId: string,
    steps: readonly Step[],
    cancellations: readonly CancellationStep[] = [],
  ): boolean {
    this.#waiting.delete(merchantId);
    this.#cancellations.delete(merchantId);
    if (this.#cancellations.size >= MOST_MERCHANTS) return false;
    if (cancellations.length > 0) this.#cancellations.set(merchantId, [...cancellations]);
    if (steps.length === 0) return true;
    if (this.#waiting.size >= MOST_MERCHANTS) return false;
    this.#waiting.set(merchantId, [...steps]);
    return true;
  }

  /** What is left of the merchant's script. */
  left(merchantId: string): {
    readonly steps: readonly Step[];
    readonly cancellations: readonly CancellationStep[];
  } {
    return {
      steps: this.#waiting.get(merchantId) ?? [],
      cancellations: this.#cancellations.get(merchantId) ?? [],
    };
  }

  /**
   * The step of a charge: the merchant's next one, or, when the reference comes again, the one that
   * it had.
   */
  stepOf(merchantId: string, reference: string): Step | null {
    const known = this.#scripted.get(keyOf(merchantId, reference));
    if (known !== undefined) return known.step;
    const steps = this.#waiting.get(merchantId);
    const step = steps?.shift();
    if (step === undefined) return null;
    if (steps?.length === 0) this.#waiting.delete(merchantId);
    this.#remember(keyOf(merchantId, reference), step);
    return step;
  }

  /** The step of the merchant's next new cancellation; null: it is done at once. */
  nextCancellation(merchantId: string): CancellationStep | null {
    const steps = this.#cancellations.get(merchantId);
    const step = steps?.shift() ?? null;
    if (steps?.length === 0) this.#cancellations.delete(merchantId);
    return step;
  }

  isUndoRefused(merchantId: string, reference: string): boolean {
    const scripted = this.#scripted.get(keyOf(merchantId, reference));
    if (scripted === undefined || scripted.undoRefusals === 0) return false;
    scripted.undoRefusals -= 1;
    return true;
  }

  isHidden(merchantId: string, reference: string): boolean {
    const scripted = this.#scripted.get(keyOf(merchantId, reference));
    if (scripted === undefined || scripted.notFoundTimes === 0) return false;
    scripted.notFoundTimes -= 1;
    return true;
  }

  #remember(key: string, step: Step): void {
    const { undoRefusals, notFoundTimes } = step;
    this.#scripted.set(key, { step, undoRefusals, notFoundTimes });
    if (this.#scripted.size <= MOST_REFERENCES) return;
    for (const oldest of this.#scripted.keys()) {
      this.#scripted.delete(oldest);
      return;
    }
  }
}

/** A reference has no blank, so that no two pairs share a key. */
function keyOf(merchantId: string, reference: string): string {
  return `${reference} ${merchantId}`;
}
