export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  /** `refused`: the server does not know these credentials. `away`: no clear answer. */
  | { readonly kind: 'refused' | 'away'; readonly reason: string };

/** `seconds`: the lifetime in the answer; what is not a number above zero counts as absent. */
export type NewToken =
  | { readonly kind: 'token'; readonly token: string; readonly seconds: unknown }
  | Exclude<TokenAnswer, { kind: 'token' }>;

/** How long a question for a new token may take. A caller stops waiting at its own timeout. */
const QUESTION_MILLISECONDS = 10_000;
/** The part of a token's life in which it is used, so that no request carries an expired one. */
const PART_USED = 0.75;
const USUAL_SECONDS = 300;
const MOST_SECONDS = 86_400;
const TOO_LATE: TokenAnswer = { kind: 'away', reason: 'no access token came in time' };

/**
 * An access token (OAuth 2 client credentials) that all callers share. One question at a time asks for the
 * next token.
 */
export class AccessToken {
  readonly #ask: (timeoutMilliseconds: number) => Promise<NewToken>;
  readonly #now: () => number;
  #held: { readonly token: string; readonly endsAt: number } | null = null;
  #asking: Promise<TokenAnswer> | null = null;

  /** `ask` never throws, and ends within the timeout. */
  constructor(ask: (timeoutMilliseconds: number) => Promise<NewToken>, now = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  get(timeoutMilliseconds: number): Promise<TokenAnswer> {
    const held = this.#held;
    if (held !== null && this.#now() < held.endsAt)
      return Promise.resolve({ kind: 'token', token: held.token });
    this.#asking ??= this.#renew().finally(() => {
      this.#asking = null;
    });
    return within(this.#asking, timeoutMilliseconds);
  }

  /** Drops a token that the server no longer accepts, unless it was replaced meanwhile. */
  forget(token: string): void {
    if (this.#held?.token === token) this.#held = null;
  }

  async #renew(): Promise<TokenAnswer> {
    const askedAt = this.#now();
    const answer = await this.#ask(QUESTION_MILLISECONDS);
    if (answer.kind !== 'token') return answer;
    const { token, seconds } = answer;
    const named = Number(seconds);
    const lasts = named > 0 ? Math.min(named, MOST_SECONDS) : USUAL_SECONDS;
    this.#held = { token, endsAt: askedAt + lasts * 1_000 * PART_USED };
    return { kind: 'token', token };
  }
}

async function within(asking: Promise<TokenAnswer>, milliseconds: number): Promise<TokenAnswer> {
  const late = Promise.withResolvers<TokenAnswer>();
  const timer = setTimeout(() => late.resolve(TOO_LATE), Math.max(0, milliseconds));
  try {
    return await Promise.race([asking, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
