import type { Asked } from '../../../../platform/channels/ask-once.ts';
import { readRedeToken } from './rede-answers.ts';

/** Of a token's life, 24 minutes: Rede asks for a new one between the 15th and the 23rd. */
const PART_USED = 0.75;

type Token = { readonly text: string; readonly endsAt: number };
export type TokenResult = { readonly token: string } | { readonly reason: string };

/** The access token of one PV: asked for once, whoever waits for it. */
export class RedeToken {
  readonly #ask: (timeoutMilliseconds: number) => Promise<Asked>;
  #token: Token | null = null;
  #asked: Promise<TokenResult> | null = null;

  constructor(ask: (timeoutMilliseconds: number) => Promise<Asked>) {
    this.#ask = ask;
  }

  async get(timeoutMilliseconds: number): Promise<TokenResult> {
    const known = this.#token;
    if (known !== null && performance.now() < known.endsAt) return { token: known.text };
    this.#asked ??= this.#renew(timeoutMilliseconds).finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  /** After a 401: the token that was sent is used no more. One that came meanwhile is. */
  forget(token: string): void {
    if (this.#token?.text === token) this.#token = null;
  }

  async #renew(timeoutMilliseconds: number): Promise<TokenResult> {
    const askedAt = performance.now();
    const read = readRedeToken(await this.#ask(timeoutMilliseconds));
    if (typeof read === 'string') return { reason: read };
    this.#token = { text: read.token, endsAt: askedAt + read.seconds * 1_000 * PART_USED };
    return { token: read.token };
  }
}
