const MOST_MERCHANTS = 10_000;

/**
 * The keys of merchants. Whose key nobody has told is believed with any; in memory only, so that a restart
 * forgets them.
 */
export class Keys {
  readonly #keys = new Map<string, string>();

  /** False: too many are known. */
  tell(merchantId: string, key: string): boolean {
    if (this.#keys.size >= MOST_MERCHANTS && !this.#keys.has(merchantId)) return false;
    this.#keys.set(merchantId, key);
    return true;
  }

  accepts(merchantId: string, key: string): boolean {
    return (this.#keys.get(merchantId) ?? key) === key;
  }
}
