import { randomBytes } from 'node:crypto';

type Token = { readonly merchantId: string; readonly expiresAt: number };

const MOST_TOKENS = 10_000;

/** Access tokens, in memory only: after a restart none is good any more. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();

  issue(merchantId: string, expiresAt: number, now: number): string {
    if (this.#tokens.size >= MOST_TOKENS) this.#forgetExpired(now);
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, { merchantId, expiresAt });
    return token;
  }

  /** Whose token it is; null: it is nobody's, or its time is over. */
  merchantOf(token: string, now: number): string | null {
    const known = this.#tokens.get(token);
    return known !== undefined && known.expiresAt > now ? known.merchantId : null;
  }

  /** As if their time were over. */
  expire(merchantId: string): number {
    let count = 0;
    for (const [token, known] of this.#tokens) {
      if (known.merchantId !== merchantId) continue;
      this.#tokens.delete(token);
      count += 1;
    }
    return count;
  }

  #forgetExpired(now: number): void {
    for (const [token, { expiresAt }] of this.#tokens) if (expiresAt <= now) this.#tokens.delete(token);
    // All are in use: the oldest goes.
    for (const token of this.#tokens.keys()) {
      if (this.#tokens.size < MOST_TOKENS) return;
      this.#tokens.delete(token);
    }
  }
}
