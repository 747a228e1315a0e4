import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { SoughtDays } from '../../recurrence/billings/billing-sums.sql.ts';
import type { Day } from '../../values/instant.ts';
import type { DayOfSums, SumColumn, SumDifference, Summed } from './kept-sums.ts';

const ONE_MOMENT = statement(
  'truth.one_moment',
  'set transaction isolation level repeatable read, read only',
);

/** Must come first in a read-only transaction: the next statements then see one snapshot. */
export async function holdMoment(tx: Tx): Promise<void> {
  await tx.query(ONE_MOMENT, []);
}

const SUMS: readonly (SumColumn & { readonly column: string })[] = [
  { column: 'expected_net', name: 'expected', isMoney: true },
  { column: 'expected_fee', name: 'expected', isMoney: true },
  { column: 'open_net', name: 'open', isMoney: true },
  { column: 'received_net', name: 'received', isMoney: true },
  { column: 'received_fee', name: 'received', isMoney: true },
  { column: 'unfiled_net', name: 'unfiled', isMoney: true },
  { column: 'difference', name: 'differing', isMoney: true },
  { column: 'expected_count', name: 'expected', isMoney: false },
  { column: 'open_count', name: 'open', isMoney: false },
  { column: 'received_count', name: 'received', isMoney: false },
  { column: 'without_net_count', name: 'withoutNet', isMoney: false },
  { column: 'unfiled_count', name: 'unfiled', isMoney: false },
  { column: 'differing_count', name: 'differing', isMoney: false },
];
/** Sums are read as text, because a damaged one may exceed a bigint. */
const SUMS_OF_P = column.listOf(
  column.bigWhole(`array[${SUMS.map(({ column }) => `coalesce(sum(p.${column}), 0)`).join(', ')}]::text[]`),
);

const BEHIND = 'greatest(w.day, $3::date - 1)';
const FIRST = '00000000-0000-0000-0000-000000000000';
/** Always true. With it, a plan made while the table is empty also uses the index of a day's transactions. */
const ANY = `transaction_id > '${FIRST}'`;

const NEXT_EXPECTED = `select expected_on from receivables where merchant_id = $1 and expected_on > ${BEHIND}`;
const OF_DAY = `select from receivables where merchant_id = $1 and expected_on = n.day and ${ANY}`;

const FOUND_DAY = rowCodec({ day: column.day(), entries: column.whole(), most: column.whole() });

/**
 * Finds the named days (`$4`), and from `fromOn` (`$3`) on the days with anything expected, received or kept.
 * Entries are counted in indexes, up to one beyond `$5`. Ends at `$5` entries or `$6` days; with many
 * accounts earlier, after 20,000 look-ups. `offset 0` keeps the next day from being found more than once.
 */
const FIND_DAYS = statement(
  'receivable_days.find_to_compare',
  `with recursive bound as materialized (
     select greatest(1, least($6::integer, 20000 / greatest(1, count(*))))::integer as most
     from (select from accounts where merchant_id = $1 limit 20000) a
   ), walked as (
     select $2::date as day, 0::bigint as before, 0::bigint as entries, 0 as number
     union all
     select n.day, w.before + w.entries, c.entries, w.number + 1
     from walked w cross join lateral (
       select least(
         (select min(o.day) from unnest($4::date[]) as o (day) where o.day > w.day),
         (${NEXT_EXPECTED} and filed_bank_on is null order by expected_on limit 1),
         (${NEXT_EXPECTED} and filed_bank_on is not null order by expected_on limit 1),
         (select min(p.day) from accounts a cross join lateral (
            select payment_on as day from receivables
            where merchant_id = $1 and account_number = a.account_number and payment_on > ${BEHIND} order by payment_on limit 1
          ) p where a.merchant_id = $1),
         (select min(k.day) from accounts a cross join lateral (
            select day from receivable_days
            where merchant_id = $1 and account_number = a.account_number and day > ${BEHIND} order by day limit 1
          ) k where a.merchant_id = $1)) as day
       offset 0
     ) n cross join lateral (
       select (
         select count(*) from (
           (${OF_DAY} and filed_bank_on is null limit $5::bigint + 1)
           union all
           (${OF_DAY} and filed_bank_on is not null limit $5::bigint + 1)
           limit $5::bigint + 1
         ) e
       ) + (
         select count(*) from (
           select from accounts a cross join lateral (
             select from receivables
             where merchant_id = $1 and account_number = a.account_number and payment_on = n.day and ${ANY}
             limit $5::bigint + 1
           ) r where a.merchant_id = $1 limit $5::bigint + 1
         ) p
       ) as entries
     ) c
     where w.before + w.entries < $5::bigint and w.number < (select most from bound) and n.day is not null
   )
   select ${FOUND_DAY.columns} from walked cross join bound where number > 0 order by number`,
);

