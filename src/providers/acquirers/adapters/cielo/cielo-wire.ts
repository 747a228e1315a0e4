import { Pool } from 'undici';
import type { Asked, Question } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';
import type { EstablishmentKey } from '../../../provider.ts';

/** `charging` and `resolving` command, `reading` looks up: Cielo has two hosts. */
export type CieloLine = 'charging' | 'resolving' | 'reading';

export type CieloQuestion = {
  readonly method: Question['method'];
  /** Below `/1`. */
  readonly path: string;
  readonly template: string;
  readonly body: object | null;
};

const CONNECTIONS: Readonly<Record<CieloLine, number>> = { charging: 128, resolving: 16, reading: 32 };
const VERSION = '/1';
/** With less time nothing is sent. */
const SHORTEST_MILLISECONDS = 100;

export const CIELO_PRODUCTION = 'https://api.cieloecommerce.cielo.com.br';

const QUERY_HOSTS: Readonly<Record<string, string>> = {
  [CIELO_PRODUCTION]: 'https://apiquery.cieloecommerce.cielo.com.br',
  'https://apisandbox.cieloecommerce.cielo.com.br': 'https://apiquerysandbox.cieloecommerce.cielo.com.br',
};

type Host = { readonly prefix: string; readonly pool: SharedPool };

export class CieloWire {
  readonly #hosts: Readonly<Record<CieloLine, Host>>;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    url: string,
    channel: Channel,
    { establishment, key }: EstablishmentKey,
    queryUrl: string | undefined,
  ) {
    this.#headers = { merchantid: establishment, merchantkey: key };
    const reading = queryUrl ?? QUERY_HOSTS[new URL(url).origin] ?? url;
    const open = (address: string, line: CieloLine): Host => {
      const { origin, pathname } = new URL(address);
      const pool = new SharedPool('acquirer', CONNECTIONS[line], (most) => openPool(origin, channel, most));
      return { prefix: pathname.replace(/\/$/, '') + VERSION, pool };
    };
    this.#hosts = {
      charging: open(url, 'charging'),
      resolving: open(url, 'resolving'),
      reading: open(reading, 'reading'),
    };
  }

  async ask(
    line: CieloLine,
    wanted: Wanted,
    { method, path, template, body }: CieloQuestion,
    timeoutMilliseconds: number,
  ): Promise<Asked> {
    if (timeoutMilliseconds < SHORTEST_MILLISECONDS)
      return { kind: 'notSent', reason: 'too little time was left' };
    const { prefix, pool } = this.#hosts[line];
    const question: Question = {
      method,
      path: prefix + path,
      template: VERSION + template,
      body: body === null ? null : JSON.stringify(body),
      headers: this.#headers,
    };
    return pool.ask(wanted, question, timeoutMilliseconds);
  }

  close(): Promise<unknown> {
    return Promise.all(Object.values(this.#hosts).map(({ pool }) => pool.destroy()));
  }
}

function openPool(origin: string, { connect }: Channel, connections: number): Pool {
  return new Pool(origin, { connections, pipelining: 1, keepAliveTimeout: 30_000, connect });
}
