import { type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Cents, cents } from '../../values/cents.ts';
import { type Day, type Instant, instant, utcText } from '../../values/instant.ts';
import { BILLING_STATES, type BillingState } from './billing.ts';

/** Asks for the next days after `after`, until they have `entries` billings or are `most` days. */
export type SoughtDays = {
  readonly merchantId: string;
  readonly after: Day;
  /** All days with anything from this day on; before it, only the named ones. */
  readonly fromOn: Day;
  readonly named: readonly Day[];
  readonly entries: number;
  readonly most: number;
};

const BEHIND = 'greatest(w.day, $3::date - 1)';

const FOUND_DAY = rowCodec({ day: column.day(), entries: column.whole(), most: column.whole('$6::integer') });

/**
 * The next days after one: named ones, and from a first day on all with billings or kept sums. Each day has
 * the number of its billings, counted in an index up to one above a bound; the search ends at the bound or
 * after a number of days. `offset 0` finds the next day once. The order keeps other indexes out of a plan
 * made while the table is empty.
 */
const FIND_DAYS = statement(
  'billing_days.find_to_compare',
  `with recursive walked as (
     select $2::date as day, 0::bigint as before, 0::bigint as entries, 0 as number
     union all
     select n.day, w.before + w.entries, c.entries, w.number + 1
     from walked w cross join lateral (
       select least(
         (select min(o.day) from unnest($4::date[]) as o (day) where o.day > w.day),
         (select min(b.day) from unnest($7::text[]) as s (state) cross join lateral (
            select due_on as day from billings where merchant_id = $1 and state = s.state and due_on > ${BEHIND}
            order by due_on limit 1
          ) b),
         (select due_on from billing_days where merchant_id = $1 and due_on > ${BEHIND} order by due_on limit 1)) as day
       offset 0
     ) n cross join lateral (
       select sum(b.count)::bigint as entries from unnest($7::text[]) as s (state) cross join lateral (
         select count(*) as count from (
           select from billings where merchant_id = $1 and state = s.state and due_on = n.day
           order by created_at limit $5::bigint + 1
         ) i
       ) b
     ) c
     where w.before + w.entries < $5::bigint and w.number < $6::integer and n.day is not null
   )
   select ${FOUND_DAY.columns} from walked where number > 0 order by number`,
);

const KEPT = rowCodec({
  day: column.day('w.day'),
  state: column.oneOf(BILLING_STATES, 'd.billing_state'),
  count: column.bigWhole('sum(d.count)::text'),
  amount: column.bigWhole('sum(d.amount)::text'),
});

const READ_KEPT = statement(
  'billing_days.read_to_compare',
  `select ${KEPT.columns}
   from unnest($2::date[]) as w (day) cross join lateral (
     select * from billing_days where merchant_id = $1 and due_on = w.day offset 0
   ) d
   group by w.day, d.billing_state`,
);

const SUMMED_UP = rowCodec({
  lane: column.whole('s.lane - 1'),
  day: column.day('w.day'),
  state: column.oneOf(BILLING_STATES, 's.state'),
  entries: column.whole('count(*)::integer'),
  last: column.text(`(array_agg(b.created_at order by b.created_at desc, b.billing_id desc))[1]::text || '|'
       || (array_agg(b.billing_id order by b.created_at desc, b.billing_id desc))[1]::text`),
  count: column.bigWhole('count(*)::text'),
  amount: column.bigWhole('sum(b.amount)::text'),
});

/** Sums billings of some days, after a place in each state, up to a bound for each day. */
const READ_ROWS = statement(
  'billings.sum_to_compare',
  `select ${SUMMED_UP.columns}
   from unnest($2::date[]) as w (day)
   cross join unnest($5::text[], $3::timestamptz[], $4::uuid[]) with ordinality as s (state, after_at, after_id, lane)
   cross join lateral (
     select amount, created_at, billing_id from billings
     where merchant_id = $1 and state = s.state and due_on = w.day and (created_at, billing_id) > (s.after_at, s.after_id)
     order by created_at, billing_id limit $6::bigint
   ) b
   group by s.lane, w.day, s.state`,
);

