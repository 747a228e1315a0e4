import type { Page } from '../../platform/pages.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { BILLING_STATES, type Billing } from './billing.ts';
import { type SearchKind, searchKind, type WantedBillings } from './billing-search.ts';
import { BILLING_COLUMNS, BILLING_JOINS, parseBilling } from './billings.sql.ts';

/** The rows of a page, found by its keys alone, and the total, which an empty page has too. */
const SHOWN = `shown as (
     select k.place, ${BILLING_COLUMNS}
     from page k cross join lateral (
       select * from billings where merchant_id = $1 and billing_id = k.billing_id limit 1
     ) b ${BILLING_JOINS}
   )
   select c.total, s.* from counted c left join shown s on true order by s.place`;

const COUNT_ALL = 'counted as materialized (select count(*) as total from billings where merchant_id = $1)';

const ALL_NEWEST = statement(
  'billings.list_all_newest',
  `with ${COUNT_ALL}, page as (
     select billing_id, row_number() over (order by created_at desc, billing_id desc) as place from (
       select created_at, billing_id from billings where merchant_id = $1
       order by created_at desc, billing_id desc limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);
const ALL_OLDEST = statement(
  'billings.list_all_oldest',
  `with ${COUNT_ALL}, page as (
     select billing_id, row_number() over (order by created_at, billing_id) as place from (
       select created_at, billing_id from billings where merchant_id = $1
       order by created_at, billing_id limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);
const ALL_BY_ID_DOWN = statement(
  'billings.list_all_by_id_down',
  `with ${COUNT_ALL}, page as (
     select billing_id, row_number() over (order by billing_id desc) as place from (
       select billing_id from billings where merchant_id = $1 order by billing_id desc limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);
const ALL_BY_ID_UP = statement(
  'billings.list_all_by_id_up',
  `with ${COUNT_ALL}, page as (
     select billing_id, row_number() over (order by billing_id) as place from (
       select billing_id from billings where merchant_id = $1 order by billing_id limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);

/** A range of days of some states: one stretch of the index for each of them. */
const FOUND = `from billings where merchant_id = $1 and state = any ($4::text[])
  and due_on >= $5::date and due_on <= $6::date`;
const COUNT_FOUND = `counted as materialized (select count(*) as total ${FOUND})`;

/**
 * Few are found by state and day and put in order; the newest of many are met soon on a walk over everything
 * in its order. `offset 0` keeps the order out of the first, and the texts and days that are changed a little
 * keep other indexes out of the second: either way costs far too much in the place of the other.
 */
const FEW = `from (
    select created_at, billing_id ${FOUND} and (select total from counted) <= 300000 offset 0
  ) few`;
const MANY = `from billings where merchant_id = $1 and state || '' = any ($4::text[])
  and due_on + 0 >= $5::date and due_on + 0 <= $6::date and (select total from counted) > 300000`;
const NEWEST = 'order by created_at desc, billing_id desc limit $2::bigint + $3::bigint';
const OLDEST = 'order by created_at, billing_id limit $2::bigint + $3::bigint';

const FOUND_NEWEST = statement(
  'billings.list_found_newest',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by created_at desc, billing_id desc) as place from (
       (select created_at, billing_id ${FEW} ${NEWEST})
       union all (select created_at, billing_id ${MANY} ${NEWEST})
       order by created_at desc, billing_id desc limit $2::bigint offset $3::bigint
     ) keys
   ), ${SHOWN}`,
);
const FOUND_OLDEST = statement(
  'billings.list_found_oldest',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by created_at, billing_id) as place from (
       (select created_at, billing_id ${FEW} ${OLDEST})
       union all (select created_at, billing_id ${MANY} ${OLDEST})
       order by created_at, billing_id limit $2::bigint offset $3::bigint
     ) keys
   ), ${SHOWN}`,
);

/**
 * State by state, each in the order of the index, so that none is read further than the page needs. A state
 * that was not asked for is null. None is named in the text: an index of opened ones alone, in another order
 * and of all merchants, would be taken for it.
 */
const FIRST = `from billings where merchant_id = $1 and state = ($4::text[])[1]
  and due_on >= $5::date and due_on <= $6::date`;
const SECOND = `from billings where merchant_id = $1 and state = ($4::text[])[2]
  and due_on >= $5::date and due_on <= $6::date`;
const THIRD = `from billings where merchant_id = $1 and state = ($4::text[])[3]
  and due_on >= $5::date and due_on <= $6::date`;
const FOURTH = `from billings where merchant_id = $1 and state = ($4::text[])[4]
  and due_on >= $5::date and due_on <= $6::date`;
const FIFTH = `from billings where merchant_id = $1 and state = ($4::text[])[5]
  and due_on >= $5::date and due_on <= $6::date`;
const LAST_DUE = 'order by due_on desc, billing_id desc limit $2::bigint + $3::bigint';
const FIRST_DUE = 'order by due_on, billing_id limit $2::bigint + $3::bigint';

const LAST_DUE_FIRST = statement(
  'billings.list_last_due_first',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by due_on desc, billing_id desc) as place from (
       (select due_on, billing_id ${FIRST} ${LAST_DUE})
       union all (select due_on, billing_id ${SECOND} ${LAST_DUE})
       union all (select due_on, billing_id ${THIRD} ${LAST_DUE})
       union all (select due_on, billing_id ${FOURTH} ${LAST_DUE})
       union all (select due_on, billing_id ${FIFTH} ${LAST_DUE})
       order by due_on desc, billing_id desc limit $2::bigint offset $3::bigint
     ) keys
   ), ${SHOWN}`,
);
const FIRST_DUE_FIRST = statement(
  'billings.list_first_due_first',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by due_on, billing_id) as place from (
       (select due_on, billing_id ${FIRST} ${FIRST_DUE})
       union all (select due_on, billing_id ${SECOND} ${FIRST_DUE})
       union all (select due_on, billing_id ${THIRD} ${FIRST_DUE})
       union all (select due_on, billing_id ${FOURTH} ${FIRST_DUE})
       union all (select due_on, billing_id ${FIFTH} ${FIRST_DUE})
       order by due_on, billing_id limit $2::bigint offset $3::bigint
     ) keys
   ), ${SHOWN}`,
);

