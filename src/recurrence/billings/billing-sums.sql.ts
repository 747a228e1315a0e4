import { type Row, type Step, statement } from '../../platform/postgres/database.ts';
import type { Day } from '../../values/instant.ts';
import { BILLING_STATES, type BillingState } from './billing.ts';

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
   select day::text as on_day, entries from walked where number > 0 order by number`,
);

const READ_KEPT = statement(
  'billing_days.read_to_compare',
  `select w.day::text as on_day, d.billing_state as state, sum(d.count)::bigint as count, sum(d.amount)::bigint as amount
   from unnest($2::date[]) as w (day) cross join lateral (
     select * from billing_days where merchant_id = $1 and due_on = w.day offset 0
   ) d
   group by w.day, d.billing_state`,
);

/** What billings of some days come to: made behind a moment of each state, up to a bound of each day. */
const READ_ROWS = statement(
  'billings.sum_to_compare',
  `select s.lane - 1 as lane, w.day::text as on_day, s.state, count(*)::integer as entries, max(b.created_at)::text as last,
     count(*)::bigint as count, sum(b.amount)::bigint as amount
   from unnest($2::date[]) as w (day)
   cross join unnest($4::text[], $3::timestamptz[]) with ordinality as s (state, after, lane)
   cross join lateral (
     select amount, created_at from billings
     where merchant_id = $1 and state = s.state and due_on = w.day and created_at > s.after
     order by created_at fetch first ($5::bigint) rows with ties
   ) b
   group by s.lane, w.day, s.state`,
);

/** Billings and the sums of their due days (migration 0065): a lane for each state. */
export const BILLING_SUMS = {
  summed: 'billings' as const,
  columns: [
    ...BILLING_STATES.map((name) => ({ name, isMoney: true })),
    ...BILLING_STATES.map((name) => ({ name, isMoney: false })),
  ],
  first: BILLING_STATES.map(() => '-infinity'),
  last: 'infinity',
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
    values: [merchantId, days, places, BILLING_STATES, entries],
  }),
  parse: (row: Row): { accountNumber: string; day: Day; sums: readonly number[] } => {
    const at = BILLING_STATES.indexOf(row.state as BillingState);
    const ofState = (value: unknown) =>
      BILLING_STATES.map((_, index) => (index === at ? (value as number) : 0));
    return {
      accountNumber: '',
      day: row.on_day as Day,
      sums: [...ofState(row.amount), ...ofState(row.count)],
    };
  },
};
