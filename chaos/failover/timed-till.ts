import type { Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Answered, Entry } from '../log.ts';
import { type CardSource, Till } from '../merchant-client.ts';

/** Also looks how long each service acknowledged nothing. */
export class TimedTill extends Till {
  readonly #last = new Map<string, number>();
  readonly #longest = new Map<string, number>();

  override async send(gateway: Gateway, entry: Entry, shop: Shop, cardSource: CardSource): Promise<Answered> {
    const answered = await super.send(gateway, entry, shop, cardSource);
    // What is answered once more was acknowledged before.
    if (answered.status === 200 && !answered.isReplayed) this.#note(gateway.name);
    return answered;
  }

  #note(name: string): void {
    const now = performance.now();
    const pause = now - (this.#last.get(name) ?? now);
    this.#last.set(name, now);
    this.#longest.set(name, Math.max(pause, this.#longest.get(name) ?? 0));
  }

  /** From now on; the pause that is under way counts whole. */
  begin(): void {
    this.#longest.clear();
  }

  /** The longest pause of a service since `begin`, that one too which has not ended. */
  longestPauseOf(name: string): number {
    const underWay = performance.now() - (this.#last.get(name) ?? performance.now());
    return Math.max(underWay, this.#longest.get(name) ?? 0);
  }

  /** When the service acknowledged something last, monotonic; null: never. */
  lastOf(name: string): number | null {
    return this.#last.get(name) ?? null;
  }
}
