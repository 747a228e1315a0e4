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

/** The sums that the database keeps of each due day and state. */
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

const SUM_HELD = statement(
  'billing_days.sum_held_by_restore',
  `select (select count(*) from merchants where is_held_by_restore and ($1::text is null or merchant_id = $1)) as merchants,
     coalesce(sum(d.count), 0)::bigint as count, coalesce(sum(d.amount), 0)::bigint as amount
   from merchants m join billing_days d on d.merchant_id = m.merchant_id
   where m.is_held_by_restore and ($1::text is null or m.merchant_id = $1)
     and d.billing_state = 'opened' and d.due_on <= $2`,
);

/** How many merchants a restore holds, and what of theirs is due until a day and not charged for it. */
export type HeldByRestore = { readonly merchants: number; readonly count: number; readonly amount: Cents };

/** Of one merchant, or (null) of all: the operator's view. */
export async function sumHeldByRestore(
  database: Reader,
  merchantId: string | null,
  until: Day,
): Promise<HeldByRestore> {
  const [row] = await database.query(SUM_HELD, [merchantId, until]);
  return {
    merchants: row?.merchants as number,
    count: row?.count as number,
    amount: row?.amount as Cents,
  };
}
