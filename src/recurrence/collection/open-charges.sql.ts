import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import type { TransactionState } from '../../transactions/transaction.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Cents, cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { parseDay } from '../plans/plans.sql.ts';

/**
 * A charge without an outcome on record: its process died, or the acquirer did not answer. With
 * what is known of its transaction.
 */
export type OpenCharge = {
  readonly merchantId: string;
  readonly billingId: string;
  readonly subscriptionId: string;
  readonly transactionId: string;
  readonly vaultId: string;
  readonly amount: Cents;
  readonly by: string;
  /** On schedule from 1; null: by hand. */
  readonly attemptNumber: number | null;
  readonly maxRetries: number;
  /** The day on which it was to be made; by hand the due day. */
  readonly chargeOn: Day;
  readonly state: TransactionState;
  readonly brand: CardBrand;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  readonly soldAt: Instant;
};

const COLUMNS = `h.merchant_id, h.billing_id, b.subscription_id, h.transaction_id, t.vault_id, t.amount,
     h.created_by, h.attempt_number, s.max_retries, to_char(coalesce(b.charge_on, b.due_on),
     'YYYY-MM-DD') as charge_on, t.state, t.card_brand, t.response_code, t.advice_code, t.sold_at`;
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
   select ${COLUMNS} from held h ${JOINS}`,
);

/** Charges that should have ended, of all merchants, the longest waiting first. */
export async function claimOpenCharges(database: Database, limit: number): Promise<OpenCharge[]> {
  return (await database.query(CLAIM, [limit])).map(parseOpenCharge);
}

/** Milliseconds until one should be looked at; null: none is under way. */
export const EARLIEST_OPEN_CHARGE = statement(
  'charging.earliest_open_charge',
  `select (extract(epoch from min(c.due_at) - now()) * 1000)::float8 as milliseconds from billing_charges c
   where c.due_at is not null`,
);

function parseOpenCharge(row: Row): OpenCharge {
  return {
    merchantId: row.merchant_id as string,
    billingId: row.billing_id as string,
    subscriptionId: row.subscription_id as string,
    transactionId: row.transaction_id as string,
    vaultId: row.vault_id as string,
    amount: cents(row.amount as number),
    by: row.created_by as string,
    attemptNumber: row.attempt_number as number | null,
    maxRetries: row.max_retries as number,
    chargeOn: parseDay(row.charge_on),
    state: row.state as TransactionState,
    brand: row.card_brand as CardBrand,
    responseCode: row.response_code as string | null,
    adviceCode: row.advice_code as string | null,
    soldAt: row.sold_at as Instant,
  };
}
