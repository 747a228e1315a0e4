import type { Page, WantedPage } from '../../platform/pages.ts';
import { type Database, type Row, type Statement, statement } from '../../platform/postgres/database.ts';
import { searchText } from '../plans/plan.ts';
import type { Subscription, SubscriptionField, SubscriptionFilter } from './subscription.ts';
import { parseSubscription, SUBSCRIPTION_COLUMNS } from './subscriptions.sql.ts';

/**
 * Each looked up by itself: a join is planned once, perhaps while the tables were small, and may then read
 * them whole.
 */
const SHOWN = `shown as (
     select g.place, ${SUBSCRIPTION_COLUMNS} from page g cross join lateral (
       select * from subscriptions where merchant_id = $1 and subscription_id = g.subscription_id limit 1
     ) s cross join lateral (
       select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
     ) p
   )
   select c.total, h.* from counted c left join shown h on true order by h.place`;

const ACTIVE = `from subscriptions where merchant_id = $1 and state = 'active'
  and 'active' = any ($2::text[])`;
const BLOCKED = `from subscriptions where merchant_id = $1 and state = 'blocked'
  and 'blocked' = any ($2::text[])`;
const CANCELED = `from subscriptions where merchant_id = $1 and state = 'canceled'
  and 'canceled' = any ($2::text[])`;
const COMPLETED = `from subscriptions where merchant_id = $1 and state = 'completed'
  and 'completed' = any ($2::text[])`;
const COUNTED = `counted as (
     select (select count(*) ${ACTIVE}) + (select count(*) ${BLOCKED}) + (select count(*) ${CANCELED})
       + (select count(*) ${COMPLETED}) as total
   )`;

const NEWEST = 'order by created_at desc, subscription_id desc';
const OLDEST = 'order by created_at, subscription_id';

/**
 * State by state, in the order of the index and never further than the page needs; counted without looking at
 * a row.
 */
const LIST_NEWEST = statement(
  'subscriptions.list_newest',
  `with page as (
     select subscription_id, row_number() over (${NEWEST}) as place from (
       (select created_at, subscription_id ${ACTIVE} ${NEWEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${BLOCKED} ${NEWEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${CANCELED} ${NEWEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${COMPLETED} ${NEWEST} limit $3::bigint + $4::bigint)
     ) f ${NEWEST} limit $3::bigint offset $4::bigint
   ), ${COUNTED}, ${SHOWN}`,
);
const LIST_OLDEST = statement(
  'subscriptions.list_oldest',
  `with page as (
     select subscription_id, row_number() over (${OLDEST}) as place from (
       (select created_at, subscription_id ${ACTIVE} ${OLDEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${BLOCKED} ${OLDEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${CANCELED} ${OLDEST} limit $3::bigint + $4::bigint)
       union all (select created_at, subscription_id ${COMPLETED} ${OLDEST} limit $3::bigint + $4::bigint)
     ) f ${OLDEST} limit $3::bigint offset $4::bigint
   ), ${COUNTED}, ${SHOWN}`,
);

/**
 * Plans by name are few; `offset 0` keeps the look into their subscriptions a look by index, plan by plan.
 */
const NAMED_PLANS = `select plan_id from plans where merchant_id = $1 and strpos(search_name, $5) > 0`;
const OF_NAMED_PLANS = `(${NAMED_PLANS}) n cross join lateral (
       select * from subscriptions where merchant_id = $1 and plan_id = n.plan_id
         and state = any ($2::text[]) offset 0
     ) s`;

const LIST_OF_PLANS_NEWEST = statement(
  'subscriptions.list_of_plans_newest',
  `with found as not materialized (
     select s.created_at, s.subscription_id from ${OF_NAMED_PLANS}
   ), page as (
     select subscription_id, row_number() over (${NEWEST}) as place from (
       select * from found ${NEWEST} limit $3::bigint offset $4::bigint
     ) f
   ), counted as (select count(*) as total from found), ${SHOWN}`,
);
const LIST_OF_PLANS_OLDEST = statement(
  'subscriptions.list_of_plans_oldest',
  `with found as not materialized (
     select s.created_at, s.subscription_id from ${OF_NAMED_PLANS}
   ), page as (
     select subscription_id, row_number() over (${OLDEST}) as place from (
       select * from found ${OLDEST} limit $3::bigint offset $4::bigint
     ) f
   ), counted as (select count(*) as total from found), ${SHOWN}`,
);

/** By the field that is `asked` for all that is found is put in order; words compare by code points. */
const SORTED = `s.subscription_id, (case (select field from asked) when 'id'
  then s.subscription_id::text when 'vaultId' then s.vault_id::text
       when 'orderNumber' then s.order_number when 'createdBy' then s.created_by when 'modifiedBy'
         then s.modified_by
       when 'status' then case s.state when 'completed'
         then 'canceled' else s.state end end) collate "C" as sort_text,
     case (select field from asked) when 'createdDate' then s.created_at when 'modifiedDate'
       then s.modified_at end as sort_time`;
const ASCENDING = 'order by sort_text nulls last, sort_time nulls last, subscription_id';
const DESCENDING = 'order by sort_text desc nulls last, sort_time desc nulls last, subscription_id desc';
const PAGE_ASCENDING = `page as (
     select subscription_id, row_number() over (${ASCENDING}) as place from (
       select * from found ${ASCENDING} limit $3::bigint offset $4::bigint
     ) f
   ), counted as (select count(*) as total from found), ${SHOWN}`;
