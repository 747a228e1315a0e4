import { Pool } from 'undici';
import type { Auditor } from '../../test/kit/service.ts';
import { percentile } from '../table.ts';
import type { LoadedShop } from './load-enrolments.ts';

/** One list as a merchant asks for it, and what SQL says of its `total`. */
export type Search = {
  readonly path: string;
  readonly count: { readonly text: string; readonly values: readonly unknown[] };
};

export type SearchKind = {
  readonly title: string;
  /** Milliseconds within which 99 of 100 are to be answered. Null: nothing was promised. */
  readonly aim: number | null;
  /** Asked in turn: another month each time. */
  readonly searches: readonly Search[];
};

export type SearchTimes = { readonly p50: number; readonly p99: number };

type Aims = { readonly filtered: number; readonly whole: number };

const BILLING = '/v1/recurrences/billing';
const DAY = 86_400_000;
const MONTH_DAYS = 30;
const MONTHS = 6;
const LIMIT = 20;
const DEEP_PAGE = 50;

/** What is asked of one merchant's lists. `today` is a day, `YYYY-MM-DD`. */
export async function searchesOf(
  auditor: Auditor,
  { merchantId }: LoadedShop,
  today: string,
  aims: Aims,
): Promise<SearchKind[]> {
  const paid = months(today, -1).map((month) => monthSearch(merchantId, 'paid', month));
  // What lies ahead is opened.
  const opened = months(today, 1).map((month) => monthSearch(merchantId, 'opened', month));
  const whole = (path: string, table: string): Search => ({
    path: `${path}?page=1&limit=${LIMIT}`,
    count: {
      text: `select count(*)::int as total from ${table} where merchant_id = $1`,
      values: [merchantId],
    },
  });
  const ofMonth = async (title: string, searches: readonly Search[]): Promise<SearchKind[]> => [
    { title: `${title} of a month, page 1`, aim: aims.filtered, searches: searches.map(atFirstPage) },
    {
      title: `${title} of a month, page ${DEEP_PAGE} or the last`,
      aim: aims.filtered,
      searches: await Promise.all(searches.map((search) => atDeepPage(auditor, search))),
    },
  ];
  return [
    ...(await ofMonth('paid', paid)),
    ...(await ofMonth('opened', opened)),
    { title: 'all billings, page 1', aim: aims.whole, searches: [whole(BILLING, 'billings')] },
    {
      title: 'all subscriptions, page 1',
      aim: null,
      searches: [whole('/v1/recurrences/subscriptions', 'subscriptions')],
    },
    { title: 'all plans, page 1', aim: null, searches: [whole('/v1/recurrences/plans', 'plans')] },
  ];
}

type Month = { readonly start: string; readonly end: string };

/** Months of thirty days before (-1) or after (1) today. */
function months(today: string, direction: 1 | -1): Month[] {
  const dayText = (days: number) => new Date(Date.parse(today) + days * DAY).toISOString().slice(0, 10);
  // An interval is mostly a month: little is opened for later.
  return Array.from({ length: direction === 1 ? 1 : MONTHS }, (_, index) => {
    const first = direction === 1 ? 1 + index * MONTH_DAYS : -(index + 1) * MONTH_DAYS;
    return { start: dayText(first), end: dayText(first + MONTH_DAYS - 1) };
  });
}

const STATE_WORDS = { paid: 'Paid', opened: 'Opened' } as const;

function monthSearch(merchantId: string, state: keyof typeof STATE_WORDS, { start, end }: Month): Search {
  const range = `expirationDateRangeStartDate=${start}&expirationDateRangeEndDate=${end}`;
  return {
    path: `${BILLING}?status=${STATE_WORDS[state]}&${range}&limit=${LIMIT}`,
    count: {
      text: `select count(*)::int as total from billings
        where merchant_id = $1 and state = $2 and due_on between $3 and $4`,
      values: [merchantId, state, start, end],
    },
  };
}

function atFirstPage(search: Search): Search {
  return { ...search, path: `${search.path}&page=1` };
}

async function atDeepPage(auditor: Auditor, search: Search): Promise<Search> {
  const pages = Math.max(1, Math.ceil((await totalOf(auditor, search)) / LIMIT));
  return { ...search, path: `${search.path}&page=${Math.min(DEEP_PAGE, pages)}` };
}

async function totalOf(auditor: Auditor, { count }: Search): Promise<number> {
  const [row] = await auditor.query(count.text, [...count.values]);
  return row?.total as number;
}

export type Asker = {
  /** Asks so many times on so many connections at once. */
  time(kind: SearchKind, connections: number, requests: number): Promise<SearchTimes>;
  /** Throws unless each total is what SQL counts, and the page as full as it must be. */
  check(auditor: Auditor, kind: SearchKind): Promise<void>;
  close(): Promise<void>;
};

/** Asks one service as one merchant. */
export function openAsker(gatewayUrl: string, accessToken: string, mostConnections: number): Asker {
  const { origin, pathname } = new URL(gatewayUrl);
  const pool = new Pool(origin, { connections: mostConnections, pipelining: 1 });
  const prefix = pathname.replace(/\/$/, '');
  const headers = { authorization: `Bearer ${accessToken}` };
  const ask = async ({ path }: Search): Promise<string> => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: prefix + path, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}: ${text}`);
    return text;
  };
  return {
    async time({ searches }, connections, requests) {
      const times: number[] = [];
      let asked = 0;
      const askOn = async () => {
        while (asked < requests) {
          const search = searches[asked % searches.length] as Search;
          asked += 1;
          const startedAt = performance.now();
          await ask(search);
          times.push(performance.now() - startedAt);
        }
      };
      await Promise.all(Array.from({ length: connections }, askOn));
      times.sort((one, other) => one - other);
      return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
    },
    async check(auditor, { searches }) {
      for (const search of searches) {
        const { items, page, total } = JSON.parse(await ask(search)) as {
          items: unknown[];
          page: number;
          total: number;
        };
        const counted = await totalOf(auditor, search);
        const expected = Math.max(0, Math.min(LIMIT, counted - (page - 1) * LIMIT));
        if (total !== counted || items.length !== expected) {
          throw new Error(`${search.path}: ${items.length} of ${total}, SQL says ${expected} of ${counted}`);
        }
      }
    },
    close: () => pool.close(),
  };
}
