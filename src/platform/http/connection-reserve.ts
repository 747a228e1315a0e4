/** How many are kept for health. */
const MOST_RESERVED = 16;

/**
 * Connections over which health alone is asked: beyond the limit of the process, or of peers that are not
 * served. When all are taken, a new one replaces the oldest of the address that has the most.
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

/**
 * The connections of callers who have never shown a token that was accepted, by address, each in the order of
 * its opening. When there is no room for another one, one of these makes it.
 */
export class StrangerConnections<One> {
  readonly #byAddress = new Map<string, Set<One>>();

  add(one: One, address: string): void {
    this.#byAddress.getOrInsertComputed(address, () => new Set()).add(one);
  }

  leave(one: One, address: string): void {
    const own = this.#byAddress.get(address);
    own?.delete(one);
    if (own?.size === 0) this.#byAddress.delete(address);
  }

  /** The oldest that may go, of the address that has the most of them; null: none may. */
  oldestOfMost(mayGo: (one: One) => boolean): One | null {
    const most = this.#largest();
    if (most === null) return null;
    const found = firstOf(most, mayGo);
    if (found !== null) return found;
    // All of the largest are served at this moment: the next one is asked.
    const others = [...this.#byAddress.values()].toSorted((one, other) => other.size - one.size);
    for (const own of others) {
      const other = firstOf(own, mayGo);
      if (other !== null) return other;
    }
    return null;
  }

  #largest(): ReadonlySet<One> | null {
    let most: ReadonlySet<One> | null = null;
    for (const own of this.#byAddress.values()) if (own.size > (most?.size ?? 0)) most = own;
    return most;
  }
}

function firstOf<One>(all: ReadonlySet<One>, mayGo: (one: One) => boolean): One | null {
  for (const one of all) if (mayGo(one)) return one;
  return null;
}
