import { addDays, type Day, instant, saoPauloDay } from '../src/values/instant.ts';
import { type Auditor, openAuditor } from '../test/kit/service.ts';
import { openBenchService } from './bench-service.ts';
import { loadSoldPayments, type SoldPayments } from './load/sold-payments.ts';
import { measureSearches, printSearches, type SearchOwner } from './measures/searches.ts';
import { countWanted } from './options.ts';
import type { Search, SearchKind } from './recurrence/searches.ts';

const PAYMENTS = 20_000_000;
const MERCHANTS = 2_000;
const AIMS = { ordinary: 20, giant: 250 } as const;
const LIMIT = 20;
/** Of each kind so many are asked in turn. */
const VARIANTS = 6;
const DEEP_PAGE = 50;

/**
 * Searches of payments over HTTP, of an ordinary merchant and of one that owns half of all; totals
 * are compared with SQL's.
 */
export async function benchPaymentSearch(): Promise<void> {
  const bench = await openBenchService();
  const auditor = openAuditor(bench.server.connection);
  try {
    const now = Date.now();
    const payments = countWanted('payments', PAYMENTS);
    const tools = { ...bench.tools, address: bench.server.connection, say: console.error };
    const wanted = { payments, merchants: countWanted('merchants', MERCHANTS), now };
    // Nothing else may use the tables while they are loaded.
    await bench.stopServices();
    const sold = await loadSoldPayments(tools, wanted);
    const today = saoPauloDay(instant(now));
    const owners: SearchOwner[] = [];
    for (const name of ['ordinary', 'giant'] as const) owners.push(await ownerOf(auditor, sold, name, today));
    printSearches(bench, sold.seconds, await measureSearches(bench, auditor, owners));
  } finally {
    await auditor.close();
    await bench.close();
  }
}

async function ownerOf(
  auditor: Auditor,
  sold: SoldPayments,
  name: keyof typeof AIMS,
  today: Day,
): Promise<SearchOwner> {
  const merchantId = sold[name];
  const [row] = await auditor.query(
    'select count(*)::int as total from transactions where merchant_id = $1',
    [merchantId],
  );
  const kinds = [
    ...searchesByDay(merchantId, today, AIMS[name]),
    ...(await searchesByKey(auditor, merchantId, AIMS[name])),
  ];
  return { title: `${name}, ${row?.total} payments`, merchantId, scope: 'gateway', kinds };
}

type Filter = { readonly status?: string; readonly lastFour?: string; readonly sql?: string };

function searchesByDay(merchantId: string, today: Day, aim: number): SearchKind[] {
  const ofDays = (title: string, days: number, filter: Filter = {}, page = 1): SearchKind => ({
    title: `${title}, page ${page}`,
    aim,
    searches: Array.from({ length: days > 30 ? 3 : VARIANTS }, (_, back) => {
      const end = addDays(today, -back * days);
      return daysSearch(merchantId, { start: addDays(end, 1 - days), end }, filter, page);
    }),
  });
  return [
    ofDays('a day', 1),
    ofDays('a month', 30),
    ofDays('a month', 30, {}, DEEP_PAGE),
    ofDays('93 days', 93),
    ofDays('Autorizada of a month', 30, { status: 'Autorizada', sql: shows('authorized') }),
    ofDays('Bloqueada of 93 days', 93, { status: 'Bloqueada', sql: shows('blocked') }),
    ofDays('Negada of a month', 30, { status: 'Negada', sql: `and state = 'declined'` }),
    ofDays('lastFour of a month', 30, { lastFour: '0010', sql: `and card_last_four = '0010'` }),
  ];
}

/** By the installments themselves, not by what stands beside their transaction. */
const shows = (state: 'authorized' | 'blocked') => `and state = 'approved' and exists (
    select from installments i where i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id
      and i.state = '${state}')`;

type Days = { readonly start: Day; readonly end: Day };

function daysSearch(merchantId: string, { start, end }: Days, filter: Filter, page: number): Search {
  const { sql = '', ...fields } = filter;
  const query = new URLSearchParams({
    ...fields,
    dateRangeStartDate: start,
    dateRangeEndDate: end,
    page: `${page}`,
    limit: `${LIMIT}`,
  });
  return {
    path: `/v1/payments?${query}`,
    count: {
      text: `select count(*)::int as total from transactions t
        where merchant_id = $1 and (sold_at at time zone 'America/Sao_Paulo')::date between $2 and $3 ${sql}`,
      values: [merchantId, start, end],
    },
  };
}

const KEYS = {
  nsu: 'nsu',
  authorizationCode: 'authorization_code',
  referenceTransaction: 'reference_transaction',
  vaultId: 'vault_id',
} as const;

async function searchesByKey(auditor: Auditor, merchantId: string, aim: number): Promise<SearchKind[]> {
  const rows = await auditor.query(
    `select nsu, authorization_code, reference_transaction, vault_id from transactions
     where merchant_id = $1 and nsu is not null and vault_id is not null order by transaction_id limit $2`,
    [merchantId, VARIANTS],
  );
  return Object.entries(KEYS).map(
    ([name, column]): SearchKind => ({
      title: `by ${name}`,
      aim,
      searches: rows.map((row) => ({
        path: `/v1/payments?${new URLSearchParams({ [name]: row[column] as string })}`,
        count: {
          text: `select count(*)::int as total from transactions where merchant_id = $1 and ${column} = $2`,
          values: [merchantId, row[column]],
        },
      })),
    }),
  );
}
