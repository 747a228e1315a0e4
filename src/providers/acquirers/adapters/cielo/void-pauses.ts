import { setTimeout as pause } from 'node:timers/promises';

const MOST_REMEMBERED = 10_000;

/** Cielo wants some seconds between two voids of one payment. This process keeps to it. */
export class VoidPauses {
  readonly #milliseconds: number;
  /** When the next one may be sent, by payment, oldest first. */
  readonly #free = new Map<string, number>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Waits for its turn. False: it would not come in time, and nothing must be sent. */
  async take(paymentId: string, timeoutMilliseconds: number): Promise<boolean> {
    const now = performance.now();
    const wait = (this.#free.get(paymentId) ?? now) - now;
    if (wait > timeoutMilliseconds) return false;
    this.#remember(paymentId, now + Math.max(0, wait) + this.#milliseconds);
    if (wait > 0) await pause(wait);
    return true;
  }

  #remember(paymentId: string, freeAt: number): void {
    this.#free.delete(paymentId);
    this.#free.set(paymentId, freeAt);
    const [oldest] = this.#free.keys();
    if (this.#free.size > MOST_REMEMBERED && oldest !== undefined) this.#free.delete(oldest);
  }
}
