import { Pool } from 'undici';
import { askOnce } from '../../../../platform/channels/ask-once.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import type { PixDialect } from './dialect.ts';
import { fieldsOf } from './receipt.ts';

/** `refused`: the bank does not know these credentials. `away`: it did not say. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'refused' | 'away'; readonly reason: string };

const CONNECTIONS = 2;
/** A token is given up before it ends, so that no request carries an ended one. */
const MARGIN_SECONDS = 60;
const USUAL_SECONDS = 300;
const MOST_SECONDS = 86_400;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);

/** OAuth 2 by client credentials. Callers at the same time share one question. */
export class AccessToken {
  readonly #pool: Pool;
  readonly #channel: Channel;
  readonly #dialect: PixDialect;
  #held: { readonly token: string; readonly endsAt: number } | null = null;
  #asking: Promise<TokenAnswer> | null = null;

  constructor(channel: Channel, dialect: PixDialect) {
    const { origin } = new URL(dialect.tokenUrl);
    this.#pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1, connect: channel.connect });
    this.#channel = channel;
    this.#dialect = dialect;
  }

  async get(timeout: number): Promise<TokenAnswer> {
    const held = this.#held;
    if (held !== null && performance.now() < held.endsAt) return { kind: 'token', token: held.token };
    this.#asking ??= this.#ask(timeout).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** The bank does not take it any more. */
  forget(token: string): void {
    if (this.#held?.token === token) this.#held = null;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #ask(timeout: number): Promise<TokenAnswer> {
    const { tokenUrl, scope } = this.#dialect;
    const { pathname, search } = new URL(tokenUrl);
    const credentials = Buffer.from(this.#channel.token() ?? '').toString('base64');
    const answer = await askOnce(
      this.#pool,
      {
        method: 'POST',
        path: pathname + search,
        body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${credentials}`,
        },
      },
      timeout,
    );
    if (answer.kind !== 'answer') return { kind: 'away', reason: `no access token: ${answer.reason}` };
    const { status } = answer;
    const reason = `no access token: the bank answered ${status}`;
    if (REFUSALS.has(status)) return { kind: 'refused', reason };
    const { access_token: token, expires_in: seconds = USUAL_SECONDS } = fieldsOf(answer.body);
    if (status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
      return { kind: 'away', reason };
    const lasts = Math.min(Number(seconds) || USUAL_SECONDS, MOST_SECONDS);
    const kept = Math.max(lasts - MARGIN_SECONDS, lasts / 2);
    this.#held = { token, endsAt: performance.now() + kept * 1_000 };
    return { kind: 'token', token };
  }
}
