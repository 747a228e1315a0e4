import {
  type Database,
  type Reader,
  type Row,
  type Step,
  statement,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Day } from '../../values/instant.ts';
import type { SumDifference, Summed, SumName } from './kept-sums.ts';
import type { TruthClass } from './truth.ts';
import type { KeptDifference } from './truth-run.ts';

const DIFFERENCES = inputRows<KeptDifference>(
  {
    transaction_id: ['uuid', (row) => row.transactionId],
    installment_number: ['smallint', (row) => row.installmentNumber],
    class: ['text', (row) => row.class],
    amount: ['bigint', (row) => row.amount],
    expected: ['text', (row) => row.expected],
    found: ['text', (row) => row.found],
  },
  { after: 1 },
);

/** One that is found again keeps its age. */
const KEEP = statement(
  'truth_differences.keep',
  `insert into truth_differences as d (merchant_id, transaction_id, installment_number, class, amount, expected, found)
   select $1, i.transaction_id, i.installment_number, i.class, i.amount, i.expected, i.found from ${DIFFERENCES.sql}
   order by 2, 3, 4
   on conflict (merchant_id, transaction_id, installment_number, class) do update set amount = excluded.amount,
     expected = excluded.expected, found = excluded.found, seen_at = now(), ended_at = null,
     opened_at = case when d.ended_at is null then d.opened_at else now() end`,
);

/** What was looked at for a class, and is no difference any more. */
const END = statement(
  'truth_differences.end',
  `update truth_differences d set ended_at = now() from ${DIFFERENCES.sql}
   where d.merchant_id = $1 and d.transaction_id = i.transaction_id and d.installment_number = i.installment_number
     and d.class = i.class and d.ended_at is null`,
);

/** Gives null where there is none. */
export function keepDifferences(merchantId: string, found: readonly KeptDifference[]): Step | null {
  return found.length === 0 ? null : { statement: KEEP, values: [merchantId, ...DIFFERENCES.values(found)] };
}

export type DifferencePlace = Omit<KeptDifference, 'amount' | 'expected' | 'found'>;

/** Gives null where there is none. */
export function endDifferences(merchantId: string, atOne: readonly DifferencePlace[]): Step | null {
  const ended = atOne.map((one) => ({ ...one, amount: 0, expected: null, found: null }));
  return ended.length === 0 ? null : { statement: END, values: [merchantId, ...DIFFERENCES.values(ended)] };
}

const OLDEST_DIFFERENCE = statement(
  'truth_differences.oldest',
  `select coalesce(extract(epoch from now() - least(
     (select min(opened_at) from truth_differences where ended_at is null),
     (select min(opened_at) from sum_differences where ended_at is null))), 0)::float8 as age`,
);

/** In seconds; 0: nothing differs. */
export async function ageOfOldestDifference(database: Database): Promise<number> {
  const [row] = await database.query(OLDEST_DIFFERENCE, []);
  return row?.age as number;
}

const OF_INSTALLMENTS = `select merchant_id, class, amount, expected, found, opened_at, transaction_id, installment_number,
     null as summed, null as account_number, null as on_day, null as sum from truth_differences where ended_at is null`;
const OF_DAYS = `select merchant_id, 'sumsDiffer', amount, expected, found, opened_at, null, null,
     summed, account_number, day::text, sum from sum_differences where ended_at is null`;
/** Indexes have those that stand in these orders, of all and of each merchant. */
const INSTALLMENTS_BY_SIZE = 'order by abs(amount) desc, opened_at, transaction_id limit $1';
const DAYS_BY_SIZE = 'order by abs(amount) desc, opened_at, day limit $1';
const BY_SIZE =
  'order by abs(d.amount) desc, d.opened_at, d.transaction_id, d.on_day, d.account_number limit $1';
const LIST_DIFFERENCES = statement(
  'truth_differences.list',
  `select d.*, extract(epoch from now() - d.opened_at)::float8 as age from (
     (${OF_INSTALLMENTS} ${INSTALLMENTS_BY_SIZE}) union all (${OF_DAYS} ${DAYS_BY_SIZE})
   ) d ${BY_SIZE}`,
);
const LIST_DIFFERENCES_OF_MERCHANT = statement(
  'truth_differences.list_of_merchant',
  `select d.*, extract(epoch from now() - d.opened_at)::float8 as age from (
     (${OF_INSTALLMENTS} and merchant_id = $2 ${INSTALLMENTS_BY_SIZE})
     union all (${OF_DAYS} and merchant_id = $2 ${DAYS_BY_SIZE})
   ) d ${BY_SIZE}`,
);

/** Of an installment, or of a day's sums. */
export type OpenDifference = (KeptDifference | SumDifference) & {
  readonly merchantId: string;
  readonly ageSeconds: number;
};

/** What stands, the largest first. */
export async function listDifferences(
  database: Reader,
  merchantId: string | null,
  limit: number,
): Promise<OpenDifference[]> {
  const rows =
    merchantId === null
      ? await database.query(LIST_DIFFERENCES, [limit])
      : await database.query(LIST_DIFFERENCES_OF_MERCHANT, [limit, merchantId]);
  return rows.map(parseDifference);
}

function parseDifference(row: Row): OpenDifference {
  const both = {
    merchantId: row.merchant_id as string,
    amount: row.amount as number,
    ageSeconds: row.age as number,
  };
  if (row.summed === null)
    return {
      ...both,
      transactionId: row.transaction_id as string,
      installmentNumber: row.installment_number as number,
      class: row.class as TruthClass,
      expected: row.expected as string | null,
      found: row.found as string | null,
    };
  return {
    ...both,
    class: 'sumsDiffer',
    summed: row.summed as Summed,
    accountNumber: row.account_number as string,
    day: row.on_day as Day,
    sum: row.sum as SumName,
    expected: row.expected as string,
    found: row.found as string,
  };
}
