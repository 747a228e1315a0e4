import { inputRows } from '../postgres/input-rows.ts';
import type { FairClaim, OfMerchant } from './fair-claim.ts';

const UNDER_WAY = inputRows<OfMerchant>(
  {
    merchant_id: ['text', (one) => one.merchantId],
    under_way: ['integer', (one) => one.underWay],
  },
  { as: 'u', after: 4 },
);

/**
 * `$1`–`$6` of a claiming statement: free slots, lease, merchants passed over, the one probed, and what is
 * under way by merchant.
 */
export function fairClaimValues(
  { free, passedOver, underWay, probed }: FairClaim,
  leaseMilliseconds: number,
): unknown[] {
  return [free, leaseMilliseconds, passedOver, probed, ...UNDER_WAY.values(underWay)];
}

/** For the due rows: `order by due_at limit $1` then reads the other merchants' rows. */
export const IS_NOT_PASSED_OVER = 'merchant_id <> all($3::text[])';

/** Chooses among the locked rows `due`: merchants take turns, each by its share (`mayTake`). */
export const CHOSEN_IN_TURNS = `counted as (
     select d.*, coalesce(u.under_way, 0) as under_way,
       row_number() over (partition by d.merchant_id order by d.due_at) as nth
     from due d left join ${UNDER_WAY.sql} on u.merchant_id = d.merchant_id
   ), in_turns as (
     select c.*, row_number() over (order by c.under_way + c.nth, c.due_at) as turn
     from counted c where c.nth = 1 or c.merchant_id is distinct from $4::text
   ), chosen as (
     select * from in_turns where under_way + nth - 1 < $1 - (turn - 1)
   )`;
