import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';

const OPEN_CHARGE = rowCodec({
  merchantId: column.text('h.merchant_id'),
  billingId: column.text('h.billing_id'),
  subscriptionId: column.text('b.subscription_id'),
  transactionId: column.text('h.transaction_id'),
  vaultId: column.text('t.vault_id'),
  amount: column.money('t.amount'),
  by: column.text('h.created_by'),
  /** On schedule from 1; null: by hand. */
  attemptNumber: column.nullable(column.whole('h.attempt_number')),
  maxRetries: column.whole('s.max_retries'),
  /** The day on which it was to be made; by hand the due day. */
  chargeOn: column.day('coalesce(b.charge_on, b.due_on)'),
  state: column.oneOf(TRANSACTION_STATES, 't.state'),
  brand: column.oneOf(CARD_BRANDS, 't.card_brand'),
  responseCode: column.nullable(column.text('t.response_code')),
  adviceCode: column.nullable(column.text('t.advice_code')),
  soldAt: column.instant('t.sold_at'),
});

/**
 * A charge without an outcome on record: its process died, or the acquirer did not answer. With
 * what is known of its transaction.
 */
export type OpenCharge = RowOf<typeof OPEN_CHARGE>;

const JOINS = `cross join lateral (
     select o.subscription_id, o.charge_on, o.due_on from billings o
     where o.merchant_id = h.merchant_id and o.billing_id = h.billing_id limit 1
   ) b cross join lateral (
     select o.max_retries from subscriptions o
     where o.merchant_id = h.merchant_id and o.subscription_id = b.subscription_id limit 1
   ) s cross join lateral (
     select o.* from transactions o where o.merchant_id = h.merchant_id
       and o.transaction_id = h.transaction_id limit 1
   ) t`;

/**
 * Puts each off before it looks, so that others leave it alone meanwhile: for a quarter of the time
 * that its transaction is old, a second at least and fifteen at most.
 */
const CLAIM = statement(
  'charging.claim_open_charges',
  `with due as (
     select c.merchant_id, c.billing_id, c.charge_number from billing_charges c where c.due_at <= now()
     order by c.due_at limit $1 for no key update of c skip locked
   ), held as (
     update billing_charges c set due_at = now() +
       least(interval '15 seconds', greatest(interval '1 second', (
       select (now() - o.created_at) / 4 from transactions o
       where o.merchant_id = c.merchant_id and o.transaction_id = c.transaction_id
     )))
     from due d
     where c.merchant_id = d.merchant_id and c.billing_id = d.billing_id and c.charge_number = d.charge_number
     returning c.merchant_id, c.billing_id, c.transaction_id, c.attempt_number, c.created_by
   )
   select ${OPEN_CHARGE.columns} from held h ${JOINS}`,
);

/** Charges that should have ended, of all merchants, the longest waiting first. */
export async function claimOpenCharges(database: Database, limit: number): Promise<OpenCharge[]> {
  return (await database.query(CLAIM, [limit])).map(OPEN_CHARGE.parse);
}

/** Milliseconds until one should be looked at; null: none is under way. */
export const EARLIEST_OPEN_CHARGE = statement(
  'charging.earliest_open_charge',
  `select (extract(epoch from min(c.due_at) - now()) * 1000)::float8 as milliseconds from billing_charges c
   where c.due_at is not null`,
);
