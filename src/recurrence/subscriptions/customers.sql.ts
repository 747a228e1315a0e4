import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import { readCustomer } from './customer.ts';
import { SUBSCRIPTION_STATES } from './subscription.ts';

const KEY = rowCodec({ merchantId: column.text(), subscriptionId: column.text() });

export type SubscriptionKey = RowOf<typeof KEY>;

const CUSTOMER_SUBSCRIPTION = rowCodec(
  {
    ...KEY.fields,
    /** Null: it is paid without a card. */
    vaultId: column.nullable(column.text()),
    state: column.oneOf(SUBSCRIPTION_STATES),
    orderNumber: column.text(),
    customer: column.parsedBy(readCustomer),
  },
  's',
);

export type CustomerSubscription = RowOf<typeof CUSTOMER_SUBSCRIPTION>;

const LIST = statement(
  'subscriptions.list_of_person',
  `select ${CUSTOMER_SUBSCRIPTION.columns}
   from subscriptions s
   where s.customer ->> 'documentNumber' is not null and s.customer ->> 'documentNumber' = $1
     and ($2::text is null or s.merchant_id = $2) and (s.merchant_id, s.subscription_id) > ($3, $4::uuid)
   order by s.merchant_id, s.subscription_id limit $5`,
);

export const FIRST_SUBSCRIPTION: SubscriptionKey = {
  merchantId: '',
  subscriptionId: '00000000-0000-0000-0000-000000000000',
};

/** With this customer document, in key order after a place. `merchantId` null: all merchants. */
export async function listCustomerSubscriptions(
  database: Database,
  { document, merchantId }: { readonly document: string; readonly merchantId: string | null },
  behind: SubscriptionKey,
  limit: number,
): Promise<CustomerSubscription[]> {
  const values = [document, merchantId, behind.merchantId, behind.subscriptionId, limit];
  return (await database.query(LIST, values)).map(CUSTOMER_SUBSCRIPTION.parse);
}

const NAMED = rowCodec({
  billingId: column.text('b.billing_id'),
  buyer: column.parsedBy(buyerOf, 's.customer'),
});

const FIND_BUYERS = statement(
  'subscriptions.find_buyers_of_billings',
  `select ${NAMED.columns} from billings b
   join subscriptions s on s.merchant_id = b.merchant_id and s.subscription_id = b.subscription_id
   where b.merchant_id = $1 and b.billing_id = any ($2::uuid[]) and s.customer is not null`,
);

/** By billing: whom its subscription is for. */
export async function findBuyersOfBillings(
  database: Reader,
  merchantId: string,
  billingIds: readonly string[],
): Promise<ReadonlyMap<string, Buyer>> {
  if (billingIds.length === 0) return new Map();
  const rows = (await database.query(FIND_BUYERS, [merchantId, billingIds])).map(NAMED.parse);
  return new Map(rows.flatMap(({ billingId, buyer }) => (buyer === null ? [] : [[billingId, buyer]])));
}

/** As if written now: it is read once more by what keeps words of it, which end after so many days. */
const RENEW_OLD = statement(
  'subscriptions.renew_old_customers',
  `with held as materialized (
     select ctid as place from subscriptions
     where customer is not null and customer_written_at < now() - $2 * interval '12 hours'
     order by customer_written_at limit $1
     for no key update skip locked
   )
   update subscriptions set customer_written_at = now()
   where ctid = any (array(select place from held)) and customer is not null
   returning 1`,
);

/** Up to `limit` that were written more than half of so many days ago. */
export async function renewOldCustomers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(RENEW_OLD, [limit, days])).length;
}

const KEYS = inputRows<SubscriptionKey>({
  merchant_id: ['text', (key) => key.merchantId],
  subscription_id: ['uuid', (key) => key.subscriptionId],
});

/** Skips locked rows: a charge never waits for an erasure. */
const ERASE = statement(
  'subscriptions.erase_customers',
  `with held as materialized (
     select o.place from ${KEYS.sql} cross join lateral (
       select ctid as place from subscriptions
       where merchant_id = i.merchant_id and subscription_id = i.subscription_id
         and customer is not null and state in ('canceled', 'completed', 'rejected', 'expired')
       for no key update skip locked
     ) o
   )
   update subscriptions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null
   returning ${KEY.columns}`,
);

/** Except for continuing ones; gives which were erased. */
export async function eraseSubscriptionCustomers(
  tx: Tx,
  keys: readonly SubscriptionKey[],
): Promise<SubscriptionKey[]> {
  return (await tx.query(ERASE, KEYS.values(keys))).map(KEY.parse);
}

const ERASE_OLD = statement(
  'subscriptions.erase_old_customers',
  `with held as materialized (
     select ctid as place from subscriptions
     where customer is not null and state in ('canceled', 'completed', 'rejected', 'expired')
       and state_since < now() - $2 * interval '1 day'
     order by state_since limit $1
     for no key update skip locked
   )
   update subscriptions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null
   returning 1`,
);

/** Up to `limit` that ended so many days of real time ago, oldest first. */
export async function eraseOldSubscriptionCustomers(
  database: Database,
  limit: number,
  days: number,
): Promise<number> {
  return (await database.query(ERASE_OLD, [limit, days])).length;
}
