import type { Page, TooManyToOrder, WantedPage } from '../../platform/pages.ts';
import type { Reader } from '../../platform/postgres/database.ts';
import { itemsOf, type PageStatements, pageOf, readPageOf } from '../../platform/postgres/page-of.ts';
import { searchText } from '../plans/plan.ts';
import type { Subscription, SubscriptionField, SubscriptionFilter } from './subscription.ts';
import { parseSubscription, WHOLE_SUBSCRIPTION } from './subscriptions.sql.ts';

const SHOWN = `${WHOLE_SUBSCRIPTION} from page g cross join lateral (
       select * from subscriptions where merchant_id = $1 and subscription_id = g.subscription_id limit 1
     ) s cross join lateral (
       select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
     ) p`;

const ACTIVE = `from subscriptions where merchant_id = $1 and state = 'active'
  and 'active' = any ($4::text[])`;
const BLOCKED = `from subscriptions where merchant_id = $1 and state = 'blocked'
  and 'blocked' = any ($4::text[])`;
const CANCELED = `from subscriptions where merchant_id = $1 and state = 'canceled'
  and 'canceled' = any ($4::text[])`;
const COMPLETED = `from subscriptions where merchant_id = $1 and state = 'completed'
  and 'completed' = any ($4::text[])`;
const PENDING = `from subscriptions where merchant_id = $1 and state = 'pending'
  and 'pending' = any ($4::text[])`;
const REJECTED = `from subscriptions where merchant_id = $1 and state = 'rejected'
  and 'rejected' = any ($4::text[])`;
const EXPIRED = `from subscriptions where merchant_id = $1 and state = 'expired'
  and 'expired' = any ($4::text[])`;
const UP_TO_PAGE = 'order by {order} limit $2::bigint + $3::bigint';

/** Each state in index order, no further than the page needs; counted from the index alone. */
const BY_CREATION = pageOf({
  name: 'subscriptions.list',
  before: `counted as (
     select count(*) as total from (
       select * from (
         (select 1 ${ACTIVE} {counted}) union all (select 1 ${BLOCKED} {counted})
         union all (select 1 ${CANCELED} {counted}) union all (select 1 ${COMPLETED} {counted})
         union all (select 1 ${PENDING} {counted}) union all (select 1 ${REJECTED} {counted})
         union all (select 1 ${EXPIRED} {counted})
       ) o {counted}
     ) c
   )`,
  keys: `(select created_at, subscription_id ${ACTIVE} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${BLOCKED} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${CANCELED} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${COMPLETED} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${PENDING} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${REJECTED} ${UP_TO_PAGE})
       union all (select created_at, subscription_id ${EXPIRED} ${UP_TO_PAGE})`,
  key: 'subscription_id',
  order: ['created_at', 'subscription_id'],
  shown: SHOWN,
});

/** Plans with a name are few; `offset 0` keeps the look-up of their subscriptions by index, plan by plan. */
const OF_NAMED_PLANS = `(
       select plan_id from plans where merchant_id = $1 and strpos(search_name, $5) > 0
     ) n cross join lateral (
       select * from subscriptions where merchant_id = $1 and plan_id = n.plan_id
         and state = any ($4::text[]) offset 0
     ) s where true`;

const OF_PLANS_BY_CREATION = pageOf({
  name: 'subscriptions.list_of_plans',
  before: `counted as (select count(*) as total from (select from ${OF_NAMED_PLANS} {counted}) c)`,
  keys: `select s.created_at, s.subscription_id from ${OF_NAMED_PLANS}`,
  key: 'subscription_id',
  order: ['created_at', 'subscription_id'],
  shown: SHOWN,
});

/** Sorts all results by code points, or nothing above the bound `$6`. `$7`: field. `$5`: plan's name. */
const SORTED = `s.subscription_id, (case $7::text when 'id'
  then s.subscription_id::text when 'vaultId' then s.vault_id::text
       when 'orderNumber' then s.order_number when 'createdBy' then s.created_by when 'modifiedBy'
         then s.modified_by
       when 'status' then case s.state when 'completed'
         then 'canceled' else s.state end end) collate "C" as sort_text,
     case $7::text when 'createdDate' then s.created_at when 'modifiedDate'
       then s.modified_at end as sort_time`;
const IN_BOUND = '(select total from counted) <= $6::bigint';

const EVERY = `subscriptions s where s.merchant_id = $1 and s.state = any ($4::text[]) and $5::text = ''`;
const SORTED_OF_ALL = pageOf({
  name: 'subscriptions.sort',
  before: `counted as materialized (select count(*) as total from ${EVERY})`,
  keys: `select ${SORTED} from ${EVERY} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});
const SORTED_OF_PLANS = pageOf({
  name: 'subscriptions.sort_of_plans',
  before: `counted as materialized (select count(*) as total from ${OF_NAMED_PLANS})`,
  keys: `select ${SORTED} from ${OF_NAMED_PLANS} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});