const KEPT = rowCodec<DayOfSums>({
  accountNumber: column.text('a.account_number'),
  day: column.day('w.day'),
  sums: SUMS_OF_P,
});

const READ_KEPT = statement(
  'receivable_days.read_to_compare',
  `select ${KEPT.columns}
   from accounts a cross join unnest($2::date[]) as w (day) cross join lateral (
     select * from receivable_days where merchant_id = $1 and account_number = a.account_number and day = w.day offset 0
   ) p
   where a.merchant_id = $1
   group by a.account_number, w.day`,
);

const ENTRIES = `transaction_id, account_number, expected_on, expected_net, expected_fee, payment_on, installment_count,
  paid_on, reported_fee, reported_net, reported_bank_on, filed_fee, filed_net, filed_anticipation, apart_to`;

const SUMMED_UP = rowCodec({
  lane: column.whole('e.lane'),
  day: column.day('e.day'),
  accountNumber: column.text('e.account_number'),
  entries: column.whole('count(*)::integer'),
  last: column.text('max(e.transaction_id::text)'),
  sums: SUMS_OF_P,
});

const EXPECTED_ROWS = `select ${ENTRIES} from receivables
         where merchant_id = $1 and expected_on = w.day and transaction_id > $3::uuid`;
const WHOLE_TRANSACTIONS = 'order by transaction_id fetch first ($5::bigint) rows with ties';

/** Sums rows of each day from a place on, up to `$5` of them and then to the end of a transaction. */
const READ_ROWS = statement(
  'receivables.sum_to_compare',
  `select ${SUMMED_UP.columns}
   from (
     select 0 as lane, w.day, r.* from unnest($2::date[]) as w (day) cross join lateral (
       (${EXPECTED_ROWS} and filed_bank_on is null ${WHOLE_TRANSACTIONS})
       union all
       (${EXPECTED_ROWS} and filed_bank_on is not null ${WHOLE_TRANSACTIONS})
       ${WHOLE_TRANSACTIONS}
     ) r
     union all
     select 1 as lane, w.day, r.* from unnest($2::date[]) as w (day) cross join lateral (
       select o.* from accounts a cross join lateral (
         select ${ENTRIES} from receivables
         where merchant_id = $1 and account_number = a.account_number and payment_on = w.day and transaction_id > $4::uuid
         ${WHOLE_TRANSACTIONS}
       ) o where a.merchant_id = $1
       ${WHOLE_TRANSACTIONS}
     ) r
   ) e left join lateral (
     select * from receivable_day_parts(e.expected_on, e.expected_net, e.expected_fee, e.payment_on, e.installment_count,
       e.paid_on, e.reported_fee, e.reported_net, e.reported_bank_on, e.filed_fee, e.filed_net, e.filed_anticipation,
       e.apart_to) s
     where case e.lane when 0 then s.expected_count else s.received_count end > 0
   ) p on true
   group by e.lane, e.day, e.account_number`,
);

/** Lane 0 reads expected money, lane 1 received money. */
export const RECEIVABLE_SUMS = {
  summed: 'receivables' as const,
  columns: SUMS as readonly SumColumn[],
  first: [FIRST, FIRST],
  last: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  async findDays(tx: Tx, { merchantId, after, fromOn, named, entries, most }: SoughtDays) {
    const rows = await tx.query(FIND_DAYS, [merchantId, after, fromOn, named, entries, most]);
    return rows.map(FOUND_DAY.parse);
  },
  async readKept(tx: Tx, merchantId: string, days: readonly Day[]) {
    return (await tx.query(READ_KEPT, [merchantId, days])).map(KEPT.parse);
  },
  async readRows(
    tx: Tx,
    merchantId: string,
    days: readonly Day[],
    [expected, received]: readonly string[],
    entries: number,
  ) {
    const rows = await tx.query(READ_ROWS, [merchantId, days, expected, received, entries]);
    return rows.map(SUMMED_UP.parse);
  },
};

const DAY = rowCodec({ day: column.day('d.day') });

const LIST_DAYS = statement(
  'sum_differences.list_days',
  `select ${DAY.columns} from (
     select distinct day from sum_differences
     where merchant_id = $1 and summed = $2 and day > $3::date and day < $4::date and ended_at is null
     order by day limit $5
   ) d order by d.day`,
);

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
    ...own({ summed: 'text', day: 'date', accountNumber: 'text', sum: 'text', amount: 'bigint' }),
    ...own({ expected: 'text', found: 'text' }),
  },
  { after: 1 },
);

/** A difference that is found again keeps its age. */
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

export async function endSumDifferences(
  tx: Tx,
  merchantId: string,
  compared: readonly ComparedDay[],
  found: readonly SumDifference[],
): Promise<void> {
  if (compared.length === 0) return;
  await tx.query(END, [merchantId, ...DIFFERENCES.values(found), ...COMPARED.values(compared)]);
}
