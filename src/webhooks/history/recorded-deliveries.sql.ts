import type { Page, TooManyToOrder } from '../../platform/pages.ts';
import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { itemsOf, type PageStatements, pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Instant } from '../../values/instant.ts';
import { DELIVERY_KINDS, DELIVERY_STATES, deliveryId } from '../deliveries/delivery.ts';
import type { DeliveryFilter, RecordedDelivery, RecordedTry, WholeDelivery } from './recorded-delivery.ts';

const RECORDED = rowCodec(
  {
    deliveryNumber: column.whole(),
    kind: column.oneOf(DELIVERY_KINDS),
    state: column.oneOf(DELIVERY_STATES),
    transactionId: column.nullable(column.text()),
    installmentNumber: column.whole(),
    nsu: column.nullable(column.text()),
    url: column.nullable(column.text('coalesce(d.url, e.url)')),
    tries: column.whole(),
    createdAt: column.instant(),
    dueAt: column.nullable(column.instant()),
    endedAt: column.nullable(column.instant()),
  },
  'd',
);

const SHOWN = `${RECORDED.columns} from page g cross join lateral (
       select * from deliveries where merchant_id = $1 and delivery_number = g.delivery_number limit 1
     ) d left join lateral (
       select url from webhook_endpoints where merchant_id = $1 and endpoint = d.endpoint limit 1
     ) e on true`;

const IS_ACCOUNT =
  'exists (select from accounts where merchant_id = $1 and account_number = $4) as is_account';
const IN_PERIOD = 'merchant_id = $1 and account_number = $4 and created_at >= $6 and created_at < $7';

const WAITING = `from deliveries where ${IN_PERIOD} and state = 'waiting' and 'waiting' = any ($5::text[])`;
const DELIVERED = `from deliveries where ${IN_PERIOD} and state = 'delivered'
  and 'delivered' = any ($5::text[])`;
const GIVEN_UP = `from deliveries where ${IN_PERIOD} and state = 'givenUp' and 'givenUp' = any ($5::text[])`;
const UP_TO_PAGE = 'order by {order} limit $2::bigint + $3::bigint';

/** Reads the states one by one in index order, no further than the page, and counts no further than `$8`. */
const BY_CREATION = pageOf({
  name: 'history.list',
  before: `counted as (
     select (
         select count(*) from (
           select * from (
             select 1 ${WAITING} union all select 1 ${DELIVERED} union all select 1 ${GIVEN_UP}
             limit $8::bigint + 1
           ) found {counted}
         ) c
       ) as total, ${IS_ACCOUNT}
   )`,
  keys: `(select created_at, delivery_number ${WAITING} ${UP_TO_PAGE})
       union all (select created_at, delivery_number ${DELIVERED} ${UP_TO_PAGE})
       union all (select created_at, delivery_number ${GIVEN_UP} ${UP_TO_PAGE})`,
  key: 'delivery_number',
  order: ['created_at', 'delivery_number'],
  shown: SHOWN,
});

/** An NSU has few deliveries, so all of them are read. */
const OF_NSU_BY_CREATION = pageOf({
  name: 'history.list_of_nsu',
  before: `found as (
     select created_at, delivery_number from deliveries
     where ${IN_PERIOD} and state = any ($5::text[]) and nsu = $9 limit $8::bigint + 1
   ), counted as (select (select count(*) from found) as total, ${IS_ACCOUNT})`,
  keys: 'select * from found',
  key: 'delivery_number',
  order: ['created_at', 'delivery_number'],
  shown: SHOWN,
});

/** The value to sort by, for an order without an index: up to `$8` rows are sorted. Nulls come last. */
const SORT_KEYS = `(case $9::text
      when 'movementId' then case when d.kind in ('movement', 'test') then d.delivery_number end
      when 'installmentNumber' then case when d.kind = 'movement' then d.installment_number end
      when 'tries' then d.tries
      when 'id' then floor(extract(epoch from d.created_at) * 1000)::bigint
      when 'nextTryAt' then (extract(epoch from d.due_at) * 1000000)::bigint
      when 'endedAt' then (extract(epoch from d.ended_at) * 1000000)::bigint end) as number,
    (case $9::text when 'kind' then d.kind when 'status' then d.state when 'nsu' then d.nsu
      when 'paymentId' then case when d.kind <> 'notice' then d.transaction_id::text end
      when 'noticeOf' then case when d.kind = 'notice' then d.transaction_id::text end
      when 'url' then coalesce(d.url, (
        select t.url from webhook_endpoints t where t.merchant_id = $1 and t.endpoint = d.endpoint limit 1
      )) end) collate "C" as word`;