/**
 * Few subscriptions have one order number, card or customer: all are read. `$9` to `$11`: further filters, or
 * null.
 */
const IS_WANTED = `s.state = any ($4::text[]) and case when $5::text = '' then true else strpos((
       select search_name from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
     ), $5) > 0 end and ($9::uuid is null or s.vault_id = $9)
       and ($10::text is null or s.customer ->> 'documentNumber' = $10)
       and ($11::text is null or lower(s.customer ->> 'email') = lower($11))`;
const OF_ORDER = `subscriptions s where s.merchant_id = $1 and s.order_number = $8 and ${IS_WANTED}`;
const OF_CARD = `subscriptions s where s.merchant_id = $1 and s.vault_id = $8::uuid and ${IS_WANTED}`;
const OF_DOCUMENT = `subscriptions s where s.merchant_id = $1 and s.customer ->> 'documentNumber' is not null
       and s.customer ->> 'documentNumber' = $8 and ${IS_WANTED}`;
const OF_EMAIL = `subscriptions s where s.merchant_id = $1 and s.customer ->> 'email' is not null
       and lower(s.customer ->> 'email') = lower($8) and ${IS_WANTED}`;

const SORTED_OF_ORDER = pageOf({
  name: 'subscriptions.list_of_order',
  before: `counted as materialized (select count(*) as total from ${OF_ORDER})`,
  keys: `select ${SORTED} from ${OF_ORDER} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});
const SORTED_OF_CARD = pageOf({
  name: 'subscriptions.list_of_card',
  before: `counted as materialized (select count(*) as total from ${OF_CARD})`,
  keys: `select ${SORTED} from ${OF_CARD} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});

const SORTED_OF_DOCUMENT = pageOf({
  name: 'subscriptions.list_of_document',
  before: `counted as materialized (select count(*) as total from ${OF_DOCUMENT})`,
  keys: `select ${SORTED} from ${OF_DOCUMENT} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});
const SORTED_OF_EMAIL = pageOf({
  name: 'subscriptions.list_of_email',
  before: `counted as materialized (select count(*) as total from ${OF_EMAIL})`,
  keys: `select ${SORTED} from ${OF_EMAIL} and ${IN_BOUND}`,
  key: 'subscription_id',
  order: ['sort_text nulls last', 'sort_time nulls last', 'subscription_id'],
  shown: SHOWN,
});

/** Refuses to sort more than `mostSorted` rows in an order without an index. */
export async function searchSubscriptions(
  database: Reader,
  merchantId: string,
  filter: SubscriptionFilter,
  wanted: WantedPage<SubscriptionField>,
  mostSorted: number,
): Promise<Page<Subscription> | TooManyToOrder> {
  const { list, isSorted, values } = searchFor(filter, wanted, mostSorted);
  const found = await readPageOf(database, list, merchantId, wanted, [filter.states, ...values]);
  return itemsOf(found, isSorted ? mostSorted : null, parseSubscription);
}

type SearchOfKind = {
  readonly list: PageStatements;
  readonly isSorted: boolean;
  /** What follows the states, which every statement takes. */
  readonly values: readonly unknown[];
};

function searchFor(
  { planName, orderNumber, vaultId, documentNumber, email }: SubscriptionFilter,
  { order: { field } }: WantedPage<SubscriptionField>,
  mostSorted: number,
): SearchOfKind {
  const name = searchText(planName ?? '');
  const sorted = (list: PageStatements, ...values: readonly unknown[]): SearchOfKind => ({
    list,
    isSorted: true,
    values: [name, mostSorted, field, ...values],
  });
  const beside = [vaultId, documentNumber, email];
  if (orderNumber !== null) return sorted(SORTED_OF_ORDER, orderNumber, ...beside);
  if (documentNumber !== null) return sorted(SORTED_OF_DOCUMENT, documentNumber, ...beside);
  if (email !== null) return sorted(SORTED_OF_EMAIL, email, ...beside);
  if (vaultId !== null) return sorted(SORTED_OF_CARD, vaultId, ...beside);
  if (field !== 'createdDate') return sorted(planName === null ? SORTED_OF_ALL : SORTED_OF_PLANS);
  if (planName === null) return { list: BY_CREATION, isSorted: false, values: [] };
  return { list: OF_PLANS_BY_CREATION, isSorted: false, values: [name] };
}
