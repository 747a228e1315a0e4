import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { DELIVERY_MOVES } from '../deliveries/delivery.ts';

const MERCHANT = rowCodec({ merchantId: column.text() });

const NEXT_MERCHANT = statement(
  'history.next_merchant',
  `select ${MERCHANT.columns} from deliveries where merchant_id > $1 order by merchant_id limit 1`,
);

export async function nextMerchant(database: Database, behind: string): Promise<string | null> {
  return firstOf(await database.query(NEXT_MERCHANT, [behind]), MERCHANT.parse)?.merchantId ?? null;
}

const FORGOTTEN = rowCodec({
  forgotten: column.whole('(select count(*) from gone)'),
  lookedAt: column.whole('(select count(*) from looked_at)'),
  lastNumber: column.nullable(column.whole('max(delivery_number)')),
  isYoung: column.boolean("coalesce(bool_or(created_at >= now() - $4 * interval '1 day'), true)"),
});

/**
 * Delivery numbers follow writing time, except where writers overtook each other. A delivery ends after it is
 * written, so no page is read behind one with a row younger than `$4` days. Rows are deleted by ctid: a join
 * planned on small tables would later read everything.
 */
const FORGET = statement(
  'history.forget',
  `with looked_at as materialized (
     select delivery_number, state, created_at, ended_at from deliveries
     where merchant_id = $1 and delivery_number > $2
     order by delivery_number limit $3
   ), held as materialized (
     select o.place, o.delivery_number from looked_at l cross join lateral (
       select ctid as place, delivery_number from deliveries
       where merchant_id = $1 and delivery_number = l.delivery_number and state <> 'waiting'
         and ended_at < now() - $4 * interval '1 day'
       for update skip locked
     ) o
     where l.state <> 'waiting' and l.ended_at < now() - $4 * interval '1 day'
   ), gone as (
     delete from deliveries where ctid = any (array(select place from held))
     returning delivery_number
   ), tries_gone as (
     delete from delivery_tries where ctid = any (array(
       select t.place from held h cross join lateral (
         select ctid as place from delivery_tries
         where merchant_id = $1 and delivery_number = h.delivery_number limit 1000
       ) t
     ))
     returning try_number
   )
   select ${FORGOTTEN.columns}
   from looked_at`,
);

/**
 * Deletes old deliveries with their tries, at most a hundred each. `next`: where to continue; null: no more
 * old ones.
 */
export async function forgetStep(
  database: Database,
  merchantId: string,
  behind: number,
  limit: number,
  days: number,
): Promise<{ readonly forgotten: number; readonly next: number | null }> {
  const [row] = await database.query(FORGET, [merchantId, behind, limit, days]);
  const { forgotten, lookedAt, lastNumber, isYoung } = FORGOTTEN.parse(row as Row);
  return { forgotten, next: isYoung || lookedAt < limit ? null : lastNumber };
}

const GIVEN_UP = rowCodec({
  givenUp: column.whole('(select count(*) from ended)'),
  lookedAt: column.whole('(select count(*) from page)'),
  merchantId: column.nullable(column.text('last.merchant_id')),
  endpoint: column.nullable(column.text('last.endpoint')),
});

/**
 * Goes over endpoints in key order, and takes the deliveries of each that are due longest. `$5`: days, of
 * business time.
 */
const GIVE_UP = statement(
  'history.give_up',
  `with page as materialized (
     select merchant_id, endpoint, state, opened_until from webhook_endpoints where (merchant_id, endpoint) > ($1, $2)
     order by merchant_id, endpoint limit $3
   ), stale as materialized (
     select d.place from page p cross join lateral (
       select coalesce(max(shift_milliseconds), 0) as shift from merchant_clocks where merchant_id = p.merchant_id
     ) c cross join lateral (
       select ctid as place from deliveries
       where merchant_id = p.merchant_id and endpoint = p.endpoint and state = 'waiting'
         and due_at < now() + c.shift * interval '1 millisecond' - $5 * interval '1 day'
       order by due_at limit $4 for no key update skip locked
     ) d
     where p.state in ('disabled', 'removed') or (p.endpoint like 'origin:%' and p.opened_until is not null)
     limit $4
   ), ended as (
     update deliveries set state = 'givenUp', due_at = null, lease_expires_at = null, fence = fence + 1, ended_at = now()
     where ctid = any (array(select place from stale)) and state in (${fromStates(DELIVERY_MOVES, 'giveUp')})
     returning delivery_number
   )
   select ${GIVEN_UP.columns}
   from (select 1) always left join (
     select merchant_id, endpoint from page order by merchant_id desc, endpoint desc limit 1
   ) last on true`,
);

export type EndpointPlace = { readonly merchantId: string; readonly endpoint: string };

/**
 * Gives up deliveries at disabled or removed endpoints, and at callback servers with an open breaker, because
 * a server is never disabled.
 */
export async function giveUpStep(
  database: Database,
  behind: EndpointPlace,
  limits: { readonly endpoints: number; readonly limit: number; readonly days: number },
): Promise<{ readonly givenUp: number; readonly next: EndpointPlace | null }> {
  const values = [behind.merchantId, behind.endpoint, limits.endpoints, limits.limit, limits.days];
  const [row] = await database.query(GIVE_UP, values);
  const { givenUp, lookedAt, merchantId, endpoint } = GIVEN_UP.parse(row as Row);
  // The same endpoints may have more.
  if (givenUp >= limits.limit) return { givenUp, next: behind };
  const isEnd = lookedAt < limits.endpoints || merchantId === null || endpoint === null;
  return { givenUp, next: isEnd ? null : { merchantId, endpoint } };
}
