import type { AskLooks, Look } from './looks.sql.ts';
import { createWakeSignal, untilNotified } from './wake-signal.ts';

/** The time between two looks without hurry: another process may have left work behind. */
const LOOK_MILLISECONDS = 1_000;
const SHORTEST_PAUSE_MILLISECONDS = 100;
/** Hastened looks take at most a tenth of their connection's time, and slow ones half of it. */
const REST_FACTOR = 10;
const LONGEST_PAUSE_MILLISECONDS = 5_000;

type Listener = {
  readonly since: number;
  readonly found: (value: unknown) => void;
  readonly failed: () => void;
};

export function restAfter(took: number): number {
  const share = Math.min(took * REST_FACTOR, LOOK_MILLISECONDS - took);
  return Math.max(SHORTEST_PAUSE_MILLISECONDS - took, Math.min(took, LOOK_MILLISECONDS), share);
}

export class Looks {
  readonly #looks: readonly Look[];
  readonly #ask: AskLooks;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Map<Look, Listener>();
  readonly #hurry = createWakeSignal();

  constructor(looks: readonly Look[], ask: AskLooks, onError: (error: unknown) => void) {
    this.#looks = looks;
    this.#ask = ask;
    this.#onError = onError;
  }

  /** Calls back with each result or failure from now on. Returns a function that ends the listening. */
  listen(look: Look, { found, failed }: Omit<Listener, 'since'>): () => void {
    this.#listeners.set(look, { since: performance.now(), found, failed });
    return () => this.#listeners.delete(look);
  }

  /** Makes the next look come soon: rows were worked off, and others may be due. */
  hasten(): void {
    this.#hurry.notify();
  }

  async run(signal: AbortSignal): Promise<void> {
    let failuresInRow = 0;
    while (this.#looks.length > 0 && !signal.aborted) {
      const hurries = this.#hurry.count();
      const begunAt = performance.now();
      const isAnswered = await this.#look(begunAt);
      const took = performance.now() - begunAt;
      failuresInRow = isAnswered ? 0 : failuresInRow + 1;
      const pause = isAnswered
        ? restAfter(took)
        : Math.min(100 * 2 ** failuresInRow, LONGEST_PAUSE_MILLISECONDS);
      await untilNotified(null, pause, signal);
      const left = LOOK_MILLISECONDS - took - pause;
      if (isAnswered && left > 0 && this.#hurry.count() === hurries && !signal.aborted)
        await untilNotified(this.#hurry, left, signal);
    }
  }

  async #look(askedAt: number): Promise<boolean> {
    try {
      const found = await this.#ask(this.#looks);
      const answeredAt = performance.now();
      for (const [place, look] of this.#looks.entries()) {
        look.observe?.(found[place], askedAt, answeredAt);
        const listener = this.#listeners.get(look);
        if (listener !== undefined && listener.since <= askedAt) listener.found(found[place]);
      }
      return true;
    } catch (error) {
      this.#onError(error);
      for (const { failed } of [...this.#listeners.values()]) failed();
      return false;
    }
  }
}
