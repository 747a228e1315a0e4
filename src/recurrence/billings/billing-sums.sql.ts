import { type Row, type Step, statement } from '../../platform/postgres/database.ts';
import { day, oneOf, rowCodec, text } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { BILLING_STATES } from './billing.ts';

const BEHIND = 'greatest(w.day, $3::date - 1)';

/**
 * The next days behind one: those that are named, and from a first day on those on which anything is due or
 * kept. Each with its billings, counted in an index alone and up to one beyond a bound; the walk ends once
 * they reach the bound, or with so many days. `offset 0`: the next day is found once, not wherever it is
 * named. In the order of an index: a plan that is made while the table is empty then reads no other one.
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
   select day as on_day, entries, $6::integer as most from walked where number > 0 order by number`,
);

const READ_KEPT = statement(
  'billing_days.read_to_compare',
  `select w.day as on_day, d.billing_state as state, sum(d.count)::text as count, sum(d.amount)::text as amount
   from unnest($2::date[]) as w (day) cross join lateral (
     select * from billing_days where merchant_id = $1 and due_on = w.day offset 0
   ) d
   group by w.day, d.billing_state`,
);

/** What billings of some days come to: behind a place of each state, up to a bound of each day. */
const READ_ROWS = statement(
  'billings.sum_to_compare',
  `select s.lane - 1 as lane, w.day as on_day, s.state, count(*)::integer as entries,
     (array_agg(b.created_at order by b.created_at desc, b.billing_id desc))[1]::text || '|'
       || (array_agg(b.billing_id order by b.created_at desc, b.billing_id desc))[1]::text as last,
     count(*)::text as count, sum(b.amount)::text as amount
   from unnest($2::date[]) as w (day)
   cross join unnest($5::text[], $3::timestamptz[], $4::uuid[]) with ordinality as s (state, after_at, after_id, lane)
   cross join lateral (
     select amount, created_at, billing_id from billings
     where merchant_id = $1 and state = s.state and due_on = w.day and (created_at, billing_id) > (s.after_at, s.after_id)
     order by created_at, billing_id limit $6::bigint
   ) b
   group by s.lane, w.day, s.state`,
);

/** As text, for a damaged sum is larger than a bigint. */
const SUM = rowCodec({ onDay: day(), state: oneOf(BILLING_STATES), count: text(), amount: text() });

/** Billings and the sums of their due days: a lane for each state. */
export const BILLING_SUMS = {
  summed: 'billings' as const,
  columns: [
    ...BILLING_STATES.map((name) => ({ name, isMoney: true })),
    ...BILLING_STATES.map((name) => ({ name, isMoney: false })),
  ],
  /** When a billing was made, and which one. */
  first: BILLING_STATES.map(() => '-infinity|00000000-0000-0000-0000-000000000000'),
  last: 'infinity|ffffffff-ffff-ffff-ffff-ffffffffffff',
  findDays: (
    merchantId: string,
    after: Day,
    fromOn: Day,
    named: readonly Day[],
    entries: number,
    days: number,
  ): Step => ({
    statement: FIND_DAYS,
    values: [merchantId, after, fromOn, named, entries, days, BILLING_STATES],
  }),
  readKept: (merchantId: string, days: readonly Day[]): Step => ({
    statement: READ_KEPT,
    values: [merchantId, days],
  }),
  readRows: (merchantId: string, days: readonly Day[], places: readonly string[], entries: number): Step => ({
    statement: READ_ROWS,
    values: [
      merchantId,
      days,
      places.map((place) => place.split('|')[0]),
      places.map((place) => place.split('|')[1]),
      BILLING_STATES,
      entries,
    ],
  }),
  parse: (row: Row): { accountNumber: string; day: Day; sums: readonly bigint[] } => {
    const { onDay, state, count, amount } = SUM.parse(row);
    const ofState = (sum: string) => BILLING_STATES.map((other) => (other === state ? BigInt(sum) : 0n));
    return { accountNumber: '', day: onDay, sums: [...ofState(amount), ...ofState(count)] };
  },
};
