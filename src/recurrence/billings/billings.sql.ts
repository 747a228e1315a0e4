import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import type { Day } from '../../values/instant.ts';
import { STAMPS, stamped } from '../plans/plans.sql.ts';
import { SUBSCRIPTION_REASONS } from '../subscriptions/subscription.ts';
import { parseSubscription, WHOLE_SUBSCRIPTION } from '../subscriptions/subscriptions.sql.ts';
import {
  BILLING_STATES,
  type Billing,
  type BillingCharge,
  type BillingWithCharges,
  type EndOfSubscription,
} from './billing.ts';
import { CHARGE_OUTCOMES, CHARGE_RULES } from './charge-result.ts';

const BILLING = rowCodec(
  {
    merchantId: column.text(),
    billingId: column.text(),
    state: column.oneOf(BILLING_STATES),
    isSkipped: column.boolean(),
    amount: column.money(),
    installment: column.whole(),
    dueOn: column.day(),
    chargeOn: column.nullable(column.day()),
    chargesMade: column.whole(),
    isCharging: column.boolean('b.transaction_id is not null'),
    ...STAMPS.fields,
  },
  'b',
  'billing_',
);

const PAID_BY = rowCodec({ transactionId: column.text(), nsu: column.text() }, 'paid', 'paid_');

/** A billing `b` with subscription `s`, plan `p` and the charge `paid`, for `parseBilling`. */
export const WHOLE_BILLING = `${BILLING.columns}, ${PAID_BY.columns}, ${WHOLE_SUBSCRIPTION}`;

/** Each is looked up by itself: a join planned on small tables may later read them whole. */
export const BILLING_JOINS = `cross join lateral (
    select * from subscriptions where merchant_id = $1 and subscription_id = b.subscription_id limit 1
  ) s cross join lateral (
    select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
  ) p left join lateral (
    select n.transaction_id, coalesce(t.nsu, right(x.end_to_end_id, 20)) as nsu from billing_charges n left join lateral (
      select nsu from transactions where merchant_id = $1 and transaction_id = n.transaction_id limit 1
    ) t on true left join lateral (
      select end_to_end_id from pix_payments
      where merchant_id = $1 and pix_id = n.transaction_id and surprise is null limit 1
    ) x on true
    where b.state = 'paid' and n.merchant_id = $1 and n.billing_id = b.billing_id and n.outcome = 'approved'
    order by n.charge_number desc limit 1
  ) paid on true`;

export function parseBilling(row: Row): Billing {
  return {
    ...stamped(BILLING.parse(row)),
    paidBy: row.paid_transaction_id === null ? null : PAID_BY.parse(row),
    subscription: parseSubscription(row),
  };
}

const CHARGE = rowCodec<BillingCharge>({
  attemptNumber: column.nullable(column.whole()),
  startedAt: column.instant(),
  by: column.text(),
  outcome: column.nullable(column.oneOf(CHARGE_OUTCOMES)),
  code: column.nullable(column.text()),
  transactionId: column.nullable(column.text()),
  brand: column.nullable(column.oneOf(CARD_BRANDS)),
  rule: column.nullable(column.oneOf(CHARGE_RULES)),
  nextChargeOn: column.nullable(column.day()),
});

const CHARGES = rowCodec({
  charges: column.parsedBy((value) => ((value ?? []) as Row[]).map(CHARGE.parse), 'c.charges'),
});

const END = rowCodec(
  {
    type: column.oneOf(['canceled', 'blocked'] as const),
    reason: column.oneOf(SUBSCRIPTION_REASONS),
    by: column.text('e.created_by'),
    at: column.instant('e.created_at'),
  },
  'e',
  'end_',
);

/**
 * At most five charges are scheduled; of manual ones the newest are read. The subscription's end is read only
 * for a canceled billing.
 */
const FIND = statement(
  'billings.find',
  `select ${WHOLE_BILLING}, ${CHARGES.columns}, ${END.columns}
   from billings b ${BILLING_JOINS} cross join lateral (
     select json_agg(json_build_object('attempt_number', n.attempt_number, 'by', n.created_by,
       'started_at', floor(extract(epoch from n.started_at) * 1000)::bigint, 'outcome', n.outcome, 'code',
       n.response_code, 'transaction_id', n.transaction_id, 'brand', t.card_brand, 'rule', n.rule,
       'next_charge_on', n.next_charge_on)
         order by n.charge_number) as charges
     from (
       select * from billing_charges where merchant_id = $1 and billing_id = $2
       order by charge_number desc limit 100
     ) n left join lateral (
       select card_brand from transactions where merchant_id = $1 and transaction_id = n.transaction_id
         limit 1
     ) t on true
   ) c left join lateral (
     select * from subscription_events
     where merchant_id = $1 and subscription_id = b.subscription_id and type in ('canceled', 'blocked')
       and created_at <= b.modified_at and b.state = 'canceled'
     order by event_number desc limit 1
   ) e on true
   where b.merchant_id = $1 and b.billing_id = $2`,
);

/** The billing with its newest hundred charges in order; null: there is none. */
export async function findBilling(
  database: Reader,
  merchantId: string,
  billingId: string,
): Promise<BillingWithCharges | null> {
  const [row] = await database.query(FIND, [merchantId, billingId]);
  if (row === undefined) return null;
  return { billing: parseBilling(row), ...CHARGES.parse(row), lastEnd: parseEnd(row) };
}

function parseEnd(row: Row): EndOfSubscription | null {
  if (row.end_type === null) return null;
  const { by, at, ...end } = END.parse(row);
  return { ...end, stamp: { by, at } };
}

const SUM = rowCodec({
  day: column.day('due_on'),
  state: column.oneOf(BILLING_STATES, 'billing_state'),
  count: column.whole('sum(count)::bigint'),
  amount: column.keptSum('sum(amount)::bigint'),
});

export type BillingSum = RowOf<typeof SUM>;

/** The kept sums, by due day and state. */
const LIST_DAYS = statement(
  'billing_days.list',
  `select ${SUM.columns}
   from billing_days where merchant_id = $1 and due_on between $2 and $3
   group by due_on, billing_state having sum(count) > 0
   order by due_on, billing_state`,
);

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

/** Merchants whose billings a restore holds, with their billings due up to a day. */
export type HeldByRestore = RowOf<typeof HELD>;

const SUM_HELD = statement(
  'billing_days.sum_held_by_restore',
  `select ${HELD.columns}
   from merchants m join billing_days d on d.merchant_id = m.merchant_id
   where m.is_held_by_restore and ($1::text is null or m.merchant_id = $1)
     and d.billing_state = 'opened' and d.due_on <= $2`,
);

/** `merchantId` null: all merchants, for the operator. */
export async function sumHeldByRestore(
  database: Reader,
  merchantId: string | null,
  until: Day,
): Promise<HeldByRestore> {
  return onlyOf(await database.query(SUM_HELD, [merchantId, until]), HELD.parse);
}