/** What an order goes by; what was never changed comes last. */
const SORT_KEYS = `case $7::text when 'amount' then amount when 'installment' then installment
  when 'expireAt' then due_on - date '2000-01-01'
    when 'createdDate' then (extract(epoch from created_at) * 1000000)::bigint
    when 'modifiedDate' then coalesce((extract(epoch from modified_at) * 1000000)::bigint,
  0) else 0 end as number, (case $7::text when 'status' then state when 'createdBy' then created_by
  when 'modifiedBy'
    then coalesce(modified_by, '')
    else '' end) collate "C" as word,
  $7::text in ('modifiedBy', 'modifiedDate') and modified_at is null as is_absent`;

/**
 * The order that no index has: every row is read and put in order, so nothing is when they are more than the
 * bound.
 */
const SORTABLE = `select billing_id, ${SORT_KEYS} ${FOUND} and (select total from counted) <= $8::bigint`;

const SORTED_DOWN = statement(
  'billings.list_sorted_down',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by is_absent, number desc, word desc,
       billing_id desc) as place from (
       select * from (${SORTABLE}) sortable order by is_absent, number desc, word desc, billing_id desc
         limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);
const SORTED_UP = statement(
  'billings.list_sorted_up',
  `with ${COUNT_FOUND}, page as (
     select billing_id, row_number() over (order by is_absent, number, word, billing_id) as place from (
       select * from (${SORTABLE}) sortable order by is_absent, number, word, billing_id limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);

/**
 * All of one subscription: those that count, and beside them those that were skipped, each from an index of
 * their own. Orders and `offset 0` keep the other indexes of the table out: they would lead over everything
 * that the merchant has.
 */
const OF_SUBSCRIPTION = `from (
    (select * from billings where merchant_id = $1 and subscription_id = $9::uuid and not is_skipped
      order by installment offset 0)
    union all
    (select * from billings where merchant_id = $1 and subscription_id = $9::uuid and is_skipped
      order by installment offset 0)
  ) o where state = any ($4::text[]) and due_on >= $5::date and due_on <= $6::date`;
const COUNT_OF_SUBSCRIPTION = `counted as materialized (select count(*) as total ${OF_SUBSCRIPTION})`;
const SORTABLE_OF_SUBSCRIPTION = `select billing_id, ${SORT_KEYS} ${OF_SUBSCRIPTION}
  and (select total from counted) <= $8::bigint`;

const OF_SUBSCRIPTION_DOWN = statement(
  'billings.list_of_subscription_down',
  `with ${COUNT_OF_SUBSCRIPTION}, page as (
     select billing_id, row_number() over (order by is_absent, number desc, word desc,
       billing_id desc) as place from (
       select * from (${SORTABLE_OF_SUBSCRIPTION}) sortable
       order by is_absent, number desc, word desc, billing_id desc limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);
const OF_SUBSCRIPTION_UP = statement(
  'billings.list_of_subscription_up',
  `with ${COUNT_OF_SUBSCRIPTION}, page as (
     select billing_id, row_number() over (order by is_absent, number, word, billing_id) as place from (
       select * from (${SORTABLE_OF_SUBSCRIPTION}) sortable order by is_absent, number, word,
         billing_id limit $2 offset $3
     ) keys
   ), ${SHOWN}`,
);

/** By the kind of a search: descending, and ascending. */
const STATEMENTS = {
  allByCreation: [ALL_NEWEST, ALL_OLDEST],
  allById: [ALL_BY_ID_DOWN, ALL_BY_ID_UP],
  byDay: [LAST_DUE_FIRST, FIRST_DUE_FIRST],
  byCreation: [FOUND_NEWEST, FOUND_OLDEST],
  sorted: [SORTED_DOWN, SORTED_UP],
  ofSubscription: [OF_SUBSCRIPTION_DOWN, OF_SUBSCRIPTION_UP],
} as const satisfies Record<SearchKind, unknown>;

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

/**
 * A page of this merchant's billings and how many there are in all, of one moment; `tooMany`: more than
 * `mostSorted`, in an order that needs all of them read.
 */
export async function listFoundBillings(
  database: Database,
  merchantId: string,
  wanted: WantedBillings,
  mostSorted: number,
): Promise<Page<Billing> | 'tooMany'> {
  const kind = searchKind(wanted);
  const [down, up] = STATEMENTS[kind];
  const values = valuesOf(kind, merchantId, wanted, mostSorted);
  const rows = await database.query(wanted.order.isDescending ? down : up, values);
  const total = (rows as [Row, ...Row[]])[0].total as number;
  const isSorted = kind === 'sorted' || kind === 'ofSubscription';
  if (isSorted && total > mostSorted) return 'tooMany';
  return { items: rows.filter((row) => row.place !== null).map(parseBilling), total };
}

function valuesOf(
  kind: SearchKind,
  merchantId: string,
  wanted: WantedBillings,
  mostSorted: number,
): unknown[] {
  const { page, limit, subscriptionId, state, dueFrom, dueTo, order } = wanted;
  const ofPage = [merchantId, limit, (page - 1) * limit];
  if (kind === 'allByCreation' || kind === 'allById') return ofPage;
  const states = state === null ? BILLING_STATES : [state];
  const found = [...ofPage, states, dueFrom ?? FIRST_DAY, dueTo ?? LAST_DAY];
  const sorted = [...found, order.field, mostSorted];
  if (kind === 'ofSubscription') return [...sorted, subscriptionId];
  return kind === 'sorted' ? sorted : found;
}