const COUNTED = `counted as materialized (select (select count(*) from found) as total, ${IS_ACCOUNT})`;
const SORTABLE = `select d.delivery_number, ${SORT_KEYS}
     from (
       select delivery_number from found where (select total from counted) <= $8::bigint
     ) f cross join lateral (
       select * from deliveries where merchant_id = $1 and delivery_number = f.delivery_number limit 1
     ) d`;

const SORTED = pageOf({
  name: 'history.sort',
  before: `found as materialized (
     select delivery_number from deliveries where ${IN_PERIOD} and state = any ($5::text[])
     limit $8::bigint + 1
   ), ${COUNTED}`,
  keys: SORTABLE,
  key: 'delivery_number',
  order: ['number nulls last', 'word nulls last', 'delivery_number'],
  shown: SHOWN,
});
const SORTED_OF_NSU = pageOf({
  name: 'history.sort_of_nsu',
  before: `found as materialized (
     select delivery_number from deliveries
     where ${IN_PERIOD} and state = any ($5::text[]) and nsu = $10 limit $8::bigint + 1
   ), ${COUNTED}`,
  keys: SORTABLE,
  key: 'delivery_number',
  order: ['number nulls last', 'word nulls last', 'delivery_number'],
  shown: SHOWN,
});

export type ListBounds = { readonly mostCounted: number; readonly mostSorted: number };

/**
 * null: the merchant has no such account. `periodTooFull`: the period has more than `mostCounted` deliveries.
 */
export async function listRecordedDeliveries(
  database: Reader,
  merchantId: string,
  filter: DeliveryFilter,
  { mostCounted, mostSorted }: ListBounds,
): Promise<Page<RecordedDelivery> | 'periodTooFull' | TooManyToOrder | null> {
  const { accountNumber, states, nsu, period, order } = filter;
  const isByCreation = order.field === 'createdAt';
  const bound = isByCreation ? mostCounted : mostSorted;
  const values: unknown[] = [accountNumber, states, timeText(period.from), timeText(period.to), bound];
  if (!isByCreation) values.push(order.field);
  if (nsu !== null) values.push(nsu);
  const list = isByCreation ? [BY_CREATION, OF_NSU_BY_CREATION] : [SORTED, SORTED_OF_NSU];
  const statements = list[nsu === null ? 0 : 1] as PageStatements;
  const found = await readPageOf(database, statements, merchantId, filter, values);
  if (found.counted.is_account !== true) return null;
  if (isByCreation && found.total > mostCounted) return 'periodTooFull';
  return itemsOf(found, isByCreation ? null : mostSorted, parseRecorded);
}

const TRY = rowCodec<RecordedTry>({
  tryNumber: column.whole(),
  triedAt: column.instant(),
  milliseconds: column.whole(),
  status: column.nullable(column.whole()),
  failure: column.nullable(column.text()),
  answer: column.nullable(column.text()),
});

const WHOLE = rowCodec(
  {
    body: column.text(),
    fence: column.whole(),
    hasEndpoint: column.boolean("coalesce(e.state <> 'removed', false)"),
    isOld: column.boolean("coalesce(d.ended_at < now() - $3 * interval '1 day', false)"),
    history: column.parsedBy(
      (tries) => (tries === null ? [] : Array.isArray(tries) ? tries.map(TRY.parse) : undefined),
      't.history',
    ),
  },
  'd',
);

const FIND = statement(
  'history.find',
  `select ${RECORDED.columns}, ${WHOLE.columns}
   from deliveries d left join lateral (
     select url, state from webhook_endpoints where merchant_id = $1 and endpoint = d.endpoint limit 1
   ) e on true cross join lateral (
     select json_agg(json_build_object('try_number', try_number,
       'tried_at', floor(extract(epoch from tried_at) * 1000)::bigint, 'milliseconds', milliseconds, 'status', status,
       'failure', failure, 'answer', answer) order by try_number) as history
     from (
       select * from delivery_tries where merchant_id = $1 and delivery_number = $2
       order by try_number desc limit 100
     ) newest
   ) t
   where d.merchant_id = $1 and d.delivery_number = $2`,
);

/** `isOld` of the result: the delivery ended more than `daysUntilOld` days ago. */
export async function findRecordedDelivery(
  database: Reader,
  merchantId: string,
  deliveryNumber: number,
  daysUntilOld: number,
): Promise<WholeDelivery | null> {
  const [row] = await database.query(FIND, [merchantId, deliveryNumber, daysUntilOld]);
  return row === undefined ? null : { ...parseRecorded(row), ...WHOLE.parse(row) };
}

function parseRecorded(row: Row): RecordedDelivery {
  const recorded = RECORDED.parse(row);
  return { deliveryId: deliveryId(recorded), ...recorded };
}

function timeText(moment: Instant): string {
  return new Date(moment).toISOString();
}
