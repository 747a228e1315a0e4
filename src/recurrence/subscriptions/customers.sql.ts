import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { type PersonFilter, personalData } from '../../platform/postgres/personal-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Buyer, buyerOf } from '../../transactions/customers/buyer.ts';
import { readCustomer } from './customer.ts';
import { SUBSCRIPTION_STATES } from './subscription.ts';

const CUSTOMER_SUBSCRIPTION = rowCodec(
  {
    merchantId: column.text(),
    subscriptionId: column.text(),
    /** null: paid without a card. */
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

/** The subscriptions of a person in order of their keys, after `behind`. */
export async function listCustomerSubscriptions(
  database: Database,
  { document, merchantId }: PersonFilter,
  behind: Pick<CustomerSubscription, 'merchantId' | 'subscriptionId'>,
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

/** The customers of the billings' subscriptions, by billing. */
export async function findBuyersOfBillings(
  database: Reader,
  merchantId: string,
  billingIds: readonly string[],
): Promise<ReadonlyMap<string, Buyer>> {
  if (billingIds.length === 0) return new Map();
  const rows = (await database.query(FIND_BUYERS, [merchantId, billingIds])).map(NAMED.parse);
  return new Map(rows.flatMap(({ billingId, buyer }) => (buyer === null ? [] : [[billingId, buyer]])));
}

/**
 * Marks customers as written now, so that they are read again into the records of buyers, which expire after
 * so many days.
 */
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

/** Renews up to `limit` customers written more than half of `days` ago. Returns how many. */
export async function renewOldCustomers(database: Database, limit: number, days: number): Promise<number> {
  return (await database.query(RENEW_OLD, [limit, days])).length;
}

/** Only of ended subscriptions: a continuing one needs its customer. */
export const CUSTOMERS = personalData({
  table: 'subscriptions',
  id: 'subscriptionId',
  erasable: "customer is not null and state in ('canceled', 'completed', 'rejected', 'expired')",
  erased: 'customer = null, customer_erased_at = now()',
  since: 'state_since',
});
