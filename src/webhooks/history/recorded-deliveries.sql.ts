import type { Order } from '../../platform/pages.ts';
import { type Database, type Row, type Statement, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import { type DeliveryKind, type DeliveryState, deliveryId } from '../deliveries/delivery.ts';
import type {
  DeliveryField,
  DeliveryFilter,
  RecordedDelivery,
  RecordedTry,
  WholeDelivery,
} from './recorded-delivery.ts';

const COLUMNS = `d.delivery_number, d.kind, d.state, d.transaction_id::text, d.installment_number, d.nsu,
  coalesce(d.url, e.url) as url, d.tries, d.created_at, d.due_at, d.ended_at`;

/** Each looked up by itself: a join is planned once, perhaps while the tables were small, and may then read them whole. */
const SHOWN = `cross join lateral (
       select * from deliveries where merchant_id = $1 and delivery_number = p.delivery_number limit 1
     ) d left join lateral (
       select url from webhook_endpoints where merchant_id = $1 and endpoint = d.endpoint limit 1
     ) e on true`;

const IN_PERIOD = 'merchant_id = $1 and account_number = $2 and created_at >= $4 and created_at < $5';

const WAITING = `from deliveries where ${IN_PERIOD} and state = 'waiting' and 'waiting' = any ($3::text[])`;
const DELIVERED = `from deliveries where ${IN_PERIOD} and state = 'delivered' and 'delivered' = any ($3::text[])`;
const GIVEN_UP = `from deliveries where ${IN_PERIOD} and state = 'givenUp' and 'givenUp' = any ($3::text[])`;
const NEWEST = 'order by created_at desc, delivery_number desc limit $6::bigint + $7::bigint';

/** State by state, in the order of the index: no part is read further than the page needs, nor counted further than the bound. */
const LIST = statement(
  'history.list',
  `with page as (
     (select created_at, delivery_number ${WAITING} ${NEWEST})
     union all (select created_at, delivery_number ${DELIVERED} ${NEWEST})
     union all (select created_at, delivery_number ${GIVEN_UP} ${NEWEST})
     order by created_at desc, delivery_number desc limit $6::bigint offset $7::bigint
   ), counted as (
     select (
         select count(*) from (
           select 1 ${WAITING} union all select 1 ${DELIVERED} union all select 1 ${GIVEN_UP} limit $8::bigint + 1
         ) found
       ) as total,
       exists (select from accounts where merchant_id = $1 and account_number = $2) as is_account
   ), shown as (
     select ${COLUMNS} from page p ${SHOWN}
   )
   select c.total, c.is_account, s.* from counted c left join shown s on true
   order by s.created_at desc, s.delivery_number desc`,
);

/** What has one nsu is few: it is read whole. */
const LIST_OF_NSU = statement(
  'history.list_of_nsu',
  `with found as (
     select created_at, delivery_number from deliveries
     where ${IN_PERIOD} and state = any ($3::text[]) and nsu = $8
   ), page as (
     select * from found order by created_at desc, delivery_number desc limit $6::bigint offset $7::bigint
   ), counted as (
     select (select count(*) from found) as total,
       exists (select from accounts where merchant_id = $1 and account_number = $2) as is_account
   ), shown as (
     select ${COLUMNS} from page p ${SHOWN}
   )
   select c.total, c.is_account, s.* from counted c left join shown s on true
   order by s.created_at desc, s.delivery_number desc`,
);

/** The order that no index has: everything that was found is read and put in order, unless it is more than the bound. Nothing comes last. */
const SORT_KEYS = `(case $8::text when 'movementId' then case when d.kind in ('movement', 'test') then d.delivery_number end
      when 'installmentNumber' then case when d.kind = 'movement' then d.installment_number end when 'tries' then d.tries
      when 'id' then floor(extract(epoch from d.created_at) * 1000)::bigint
      when 'createdAt' then (extract(epoch from d.created_at) * 1000000)::bigint
      when 'nextTryAt' then (extract(epoch from d.due_at) * 1000000)::bigint
      when 'endedAt' then (extract(epoch from d.ended_at) * 1000000)::bigint end) as number,
    (case $8::text when 'kind' then d.kind when 'status' then d.state when 'nsu' then d.nsu
      when 'paymentId' then case when d.kind <> 'notice' then d.transaction_id::text end
      when 'noticeOf' then case when d.kind = 'notice' then d.transaction_id::text end when 'url' then coalesce(d.url, (
        select t.url from webhook_endpoints t where t.merchant_id = $1 and t.endpoint = d.endpoint limit 1
      )) end) collate "C" as word`;
const COUNTED = `counted as materialized (
     select (select count(*) from found) as total,
       exists (select from accounts where merchant_id = $1 and account_number = $2) as is_account
   ), sortable as (
     select d.delivery_number, ${SORT_KEYS}
     from (select delivery_number from found where (select total from counted) <= $9::bigint) f cross join lateral (
       select * from deliveries where merchant_id = $1 and delivery_number = f.delivery_number limit 1
     ) d
   )`;
const FOUND = `found as materialized (
     select delivery_number from deliveries where ${IN_PERIOD} and state = any ($3::text[]) limit $9::bigint + 1
   )`;
const FOUND_OF_NSU = `found as materialized (
     select delivery_number from deliveries where ${IN_PERIOD} and state = any ($3::text[]) and nsu = $10
     limit $9::bigint + 1
   )`;
const RISING = 'order by number nulls last, word nulls last, delivery_number';
const FALLING = 'order by number desc nulls last, word desc nulls last, delivery_number desc';
const RISING_PAGE = `page as (
     select delivery_number, row_number() over (${RISING}) as place from (
       select * from sortable ${RISING} limit $6::bigint offset $7::bigint
     ) keys
   )`;
const FALLING_PAGE = `page as (
     select delivery_number, row_number() over (${FALLING}) as place from (
       select * from sortable ${FALLING} limit $6::bigint offset $7::bigint
     ) keys
   )`;
const SORTED = `shown as (select p.place, ${COLUMNS} from page p ${SHOWN})
   select c.total, c.is_account, s.* from counted c left join shown s on true order by s.place`;

const SORT_UP = statement('history.sort_up', `with ${FOUND}, ${COUNTED}, ${RISING_PAGE}, ${SORTED}`);
const SORT_DOWN = statement('history.sort_down', `with ${FOUND}, ${COUNTED}, ${FALLING_PAGE}, ${SORTED}`);
const SORT_NSU_UP = statement(
  'history.sort_nsu_up',
  `with ${FOUND_OF_NSU}, ${COUNTED}, ${RISING_PAGE}, ${SORTED}`,
);
const SORT_NSU_DOWN = statement(
  'history.sort_nsu_down',
  `with ${FOUND_OF_NSU}, ${COUNTED}, ${FALLING_PAGE}, ${SORTED}`,
);

export type DeliveryPage = { readonly items: readonly RecordedDelivery[]; readonly total: number };

/** How many are counted, and how many are put in an order that no index has. */
export type ListBounds = { readonly mostCounted: number; readonly mostSorted: number };

/**
 * A page of an account's deliveries, and how many there are in all, of one moment; null: no such account,
 * `tooMany`: more than are counted, `tooManyToSort`: more than are sorted.
 */
export async function listRecordedDeliveries(
  database: Database,
  merchantId: string,
  filter: DeliveryFilter,
  { mostCounted, mostSorted }: ListBounds,
): Promise<DeliveryPage | 'tooMany' | 'tooManyToSort' | null> {
  const { accountNumber, states, nsu, period, page, limit, order } = filter;
  const isNewestFirst = order.field === 'createdAt' && order.isDescending;
  const values: unknown[] = [merchantId, accountNumber, states, timeText(period.from), timeText(period.to)];
  values.push(limit, (page - 1) * limit);
  const rows = isNewestFirst
    ? await database.query(...newestFirst(values, nsu, mostCounted))
    : await database.query(...sorted(values, nsu, order, mostSorted));
  const [first] = rows as [Row, ...Row[]];
  if (first.is_account !== true) return null;
  if (!isNewestFirst && (first.total as number) > mostSorted) return 'tooManyToSort';
  if ((first.total as number) > mostCounted) return 'tooMany';
  const shown = rows.filter((row) => row.delivery_number !== null);
  return { items: shown.map(parseRecorded), total: first.total as number };
}

function newestFirst(values: unknown[], nsu: string | null, mostCounted: number): [Statement, unknown[]] {
  return nsu === null ? [LIST, [...values, mostCounted]] : [LIST_OF_NSU, [...values, nsu]];
}

function sorted(
  values: unknown[],
  nsu: string | null,
  { field, isDescending }: Order<DeliveryField>,
  mostSorted: number,
): [Statement, unknown[]] {
  const keyed = [...values, field, mostSorted];
  if (nsu === null) return [isDescending ? SORT_DOWN : SORT_UP, keyed];
  return [isDescending ? SORT_NSU_DOWN : SORT_NSU_UP, [...keyed, nsu]];
}

const FIND = statement(
  'history.find',
  `select ${COLUMNS}, d.body, d.fence, coalesce(e.state <> 'removed', false) as has_endpoint,
     coalesce(d.ended_at < now() - $3 * interval '1 day', false) as is_old, t.history
   from deliveries d left join lateral (
     select url, state from webhook_endpoints where merchant_id = $1 and endpoint = d.endpoint limit 1
   ) e on true cross join lateral (
     select json_agg(json_build_object('tryNumber', try_number,
       'triedAt', floor(extract(epoch from tried_at) * 1000)::bigint, 'milliseconds', milliseconds, 'status', status,
       'failure', failure, 'answer', answer) order by try_number) as history
     from (
       select * from delivery_tries where merchant_id = $1 and delivery_number = $2
       order by try_number desc limit 100
     ) newest
   ) t
   where d.merchant_id = $1 and d.delivery_number = $2`,
);

/** A delivery of this merchant by its number, or null; old after so many days. */
export async function findRecordedDelivery(
  database: Database,
  merchantId: string,
  deliveryNumber: number,
  daysUntilOld: number,
): Promise<WholeDelivery | null> {
  const [row] = await database.query(FIND, [merchantId, deliveryNumber, daysUntilOld]);
  if (row === undefined) return null;
  return {
    ...parseRecorded(row),
    body: row.body as string,
    history: (row.history ?? []) as RecordedTry[],
    fence: row.fence as number,
    hasEndpoint: row.has_endpoint as boolean,
    isOld: row.is_old as boolean,
  };
}

function parseRecorded(row: Row): RecordedDelivery {
  const named = { createdAt: row.created_at as number, deliveryNumber: row.delivery_number as number };
  return {
    deliveryId: deliveryId(named),
    deliveryNumber: named.deliveryNumber,
    kind: row.kind as DeliveryKind,
    state: row.state as DeliveryState,
    transactionId: row.transaction_id as string | null,
    installmentNumber: row.installment_number as number,
    nsu: row.nsu as string | null,
    url: row.url as string | null,
    tries: row.tries as number,
    createdAt: row.created_at as Instant,
    dueAt: row.due_at as Instant | null,
    endedAt: row.ended_at as Instant | null,
  };
}

function timeText(moment: Instant): string {
  return new Date(moment).toISOString();
}