/** Billings compared with the sums of their due days, by state. */
export const BILLING_SUMS = {
  summed: 'billings' as const,
  columns: [
    ...BILLING_STATES.map((name) => ({ name, isMoney: true })),
    ...BILLING_STATES.map((name) => ({ name, isMoney: false })),
  ],
  /** For each state a place: the creation time and id of a billing. */
  first: BILLING_STATES.map(() => '-infinity|00000000-0000-0000-0000-000000000000'),
  last: 'infinity|ffffffff-ffff-ffff-ffff-ffffffffffff',
  async findDays(tx: Tx, { merchantId, after, fromOn, named, entries, most }: SoughtDays) {
    const values = [merchantId, after, fromOn, named, entries, most, BILLING_STATES];
    return (await tx.query(FIND_DAYS, values)).map(FOUND_DAY.parse);
  },
  async readKept(tx: Tx, merchantId: string, days: readonly Day[]) {
    return (await tx.query(READ_KEPT, [merchantId, days])).map((row) => sumsOf(KEPT.parse(row)));
  },
  async readRows(
    tx: Tx,
    merchantId: string,
    days: readonly Day[],
    places: readonly string[],
    entries: number,
  ) {
    const [moments, ids] = [0, 1].map((part) => places.map((place) => place.split('|')[part]));
    const rows = await tx.query(READ_ROWS, [merchantId, days, moments, ids, BILLING_STATES, entries]);
    return rows.map((row) => sumsOf(SUMMED_UP.parse(row)));
  },
};

type OfState = { readonly state: BillingState; readonly count: bigint; readonly amount: bigint };

function sumsOf<T extends OfState>({ state, count, amount, ...of }: T) {
  const ofState = (sum: bigint) => BILLING_STATES.map((name) => (name === state ? sum : 0n));
  return { ...of, accountNumber: '', sums: [...ofState(amount), ...ofState(count)] };
}

export type RetryCounts = {
  /** 2 is the first retry. */
  readonly byAttempt: readonly {
    readonly attemptNumber: number;
    readonly tries: number;
    readonly paid: number;
  }[];
  /** What retries have paid: the sum of the newest ones, `summed` of them. */
  readonly amount: Cents;
  readonly summed: number;
  /** Start of the first counted retry, if there are more; null: all were counted. */
  readonly countedFrom: Instant | null;
};

const MOST_RETRIES = 300_000;
const MOST_SUMMED = 5_000;

/** By attempt; the first two values are the same in all rows. There is at least one row. */
const COUNTED = rowCodec(
  {
    summed: column.whole('m.summed'),
    amount: column.money('m.amount'),
    attemptNumber: column.nullable(column.whole()),
    tries: column.nullable(column.whole()),
    paid: column.nullable(column.whole()),
    firstAt: column.nullable(column.instant()),
  },
  'c',
);

/** A range of the index billing_charges_retried: index-only on vacuumed pages. */
const COUNT = statement(
  'billing_charges.count_retries',
  `with retried as materialized (
     select billing_id, attempt_number, outcome, started_at from billing_charges
     where merchant_id = $1 and started_at >= $2::timestamptz and started_at < $3::timestamptz
       and attempt_number > 1
     order by started_at desc limit $4::bigint + 1
   ), money as (
     select count(*)::integer as summed, coalesce(sum(b.amount), 0)::bigint as amount
     from (select billing_id from retried where outcome = 'approved' limit $5) p cross join lateral (
       select amount from billings where merchant_id = $1 and billing_id = p.billing_id limit 1
     ) b
   ), counted as (
     select attempt_number, count(*)::integer as tries,
       (count(*) filter (where outcome = 'approved'))::integer as paid, min(started_at) as first_at
     from retried group by attempt_number
   )
   select ${COUNTED.columns} from money m left join counted c on true order by c.attempt_number`,
);

/** Retries in a span of business time; of very many, the newest. */
export async function countRetries(
  database: Reader,
  merchantId: string,
  { from, before }: { readonly from: Instant; readonly before: Instant },
): Promise<RetryCounts> {
  const values = [utcText(from), utcText(before), MOST_RETRIES, MOST_SUMMED];
  const rows = (await database.query(COUNT, [merchantId, ...values])).map(COUNTED.parse);
  const byAttempt = rows.flatMap(({ attemptNumber, tries, paid }) =>
    attemptNumber === null || tries === null || paid === null ? [] : [{ attemptNumber, tries, paid }],
  );
  const counted = byAttempt.reduce((sum, { tries }) => sum + tries, 0);
  const firsts = rows.flatMap(({ firstAt }) => (firstAt === null ? [] : [firstAt]));
  return {
    byAttempt,
    amount: rows[0]?.amount ?? cents(0),
    summed: rows[0]?.summed ?? 0,
    countedFrom: counted > MOST_RETRIES ? instant(Math.min(...firsts)) : null,
  };
}
