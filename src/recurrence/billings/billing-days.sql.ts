import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Day } from '../../values/instant.ts';
import { BILLING_STATES } from './billing.ts';

const SUM = rowCodec({
  day: column.day('due_on'),
  state: column.oneOf(BILLING_STATES, 'billing_state'),
  count: column.whole('sum(count)::bigint'),
  amount: column.keptSum('sum(amount)::bigint'),
});

/** The billings of one state that are due on a day. */
export type BillingSum = RowOf<typeof SUM>;

/** The sums that the database keeps of each due day and state. */
const LIST_DAYS = statement(
  'billing_days.list',
  `select ${SUM.columns}
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
  return (await database.query(LIST_DAYS, [merchantId, from, to])).map(SUM.parse);
}

const HELD = rowCodec({
  merchants: column.whole(`(
       select count(*) from merchants where is_held_by_restore and ($1::text is null or merchant_id = $1)
     )`),
  count: column.whole('coalesce(sum(d.count), 0)::bigint'),
  amount: column.keptSum('coalesce(sum(d.amount), 0)::bigint'),
});

/** How many merchants a restore holds, and what of theirs is due until a day and not charged for it. */
export type HeldByRestore = RowOf<typeof HELD>;

const SUM_HELD = statement(
  'billing_days.sum_held_by_restore',
  `select ${HELD.columns}
   from merchants m join billing_days d on d.merchant_id = m.merchant_id
   where m.is_held_by_restore and ($1::text is null or m.merchant_id = $1)
     and d.billing_state = 'opened' and d.due_on <= $2`,
);

/** Of one merchant, or (null) of all: the operator's view. */
export async function sumHeldByRestore(
  database: Reader,
  merchantId: string | null,
  until: Day,
): Promise<HeldByRestore> {
  const [row] = await database.query(SUM_HELD, [merchantId, until]);
  return HELD.parse(row as Row);
}
