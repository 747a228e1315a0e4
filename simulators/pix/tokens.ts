import { randomBytes } from 'node:crypto';
import scopes from './scopes.json' with { type: 'json' };

const LIFE_SECONDS = 3_600;
/** Tokens that are remembered; the oldest is forgotten first. */
const MOST_TOKENS = 10_000;

type Token = { readonly clientId: string; readonly scopes: readonly string[]; readonly endsAt: number };

/** OAuth 2 client credentials. In memory only: after a restart everybody asks anew. */
export class Tokens {
  readonly #tokens = new Map<string, Token>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** What RFC 6749 answers; `wanted` null: every scope. Null: there is no such scope. */
  give(clientId: string, wanted: string | null): object | null {
    const asked = wanted === null ? scopes : wanted.split(' ').filter(Boolean);
    if (!asked.every((scope) => scopes.includes(scope))) return null;
    const token = randomBytes(24).toString('base64url');
    this.#tokens.set(token, { clientId, scopes: asked, endsAt: this.#clock() + LIFE_SECONDS * 1_000 });
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= MOST_TOKENS) break;
      this.#tokens.delete(oldest);
    }
    return { access_token: token, token_type: 'Bearer', expires_in: LIFE_SECONDS, scope: asked.join(' ') };
  }

  /** Whose token it is, and what it may; null: it is none any more. */
  find(authorization: string | undefined): Token | null {
    const token = this.#tokens.get(/^Bearer ([\w-]{1,200})$/i.exec(authorization ?? '')?.[1] ?? '');
    return token === undefined || token.endsAt <= this.#clock() ? null : token;
  }

  forget(clientId: string): void {
    for (const [token, of] of this.#tokens) if (of.clientId === clientId) this.#tokens.delete(token);
  }
}
