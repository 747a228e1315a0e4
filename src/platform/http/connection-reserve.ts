/** How many connections beyond the limit are kept for health. */
const MOST_RESERVED = 16;

/**
 * Connections beyond the limit of the process, over which its health is asked. When all are taken, a
 * new one replaces the oldest of the address that has the most.
 */
export class ConnectionReserve<One> {
  readonly #kept = new Map<One, string>();

  get size(): number {
    return this.#kept.size;
  }

  /** Adds one, and gives the one that it replaces. */
  keep(one: One, address: string): One | null {
    this.#kept.set(one, address);
    return this.#kept.size > MOST_RESERVED ? this.#oldestOfMost() : null;
  }

  leave(one: One): void {
    this.#kept.delete(one);
  }

  #oldestOfMost(): One | null {
    const byAddress = Map.groupBy(this.#kept, ([, address]) => address);
    let most: readonly (readonly [One, string])[] = [];
    for (const kept of byAddress.values()) if (kept.length > most.length) most = kept;
    return most[0]?.[0] ?? null;
  }
}
