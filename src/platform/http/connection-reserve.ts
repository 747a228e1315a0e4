/** How many are kept for health. */
const MOST_RESERVED = 16;

/** In the order of their opening. When there is no room for another one, one of these makes it. */
export class ConnectionsByAddress<One> {
  readonly #byAddress = new Map<string, Set<One>>();

  get size(): number {
    let size = 0;
    for (const own of this.#byAddress.values()) size += own.size;
    return size;
  }

  add(one: One, address: string): void {
    this.#byAddress.getOrInsertComputed(address, () => new Set()).add(one);
  }

  leave(one: One, address: string): void {
    const own = this.#byAddress.get(address);
    own?.delete(one);
    if (own?.size === 0) this.#byAddress.delete(address);
  }

  /** The oldest that may go, of the address that has the most of them; null: none may. */
  oldestOfMost(mayGo: (one: One) => boolean = () => true): One | null {
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

/**
 * Connections over which health alone is asked: beyond the limit of the process, or of peers that are not
 * served.
 */
export class ConnectionReserve<One> {
  readonly #kept = new ConnectionsByAddress<One>();

  get size(): number {
    return this.#kept.size;
  }

  /** Adds one, and gives the one that it replaces: the oldest of the address that has the most. */
  keep(one: One, address: string): One | null {
    this.#kept.add(one, address);
    return this.size > MOST_RESERVED ? this.#kept.oldestOfMost() : null;
  }

  leave(one: One, address: string): void {
    this.#kept.leave(one, address);
  }
}

function firstOf<One>(all: ReadonlySet<One>, mayGo: (one: One) => boolean): One | null {
  for (const one of all) if (mayGo(one)) return one;
  return null;
}
