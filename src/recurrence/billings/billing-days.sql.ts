import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import { BILLING_STATES, type BillingState } from './billing.ts';
import { type BillingDays, wholeDays } from './billing-days.ts';

/** More of one state are not summed up for one page. */
const MOST_OF_STATE = 100_000;

/**
 * State by state a stretch of billings_by_state, and its rows for their amounts: what is due on a day was
 * mostly opened on one day, and lies together.
 */
const SUM = statement(
  'billings.sum_days',
  `select s.state, o.day::text, o.count, o.amount
   from unnest($2::text[]) as s (state) cross join lateral (
     select due_on as day, count(*)::integer as count, sum(amount)::bigint as amount from (
       select due_on, amount from billings b
       where b.merchant_id = $1 and b.state = s.state and b.due_on >= $3::date and b.due_on <= $4::date
       order by b.due_on limit $5
     ) r group by due_on
   ) o
   order by o.day, s.state`,
);

/** What is due on the days of a period, both included, by state. */
export async function sumBillingDays(
  database: Reader,
  merchantId: string,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<BillingDays> {
  const rows = await database.query(SUM, [merchantId, BILLING_STATES, from, to, MOST_OF_STATE]);
  const sums = rows.map((row) => ({
    day: row.day as Day,
    state: row.state as BillingState,
    count: row.count as number,
    amount: row.amount as Cents,
  }));
  return wholeDays(sums, MOST_OF_STATE);
}
