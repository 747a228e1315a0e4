import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import type { SumDifference, Summed } from './kept-sums.ts';

const DAY = rowCodec({ day: column.day('d.day') });

const LIST_DAYS = statement(
  'sum_differences.list_days',
  `select ${DAY.columns} from (
     select distinct day from sum_differences
     where merchant_id = $1 and summed = $2 and day > $3::date and day < $4::date and ended_at is null
     order by day limit $5
   ) d order by d.day`,
);

/** The next days between two on which something differed when they were compared last. */
export async function listDifferingDays(
  database: Database,
  merchantId: string,
  summed: Summed,
  after: Day,
  before: Day,
  limit: number,
): Promise<Day[]> {
  const rows = await database.query(LIST_DAYS, [merchantId, summed, after, before, limit]);
  return rows.map((row) => DAY.parse(row).day);
}

const DIFFERENCES = inputRows<SumDifference>(
  {
    summed: ['text', (row) => row.summed],
    day: ['date', (row) => row.day],
    account_number: ['text', (row) => row.accountNumber],
    sum: ['text', (row) => row.sum],
    amount: ['bigint', (row) => row.amount],
    expected: ['text', (row) => row.expected],
    found: ['text', (row) => row.found],
  },
  { after: 1 },
);

/** One that is found again keeps its age. */
const KEEP = statement(
  'sum_differences.keep',
  `insert into sum_differences as d (merchant_id, ${DIFFERENCES.names})
   select $1, ${DIFFERENCES.selected} from ${DIFFERENCES.sql}
   order by 2, 3, 4
   on conflict (merchant_id, summed, day, account_number) do update set sum = excluded.sum, amount = excluded.amount,
     expected = excluded.expected, found = excluded.found, seen_at = now(), ended_at = null,
     opened_at = case when d.ended_at is null then d.opened_at else now() end`,
);

export async function keepSumDifferences(
  tx: Tx,
  merchantId: string,
  found: readonly SumDifference[],
): Promise<void> {
  if (found.length > 0) await tx.query(KEEP, [merchantId, ...DIFFERENCES.values(found)]);
}

const COMPARED = inputRows<ComparedDay>(
  { summed: ['text', (row) => row.summed], day: ['date', (row) => row.day] },
  { as: 'c', after: DIFFERENCES },
);

/** What stands of days that were compared, and is no difference any more. */
const END = statement(
  'sum_differences.end',
  `with over as materialized (
     select d.summed, d.day, d.account_number
     from sum_differences d join ${COMPARED.sql} on d.summed = c.summed and d.day = c.day
     where d.merchant_id = $1 and d.ended_at is null and not exists (
       select from ${DIFFERENCES.sql} where i.summed = d.summed and i.day = d.day and i.account_number = d.account_number
     )
     order by 1, 2, 3 for no key update of d
   )
   update sum_differences d set ended_at = now() from over o
   where d.merchant_id = $1 and d.summed = o.summed and d.day = o.day and d.account_number = o.account_number`,
);

export type ComparedDay = { readonly summed: Summed; readonly day: Day };

/** Ends those of days that were compared but for what was found. */
export async function endSumDifferences(
  tx: Tx,
  merchantId: string,
  compared: readonly ComparedDay[],
  found: readonly SumDifference[],
): Promise<void> {
  if (compared.length === 0) return;
  await tx.query(END, [merchantId, ...DIFFERENCES.values(found), ...COMPARED.values(compared)]);
}