const PAGE_DESCENDING = `page as (
     select subscription_id, row_number() over (${DESCENDING}) as place from (
       select * from found ${DESCENDING} limit $3::bigint offset $4::bigint
     ) f
   ), counted as (select count(*) as total from found), ${SHOWN}`;

const SORT_ASCENDING = statement(
  'subscriptions.sort_ascending',
  `with asked as (select $5::text as field), found as not materialized (
     select ${SORTED} from subscriptions s where s.merchant_id = $1 and s.state = any ($2::text[])
   ), ${PAGE_ASCENDING}`,
);
const SORT_DESCENDING = statement(
  'subscriptions.sort_descending',
  `with asked as (select $5::text as field), found as not materialized (
     select ${SORTED} from subscriptions s where s.merchant_id = $1 and s.state = any ($2::text[])
   ), ${PAGE_DESCENDING}`,
);
const SORT_OF_PLANS_ASCENDING = statement(
  'subscriptions.sort_of_plans_ascending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED}
    from ${OF_NAMED_PLANS}), ${PAGE_ASCENDING}`,
);
const SORT_OF_PLANS_DESCENDING = statement(
  'subscriptions.sort_of_plans_descending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED}
    from ${OF_NAMED_PLANS}), ${PAGE_DESCENDING}`,
);

/**
 * What has one order number or one stored card is few: it is read whole, and its plans with it where they
 * matter.
 */
const IS_WANTED = `s.state = any ($2::text[]) and case when $5::text = '' then true else strpos((
       select search_name from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
     ), $5) > 0 end`;
const OF_ORDER = `subscriptions s where s.merchant_id = $1 and s.order_number = $7
       and s.vault_id = coalesce($8::uuid, s.vault_id) and ${IS_WANTED}`;
const OF_CARD = `subscriptions s where s.merchant_id = $1 and s.vault_id = $7::uuid and ${IS_WANTED}`;

const LIST_OF_ORDER_ASCENDING = statement(
  'subscriptions.list_of_order_ascending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED} from ${OF_ORDER}),
    ${PAGE_ASCENDING}`,
);
const LIST_OF_ORDER_DESCENDING = statement(
  'subscriptions.list_of_order_descending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED} from ${OF_ORDER}),
    ${PAGE_DESCENDING}`,
);
const LIST_OF_CARD_ASCENDING = statement(
  'subscriptions.list_of_card_ascending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED} from ${OF_CARD}),
    ${PAGE_ASCENDING}`,
);
const LIST_OF_CARD_DESCENDING = statement(
  'subscriptions.list_of_card_descending',
  `with asked as (select $6::text as field), found as not materialized (select ${SORTED} from ${OF_CARD}),
    ${PAGE_DESCENDING}`,
);

/** A page of this merchant's subscriptions, and how many there are in all, both of one moment. */
export async function searchSubscriptions(
  database: Database,
  merchantId: string,
  filter: SubscriptionFilter,
  wanted: WantedPage<SubscriptionField>,
): Promise<Page<Subscription>> {
  const { wantedStatement, values } = searchFor(filter, wanted);
  const { page, limit } = wanted;
  const common = [merchantId, filter.states, limit, (page - 1) * limit];
  const rows = await database.query(wantedStatement, [...common, ...values]);
  const [first] = rows as [Row, ...Row[]];
  const shown = rows.filter((row) => row.place !== null);
  return { items: shown.map(parseSubscription), total: first.total as number };
}

/**
 * The statement whose index leads straight to what is looked for, and its values after those that all have.
 */
function searchFor(
  { planName, orderNumber, vaultId }: SubscriptionFilter,
  { order: { field, isDescending } }: WantedPage<SubscriptionField>,
): { readonly wantedStatement: Statement; readonly values: readonly unknown[] } {
  const name = searchText(planName ?? '');
  const sorting = [name, field];
  if (orderNumber !== null) {
    const wantedStatement = isDescending ? LIST_OF_ORDER_DESCENDING : LIST_OF_ORDER_ASCENDING;
    return { wantedStatement, values: [...sorting, orderNumber, vaultId] };
  }
  if (vaultId !== null) {
    const wantedStatement = isDescending ? LIST_OF_CARD_DESCENDING : LIST_OF_CARD_ASCENDING;
    return { wantedStatement, values: [...sorting, vaultId] };
  }
  const isByCreation = field === 'createdDate';
  if (planName !== null && isByCreation) {
    return { wantedStatement: isDescending ? LIST_OF_PLANS_NEWEST : LIST_OF_PLANS_OLDEST, values: [name] };
  }
  if (planName !== null) {
    const wantedStatement = isDescending ? SORT_OF_PLANS_DESCENDING : SORT_OF_PLANS_ASCENDING;
    return { wantedStatement, values: sorting };
  }
  if (!isByCreation) {
    return { wantedStatement: isDescending ? SORT_DESCENDING : SORT_ASCENDING, values: [field] };
  }
  return { wantedStatement: isDescending ? LIST_NEWEST : LIST_OLDEST, values: [] };
}
