import type { AccessToken } from '../../../../platform/channels/access-token.ts';
import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { BankNotConnected, BankUnknown } from '../../../banks/bank.ts';
import { type BankToken, openBankToken } from './ask-token.ts';
import { problemOf, unknown } from './charge-answers.ts';
import type { PixDialect } from './dialect.ts';

const ASKING_CONNECTIONS = 32;
const RESOLVING_CONNECTIONS = 8;
const LARGEST_ANSWER_BYTES = 256 * 1024;

/** Asks for the account holder, whichever merchants they are. */
export const ALL_MERCHANTS = '';

/** `isRecurring`: of Pix Automático, where charges are made by the calendar. */
export type Sent = {
  readonly path: string;
  readonly template: string;
  readonly body?: object;
  readonly isRecurring?: true;
  readonly mayBeEmpty?: true;
};

/** Further headers of what is asked for a merchant by the calendar. */
export type HeadersOf = (merchantId: string) => Readonly<Record<string, string>>;

/** What was not sent is `notConnected`, for the caller to take it back. */
export type Answered =
  | { readonly kind: 'answer'; readonly status: number; readonly body: unknown }
  | BankUnknown
  | BankNotConnected;

/** Asks with an access token. */
export class StandardClient {
  readonly token: AccessToken;
  readonly #closeToken: BankToken['close'];
  readonly #prefix: string;
  readonly #headersOf: HeadersOf;
  readonly #asking: SharedPool;
  /** A separate pool: what is unanswered must not keep its outcome from being found. */
  readonly #resolving: SharedPool;

  constructor(url: string, channel: Channel, dialect: PixDialect, headersOf: HeadersOf) {
    this.#headersOf = headersOf;
    const { origin, pathname } = new URL(url);
    this.#prefix = pathname.replace(/\/$/, '');
    ({ token: this.token, close: this.#closeToken } = openBankToken(channel, dialect));
    this.#asking = new SharedPool('pix', origin, channel, ASKING_CONNECTIONS);
    this.#resolving = new SharedPool('pix', origin, channel, RESOLVING_CONNECTIONS);
  }

  write(
    merchantId: string,
    method: 'POST' | 'PUT' | 'PATCH',
    sent: Sent,
    timeout: number,
  ): Promise<Answered> {
    return this.#ask(this.#asking, merchantId, { ...sent, method }, timeout, LARGEST_ANSWER_BYTES);
  }

  read(
    merchantId: string,
    sent: Sent,
    timeout: number,
    largestBytes = LARGEST_ANSWER_BYTES,
  ): Promise<Answered> {
    return this.#ask(this.#resolving, merchantId, { ...sent, method: 'GET' }, timeout, largestBytes);
  }

  async close(): Promise<void> {
    await Promise.all([this.#asking.destroy(), this.#resolving.destroy(), this.#closeToken()]);
  }

  /** A token that the bank takes no more (401) is replaced once: such a request was not carried out. */
  async #ask(
    pool: SharedPool,
    merchantId: string,
    { path, template, body, method, isRecurring, mayBeEmpty }: Sent & Pick<Question, 'method'>,
    timeout: number,
    largestBytes: number,
  ): Promise<Answered> {
    const endsAt = performance.now() + timeout;
    for (let isFirst = true; ; isFirst = false) {
      const given = await this.token.get(endsAt - performance.now());
      if (given.kind !== 'token') return notSent(given.reason, given.kind === 'away' ? 'silent' : 'unusable');
      const question = {
        ...{ method, template, mayBeEmpty, path: this.#prefix + path },
        body: body === undefined ? null : JSON.stringify(body),
        headers: {
          authorization: `Bearer ${given.token}`,
          ...(isRecurring === true ? this.#headersOf(merchantId) : {}),
        },
      };
      const asked = await pool.ask({ merchantId }, question, endsAt - performance.now(), largestBytes);
      if (asked.kind !== 'answer' || asked.status !== 401) return answeredOf(asked);
      this.token.forget(given.token);
      if (!isFirst) return notSent('the bank does not take its own access token', 'unusable');
    }
  }
}

const notSent = (reason: string, cause: BankNotConnected['cause']): BankNotConnected => ({
  kind: 'notConnected',
  cause,
  reason,
});

function answeredOf(asked: Asked): Answered {
  switch (asked.kind) {
    case 'answer':
      return asked;
    case 'unknown':
      return unknown(asked.reason, 'silent');
    case 'notConnected':
      return notSent(asked.reason, 'silent');
    case 'notSent':
      return notSent(asked.reason, 'notAsked');
  }
}

export const isGone = (status: number) => status === 404 || status === 410;

/**
 * What is read behind a request to take something away. Where that was not answered as gone too, the two
 * contradict each other: a record that is not found then is no absence.
 */
export function foundBehind<Found extends { readonly kind: string }>(
  taken: number,
  found: Found,
): Found | BankUnknown {
  if (found.kind !== 'notFound' || isGone(taken)) return found;
  return unknown(`the bank answered ${taken} about what it does not find`);
}

const FIRST_SILENT_STATUS = 500;

/** 5xx, 429 and what the standard does not have say nothing about the charge. */
export function otherStatus({
  status,
  body,
}: {
  readonly status: number;
  readonly body: unknown;
}): BankUnknown {
  const problem = problemOf(body);
  const reason = `the bank answered ${status}${problem === '' ? '' : ` (${problem})`}`;
  return unknown(reason, status >= FIRST_SILENT_STATUS ? 'silent' : 'unusable');
}
