import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { AccessToken } from '../../../../platform/channels/access-token.ts';
import { fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { askOnce, type ChannelAnswer, type Question } from '../../../../platform/channels/ask-once.ts';
import type { Channel } from '../../../../platform/channels/open-channel.ts';
import { readRedeToken } from './rede-answers.ts';

/** Access of the project that Rede registered for its statement API, which is not that of the PV. */
export type StatementCredentials = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Of Rede's portal, where the project asks for them; else null. */
  readonly user: { readonly name: string; readonly password: string } | null;
};

const TOKEN_MILLISECONDS = 10_000;
const ANSWER_MILLISECONDS = 60_000;
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;
/** A statement is only read: what was not answered is asked again. */
const MOST_TRIES = 4;
const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_SECONDS = 60;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Rede gave no statement, and why. */
export class NoStatement extends Error {
  override readonly name = 'NoStatement';
}

/** Asks the statement API. Close it. */
export class StatementWire {
  readonly #pool: Pool;
  readonly #tokens: Pool;
  readonly #token: AccessToken;
  readonly #prefix: string;

  constructor(url: string, tokenUrl: string, channel: Channel, credentials: StatementCredentials) {
    const [api, token] = [new URL(url), new URL(tokenUrl)];
    const open = (origin: string) =>
      new Pool(origin, { connections: 2, pipelining: 1, connect: channel.connect });
    this.#prefix = api.pathname.replace(/\/$/, '');
    this.#pool = open(api.origin);
    this.#tokens = open(token.origin);
    const asked = tokenQuestion(token.pathname, credentials);
    this.#token = new AccessToken(async (timeout) =>
      readRedeToken(await askOnce(this.#tokens, asked, timeout)),
    );
  }

  /** What stands at the path; null: nothing. Throws `NoStatement`. */
  async get(path: string, query: Readonly<Record<string, string>>, establishment: string): Promise<unknown> {
    const search = new URLSearchParams(query).toString();
    const question = { path: `${this.#prefix}${path}${search === '' ? '' : `?${search}`}`, establishment };
    let wait = FIRST_PAUSE_MILLISECONDS;
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#ask(question);
      if (typeof answer !== 'string') return answer.status === 204 ? null : answer.body;
      if (tries === MOST_TRIES) throw new NoStatement(`${path}: ${answer}`);
      await pause(wait);
      wait = Math.min(wait * 3, LONGEST_PAUSE_SECONDS * 1_000);
    }
  }

  close(): Promise<unknown> {
    return Promise.all([this.#pool.destroy(), this.#tokens.destroy()]);
  }

  /** A text says why there is no answer yet. */
  async #ask({
    path,
    establishment,
  }: {
    path: string;
    establishment: string;
  }): Promise<ChannelAnswer | string> {
    const got = await this.#token.get(TOKEN_MILLISECONDS);
    if (got.kind === 'refused')
      throw new NoStatement(`Rede takes no such client for its token: ${got.reason}`);
    if (got.kind !== 'token') return got.reason;
    const headers = { authorization: `Bearer ${got.token}`, 'merchant-id': establishment };
    const question: Question = { method: 'GET', path, body: null, headers, mayBeEmpty: true };
    const answer = await askOnce(this.#pool, question, ANSWER_MILLISECONDS, LARGEST_ANSWER_BYTES);
    if (answer.kind !== 'answer') return answer.reason;
    const { status, body } = answer;
    if (status === 200 || status === 204) return answer;
    if (status === 401) this.#token.forget(got.token);
    const said = `Rede answered ${status}${wordsOf(body)}`;
    // A token may end in mid-flight; a limit passes.
    if (status === 401 || status === 429 || status >= 500) return said;
    throw new NoStatement(said);
  }
}

function tokenQuestion(path: string, { clientId, clientSecret, user }: StatementCredentials): Question {
  const basic = Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
  const grant: Record<string, string> =
    user === null
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'password', username: user.name, password: user.password };
  const body = new URLSearchParams(grant).toString();
  return { method: 'POST', path, body, headers: { ...FORM, authorization: `Basic ${basic}` } };
}

/** The words of its errors name no person and no card. */
function wordsOf(body: unknown): string {
  const { message } = fieldsOf(body);
  return typeof message === 'string' ? `: ${message.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 120)}` : '';
}
