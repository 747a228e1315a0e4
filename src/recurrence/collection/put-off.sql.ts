import { type Database, statement } from '../../platform/postgres/database.ts';
import type { DueBilling } from './due-billings.sql.ts';

/**
 * Every change of what a subscription owes locks it first. One that is locked is left as it is: it is found
 * again. The billing is found by its key, so that what the earlier holder committed is looked at.
 */
const PUT_OFF = statement(
  'charging.put_off',
  `with held as materialized (
     select s.subscription_id from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2
     for no key update skip locked
   )
   update billings b set lease_expires_at = now() + $5 * interval '1 second'
   from held h
   where b.merchant_id = $1 and b.billing_id = $3 and b.subscription_id = h.subscription_id and b.fence = $4
     and b.charge_on is not null and b.transaction_id is null`,
);

/**
 * A due billing that cannot be charged now is not due for so many seconds (real time); one that was taken
 * meanwhile is left alone.
 */
export async function putOffBilling(
  database: Database,
  { merchantId, subscriptionId, billingId, fence }: DueBilling,
  seconds: number,
): Promise<void> {
  await database.query(PUT_OFF, [merchantId, subscriptionId, billingId, fence, seconds]);
}
