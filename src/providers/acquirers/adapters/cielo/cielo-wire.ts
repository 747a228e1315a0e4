import type { Asked } from '../../../../platform/channels/ask-once.ts';
import { TOO_LATE } from '../../../../platform/channels/ask-once.ts';
import { type Channel, SharedPool } from '../../../../platform/channels/open-channel.ts';
import type { Wanted } from '../../../../platform/work/fair-line.ts';
import type { EstablishmentKey } from '../../../provider.ts';
import { type DirectQuestion, questionBelow, SHORTEST_MILLISECONDS } from '../../direct-acquirer.ts';

/** `charging` and `resolving` command, `reading` looks up: Cielo has two hosts. */
export type CieloLine = 'charging' | 'resolving' | 'reading';

const CONNECTIONS: Readonly<Record<CieloLine, number>> = { charging: 128, resolving: 16, reading: 32 };
const VERSION = '/1';

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
      const pool = new SharedPool('acquirer', origin, channel, CONNECTIONS[line]);
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
    question: DirectQuestion,
    timeoutMilliseconds: number,
  ): Promise<Asked> {
    if (timeoutMilliseconds < SHORTEST_MILLISECONDS) return TOO_LATE;
    const { prefix, pool } = this.#hosts[line];
    return pool.ask(wanted, questionBelow(prefix, VERSION, question, this.#headers), timeoutMilliseconds);
  }

  close(): Promise<unknown> {
    return Promise.all(Object.values(this.#hosts).map(({ pool }) => pool.destroy()));
  }
}
