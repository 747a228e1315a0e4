import { AccessToken } from '../../../../platform/channels/access-token.ts';
import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { TOO_LATE } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';
import type { EstablishmentKey } from '../../../provider.ts';
import { type DirectQuestion, questionBelow, SHORTEST_MILLISECONDS } from '../../direct-acquirer.ts';
import { readRedeToken } from './rede-answers.ts';

const CHARGING_CONNECTIONS = 128;
const RESOLVING_CONNECTIONS = 16;
const TOKEN_CONNECTIONS = 2;
const TRANSACTIONS = '/v2/transactions';
/** With it a decline names the brand's own code. */
const OPENED = { 'transaction-response': 'brand-return-opened' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const OF_ALL: Wanted = { merchantId: '' };

const HOSTS: Readonly<Record<string, string>> = {
  'https://api.userede.com.br': 'https://api.userede.com.br/redelabs/oauth2/token',
  'https://sandbox-erede.useredecloud.com.br': 'https://rl7-sandbox-api.useredecloud.com.br/oauth2/token',
};

export const REDE_PRODUCTION = 'https://api.userede.com.br';

/** Rede gives tokens at another address; a simulator at its own. */
function tokenAddress(url: string, named: string | undefined): URL {
  const { origin } = new URL(url);
  return new URL(named ?? HOSTS[origin] ?? `${origin}/oauth2/token`);
}

/** Speaks to e.Rede. What was refused for a token that ended in mid-flight is repeated once, with another. */
export class RedeWire {
  readonly #prefix: string;
  readonly #pools: {
    readonly charging: SharedPool;
    readonly resolving: SharedPool;
    readonly token: SharedPool;
  };
  readonly #token: AccessToken;

  constructor(
    url: string,
    channel: Channel,
    { establishment, key }: EstablishmentKey,
    named: string | undefined,
  ) {
    const { origin, pathname } = new URL(url);
    const token = tokenAddress(url, named);
    this.#prefix = pathname.replace(/\/$/, '') + TRANSACTIONS;
    const open = (host: string, connections: number) =>
      new SharedPool('acquirer', host, channel, connections);
    this.#pools = {
      charging: open(origin, CHARGING_CONNECTIONS),
      resolving: open(origin, RESOLVING_CONNECTIONS),
      token: open(token.origin, TOKEN_CONNECTIONS),
    };
    const basic = Buffer.from(`${establishment}:${key}`, 'utf8').toString('base64');
    const asked: Question = {
      method: 'POST',
      path: token.pathname,
      body: 'grant_type=client_credentials',
      headers: { ...FORM, authorization: `Basic ${basic}` },
    };
    this.#token = new AccessToken(async (timeout) =>
      readRedeToken(await this.#pools.token.ask(OF_ALL, asked, timeout)),
    );
  }

  /** Without a token nothing is sent, or what was sent was refused unread. */
  async ask(
    line: 'charging' | 'resolving',
    wanted: Wanted,
    question: DirectQuestion,
    timeoutMilliseconds: number,
  ): Promise<Asked> {
    const endsAt = performance.now() + timeoutMilliseconds;
    for (const isRepeated of [false, true]) {
      if (endsAt - performance.now() < SHORTEST_MILLISECONDS) return TOO_LATE;
      const got = await this.#token.get(endsAt - performance.now());
      if (got.kind !== 'token') return { kind: 'notConnected', reason: got.reason };
      const left = endsAt - performance.now();
      if (left < SHORTEST_MILLISECONDS) return TOO_LATE;
      const headers = { ...OPENED, authorization: `Bearer ${got.token}` };
      const asked = questionBelow(this.#prefix, TRANSACTIONS, question, headers);
      const answer = await this.#pools[line].ask(wanted, asked, left);
      if (answer.kind !== 'answer' || answer.status !== 401) return answer;
      this.#token.forget(got.token);
      if (isRepeated) break;
    }
    return { kind: 'notConnected', reason: 'Rede takes no token of this PV' };
  }

  close(): Promise<unknown> {
    return Promise.all(Object.values(this.#pools).map((pool) => pool.destroy()));
  }
}
