import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import {
  boolean,
  day,
  instantOf,
  money,
  nullable,
  oneOf,
  parsedBy,
  rowCodec,
  text,
  whole,
} from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
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
    merchantId: text(),
    billingId: text(),
    state: oneOf(BILLING_STATES),
    isSkipped: boolean(),
    amount: money(),
    installment: whole(),
    dueOn: day(),
    chargeOn: nullable(day()),
    chargesMade: whole(),
    isCharging: boolean('b.transaction_id is not null'),
    ...STAMPS.fields,
  },
  'b',
  'billing_',
);

const PAID_BY = rowCodec({ transactionId: text(), nsu: text() }, 'paid', 'paid_');

/** A billing `b` with subscription `s`, plan `p` and the charge that `paid` it, for `parseBilling`. */
export const WHOLE_BILLING = `${BILLING.columns}, ${PAID_BY.columns}, ${WHOLE_SUBSCRIPTION}`;

/**
 * Looked up one by one: a join is planned once, perhaps while the tables were small, and may then
 * read them whole.
 */
export const BILLING_JOINS = `cross join lateral (
    select * from subscriptions where merchant_id = $1 and subscription_id = b.subscription_id limit 1
  ) s cross join lateral (
    select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
  ) p left join lateral (
    select n.transaction_id, t.nsu from billing_charges n cross join lateral (
      select nsu from transactions where merchant_id = $1 and transaction_id = n.transaction_id limit 1
    ) t
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

/** As JSON. */
const CHARGE = rowCodec<BillingCharge>({
  attemptNumber: nullable(whole()),
  startedAt: instantOf(),
  by: text(),
  outcome: nullable(oneOf(CHARGE_OUTCOMES)),
  code: nullable(text()),
  transactionId: nullable(text()),
  brand: nullable(oneOf(CARD_BRANDS)),
  rule: nullable(oneOf(CHARGE_RULES)),
  nextChargeOn: nullable(day()),
});

const CHARGES = rowCodec({
  charges: parsedBy((value) => ((value ?? []) as Row[]).map(CHARGE.parse), 'c.charges'),
});

const END = rowCodec(
  {
    type: oneOf(['canceled', 'blocked'] as const),
    reason: oneOf(SUBSCRIPTION_REASONS),
    by: text('e.created_by'),
    at: instantOf('e.created_at'),
  },
  'e',
  'end_',
);

/**
 * Charges on schedule are five at most; those by hand are the merchant's own, and the newest are
 * shown. What ended the subscription is looked for only where a billing was canceled.
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

/** A billing of this merchant with its newest hundred charges in their order, or null. */
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
