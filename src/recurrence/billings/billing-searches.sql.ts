import type { Page, TooManyToOrder } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { itemsOf, type PageStatements, pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { BILLING_STATES, type Billing } from './billing.ts';
import { type SearchKind, searchKind, type WantedBillings } from './billing-search.ts';
import { BILLING_JOINS, parseBilling, WHOLE_BILLING } from './billings.sql.ts';

const SHOWN = `${WHOLE_BILLING} from page g cross join lateral (
       select * from billings where merchant_id = $1 and billing_id = g.billing_id limit 1
     ) b ${BILLING_JOINS}`;

const COUNT_ALL = `counted as materialized (
     select count(*) as total from (select from billings where merchant_id = $1 {counted}) c)`;

const ALL_BY_CREATION = pageOf({
  name: 'billings.list_all_by_creation',
  before: COUNT_ALL,
  keys: 'select created_at, billing_id from billings where merchant_id = $1',
  key: 'billing_id',
  order: ['created_at', 'billing_id'],
  shown: SHOWN,
});
const ALL_BY_ID = pageOf({
  name: 'billings.list_all_by_id',
  before: COUNT_ALL,
  keys: 'select billing_id from billings where merchant_id = $1',
  key: 'billing_id',
  order: ['billing_id'],
  shown: SHOWN,
});

/** A range of days and some states: one index range for each state. */
const FOUND = `from billings where merchant_id = $1 and state = any ($4::text[])
  and due_on >= $5::date and due_on <= $6::date`;
const COUNT_FOUND = `counted as materialized (select count(*) as total ${FOUND})`;

/**
 * Two ways to the billings in order of creation; each is far too expensive in place of the other. Up to
 * 300,000 are found by state and day, and sorted: `offset 0` keeps PostgreSQL from following the order. More
 * are read in the order until the page is full: `|| ''` and `+ 0` keep it from using the indexes of state and
 * day.
 */
const FEW = `from (
    select created_at, billing_id ${FOUND} and (select total from counted) <= 300000 offset 0
  ) few`;
const MANY = `from billings where merchant_id = $1 and state || '' = any ($4::text[])
  and due_on + 0 >= $5::date and due_on + 0 <= $6::date and (select total from counted) > 300000`;
/** Ends each part of a union, so that none is read further than the page needs. */
const UP_TO_PAGE = 'order by {order} limit $2::bigint + $3::bigint';

const FOUND_BY_CREATION = pageOf({
  name: 'billings.list_found_by_creation',
  before: COUNT_FOUND,
  keys: `(select created_at, billing_id ${FEW} ${UP_TO_PAGE})
       union all (select created_at, billing_id ${MANY} ${UP_TO_PAGE})`,
  key: 'billing_id',
  order: ['created_at', 'billing_id'],
  shown: SHOWN,
});

/**
 * Reads each state in index order, so that none is read further than the page needs; a null state is not
 * asked for. States are parameters: for constants the planner would choose the index of opened billings,
 * which holds all merchants in another order.
 */
const FOUND_BY_DAY = pageOf({
  name: 'billings.list_found_by_day',
  before: `counted as materialized (select count(*) as total from (select ${FOUND} {counted}) c)`,
  keys: `(select due_on, billing_id from billings where merchant_id = $1 and state = ($4::text[])[{branch}]
  and due_on >= $5::date and due_on <= $6::date ${UP_TO_PAGE})`,
  branches: BILLING_STATES,
  key: 'billing_id',
  order: ['due_on', 'billing_id'],
  shown: SHOWN,
});

/** What to sort by: a number or a word; the other is null. */
const SORT_KEYS = `case $7::text when 'amount' then amount when 'installment' then installment
    when 'expireAt' then due_on - date '2000-01-01'
    when 'createdDate' then (extract(epoch from created_at) * 1000000)::bigint
    when 'modifiedDate' then (extract(epoch from modified_at) * 1000000)::bigint end as number,
  (case $7::text when 'status' then state when 'createdBy' then created_by
    when 'modifiedBy' then modified_by end) collate "C" as word`;

/** Without an index all rows are read and sorted; none is read if they are too many. */
const SORTED = pageOf({
  name: 'billings.list_sorted',
  before: COUNT_FOUND,
  keys: `select billing_id, ${SORT_KEYS} ${FOUND} and (select total from counted) <= $8::bigint`,
  key: 'billing_id',
  order: ['number nulls last', 'word nulls last', 'billing_id'],
  shown: SHOWN,
});

/**
 * The billings of a subscription: those that use up an installment and skipped ones, by one index each. The
 * orders and `offset 0` keep out other indexes, which read more.
 */
const OF_SUBSCRIPTION = `from (
    (select * from billings where merchant_id = $1 and subscription_id = $9::uuid and not is_skipped
      order by installment offset 0)
    union all
    (select * from billings where merchant_id = $1 and subscription_id = $9::uuid and is_skipped
      order by installment offset 0)
  ) o where state = any ($4::text[]) and due_on >= $5::date and due_on <= $6::date`;
const COUNT_OF_SUBSCRIPTION = `counted as materialized (select count(*) as total ${OF_SUBSCRIPTION})`;

const OF_SUBSCRIPTION_SORTED = pageOf({
  name: 'billings.list_of_subscription',
  before: COUNT_OF_SUBSCRIPTION,
  keys: `select billing_id, ${SORT_KEYS} ${OF_SUBSCRIPTION} and (select total from counted) <= $8::bigint`,
  key: 'billing_id',
  order: ['number nulls last', 'word nulls last', 'billing_id'],
  shown: SHOWN,
});

const LISTS: Readonly<Record<SearchKind, PageStatements>> = {
  allByCreation: ALL_BY_CREATION,
  allById: ALL_BY_ID,
  byDay: FOUND_BY_DAY,
  byCreation: FOUND_BY_CREATION,
  sorted: SORTED,
  ofSubscription: OF_SUBSCRIPTION_SORTED,
};

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

/** Refuses to sort more than `mostSorted` rows in an order without an index. */
export async function listFoundBillings(
  database: Reader,
  merchantId: string,
  wanted: WantedBillings,
  mostSorted: number,
): Promise<Page<Billing> | TooManyToOrder> {
  const kind = searchKind(wanted);
  const values = valuesOf(kind, wanted, mostSorted);
  const found = await readPageOf(database, LISTS[kind], merchantId, wanted, values);
  const isSorted = kind === 'sorted' || kind === 'ofSubscription';
  return itemsOf(found, isSorted ? mostSorted : null, parseBilling);
}

function valuesOf(kind: SearchKind, wanted: WantedBillings, mostSorted: number): unknown[] {
  const { subscriptionId, state, dueFrom, dueTo, order } = wanted;
  if (kind === 'allByCreation' || kind === 'allById') return [];
  const states = state === null ? BILLING_STATES : [state];
  const found = [states, dueFrom ?? FIRST_DAY, dueTo ?? LAST_DAY];
  const sorted = [...found, order.field, mostSorted];
  if (kind === 'ofSubscription') return [...sorted, subscriptionId];
  return kind === 'sorted' ? sorted : found;
}
