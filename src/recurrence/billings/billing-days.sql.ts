import { type Reader, statement } from '../../platform/postgres/database.ts';
import type { Cents } from '../../values/cents.ts';
import type { Day } from '../../values/instant.ts';
import type { BillingState } from './billing.ts';

/** The billings of one state that are due on a day. */
export type BillingSum = {
  readonly day: Day;
  readonly state: BillingState;
  readonly count: number;
  readonly amount: Cents;
};

/** The sums that the database keeps of each due day and state (migration 0065). */
const LIST_DAYS = statement(
  'billing_days.list',
  `select due_on::text as day, billing_state as state, sum(count)::bigint as count, sum(amount)::bigint as amount
   from billing_days where merchant_id = $1 and due_on between $2 and $3
   group by due_on, billing_state having sum(count) > 0
   order by due_on, billing_state`,
);

/** What is due on the days of a period, both included, by state. */
export async function sumBillingDays(
  database: Reader,
  merchantId: string,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<BillingSum[]> {
  const rows = await database.query(LIST_DAYS, [merchantId, from, to]);
  return rows.map((row) => ({
    day: row.day as Day,
    state: row.state as BillingState,
    count: row.count as number,
    amount: row.amount as Cents,
  }));
}
