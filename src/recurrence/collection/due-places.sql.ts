import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { ChargeWindow } from './day-window.ts';

/**
 * The turn of a billing `b` on its day; -1: its subscription's first charge. Must equal the expression of the
 * index `billings_by_turn`.
 */
export const TURN = `(case when b.installment = 1 and b.charge_on = b.due_on then -1
    else (get_byte(uuid_send(b.billing_id), 14) << 8) | get_byte(uuid_send(b.billing_id), 15) end)`;

/** A voided charge rests before it is sent again (real time). */
export const RESTED = '(b.lease_expires_at is null or b.lease_expires_at <= now())';

/** `today` and its elapsed turns at `n.business_now`. `$1`, `$2`: the window, in seconds of the day. */
export const TODAY = `o.today, case when o.second >= $2::integer then 65536 when o.second < $1::integer then -1
       else floor((o.second - $1::integer) * 65536.0 / ($2::integer - $1::integer))::integer
       end as turns_today`;
export const OF_NOW = `cross join lateral (
       select n.business_now at time zone 'America/Sao_Paulo' as local_now
     ) l cross join lateral (
       select l.local_now::date as today, floor(extract(epoch from l.local_now::time))::integer as second
     ) o`;

export const HOUR = `hour as materialized (
     select ${TODAY} from (select now() as business_now) n ${OF_NOW}
   )`;

/** Skips (`turns` -2) merchants with a moved clock and those whose billings are held. */
export const PLACES_OF_PAGE = `places as materialized (
     select p.charge_on, p.merchant_id, p.position,
       case when c.is_moved or g.is_held then -2 when p.charge_on < h.today then 65536 else h.turns_today end as turns
     from page p cross join hour h left join lateral (
       select m.shift_milliseconds > 0 or m.target_at is not null as is_moved from merchant_clocks m
       where m.merchant_id = p.merchant_id limit 1
     ) c on true left join lateral (
       select m.billings_held_at is not null as is_held from merchants m
       where m.merchant_id = p.merchant_id limit 1
     ) g on true
   )`;

/** Searches all days with open billings, always under five thousand; takes each merchant's first forty. */
export const PLACES_OF_CLOCKS = `places as materialized (
     select d.charge_on, k.merchant_id, row_number() over () as position,
       case when d.charge_on < k.today then 65536 else k.turns_today end as turns
     from clocks k cross join lateral (
       with recursive days as (
         select * from (
           select b.charge_on, 1 as step from billings b where b.charge_on is not null
             order by b.charge_on limit 1) f
         union all
         select n.charge_on, d.step + 1 from days d, lateral (
           select b.charge_on from billings b where b.charge_on > d.charge_on
             and b.charge_on <= k.today
           order by b.charge_on limit 1) n
         where d.step < 5000
       )
       select d.charge_on from days d cross join lateral (
         select true as is_there from billings b
         where b.charge_on = d.charge_on and b.merchant_id = k.merchant_id limit 1
       ) e
       where d.charge_on <= k.today and not exists (
         select from merchants h where h.merchant_id = k.merchant_id and h.billings_held_at is not null
       ) order by d.charge_on limit 40
     ) d
   )`;

const IS_DUE = `exists (
       select from places p cross join lateral (
         select from billings b
         where b.charge_on = p.charge_on and b.merchant_id = p.merchant_id and ${TURN} <= p.turns
           and b.transaction_id is null and ${RESTED} and b.billing_id <> all ($3::uuid[]) limit 1
       ) d)`;

/**
 * 0 milliseconds if a billing is due; null: none but those in hand (`$3`). Beyond a hundred places one is
 * taken to be due.
 */
export const BILLINGS_DUE = statement(
  'charging.due',
  `select case when (
     with recursive ${HOUR}, page as (
       select * from (
         select b.charge_on, b.merchant_id, 1 as position from billings b
         where b.charge_on <= (select today from hour) order by b.charge_on, b.merchant_id limit 1) f
       union all
       select n.charge_on, n.merchant_id, p.position + 1 from page p, lateral (
         select b.charge_on, b.merchant_id from billings b
         where (b.charge_on, b.merchant_id) > (p.charge_on, p.merchant_id)
           and b.charge_on <= (select today from hour)
         order by b.charge_on, b.merchant_id limit 1) n
       where p.position < 100
     ), ${PLACES_OF_PAGE}
     select (select count(*) from page) >= 100 or ${IS_DUE}
   ) or (
     with clocks as materialized (
       select n.merchant_id, ${TODAY} from (
         select m.merchant_id, now() + m.shift_milliseconds * interval '1 millisecond' as business_now
         from merchant_clocks m
         where m.shift_milliseconds > 0 and m.target_at is null order by m.merchant_id limit 100
       ) n ${OF_NOW}
     ), ${PLACES_OF_CLOCKS}
     select (select count(*) from clocks) >= 100 or ${IS_DUE}
   ) then 0 end as milliseconds`,
);

export function dueValues(window: ChargeWindow, inHand: readonly string[]): readonly unknown[] {
  return [window.startSeconds, window.endSeconds, [...inHand]];
}

const COUNTS = rowCodec({
  due: column.whole(),
  held: column.whole(),
  /** Seconds since the beginning of the oldest due day; 0 if none is due. */
  oldestAge: column.real(),
});

export type DueCounts = RowOf<typeof COUNTS>;

/** By the real day; merchants with a moved clock may be ahead of it. */
const COUNT = statement(
  'charging.count_due',
  `select coalesce(sum(d.count) filter (where not d.is_held), 0)::integer as due,
     coalesce(sum(d.count) filter (where d.is_held), 0)::integer as held,
     coalesce(extract(epoch from now() - min(d.first_on::timestamp at time zone 'America/Sao_Paulo')
       filter (where not d.is_held)), 0)::float8 as oldest_age
   from (
     select b.merchant_id, count(*) as count, min(b.charge_on) as first_on, exists (
       select from merchants m where m.merchant_id = b.merchant_id and m.billings_held_at is not null
     ) as is_held
     from (
       select charge_on, merchant_id from billings where charge_on <= (now() at time zone 'America/Sao_Paulo')::date
       order by charge_on, merchant_id limit $1
     ) b group by b.merchant_id
   ) d`,
);

export async function countDue(database: Database): Promise<DueCounts> {
  return onlyOf(await database.query(COUNT, [MOST_COUNTED_OF_ALL]), COUNTS.parse);
}
