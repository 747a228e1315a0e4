import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { cents } from '../../values/cents.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { parseDay, parseModified } from '../plans/plans.sql.ts';
import type { SubscriptionReason } from '../subscriptions/subscription.ts';
import { parseSubscription, SUBSCRIPTION_COLUMNS } from '../subscriptions/subscriptions.sql.ts';
import type {
  Billing,
  BillingCharge,
  BillingState,
  BillingWithCharges,
  ChargeOutcome,
  ChargeRule,
  EndOfSubscription,
} from './billing.ts';

/** A billing `b` with subscription `s`, plan `p` and the charge that paid it, for `parseBilling`. */
export const BILLING_COLUMNS = `b.billing_id, b.state as billing_state, b.is_skipped,
  b.amount as billing_amount, b.installment, to_char(b.due_on, 'YYYY-MM-DD') as due_on,
  to_char(b.charge_on, 'YYYY-MM-DD') as charge_on, b.charges_made as billing_charges_made,
  b.transaction_id is not null as is_charging, b.created_by as billing_created_by,
  b.created_at as billing_created_at, b.modified_by as billing_modified_by,
  b.modified_at as billing_modified_at, paid.transaction_id as paid_transaction_id, paid.nsu as paid_nsu,
  ${SUBSCRIPTION_COLUMNS}`;

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
    merchantId: row.merchant_id as string,
    billingId: row.billing_id as string,
    state: row.billing_state as BillingState,
    isSkipped: row.is_skipped as boolean,
    amount: cents(row.billing_amount as number),
    installment: row.installment as number,
    dueOn: parseDay(row.due_on),
    chargeOn: row.charge_on === null ? null : parseDay(row.charge_on),
    chargesMade: row.billing_charges_made as number,
    isCharging: row.is_charging as boolean,
    paidBy:
      row.paid_transaction_id === null
        ? null
        : { transactionId: row.paid_transaction_id as string, nsu: row.paid_nsu as string },
    subscription: parseSubscription(row),
    created: { by: row.billing_created_by as string, at: row.billing_created_at as Instant },
    modified: parseModified(row.billing_modified_by, row.billing_modified_at),
  };
}

/**
 * Charges on schedule are five at most; those by hand are the merchant's own, and the newest are
 * shown. What ended the subscription is looked for only where a billing was canceled.
 */
const FIND = statement(
  'billings.find',
  `select ${BILLING_COLUMNS}, c.charges, e.type as end_type, e.reason as end_reason, e.created_by as end_by,
    e.created_at as end_at
   from billings b ${BILLING_JOINS} cross join lateral (
     select json_agg(json_build_object('attempt_number', n.attempt_number, 'by', n.created_by,
       'startedAt', floor(extract(epoch from n.started_at) * 1000)::bigint, 'outcome', n.outcome, 'code',
       n.response_code, 'transactionId', n.transaction_id, 'brand', t.card_brand, 'rule', n.rule,
       'nextChargeOn', to_char(n.next_charge_on, 'YYYY-MM-DD'))
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
  const charges = (row.charges ?? []) as Record<string, unknown>[];
  return { billing: parseBilling(row), charges: charges.map(parseCharge), lastEnd: parseEnd(row) };
}

function parseEnd(row: Row): EndOfSubscription | null {
  if (row.end_type === null) return null;
  return {
    type: row.end_type as EndOfSubscription['type'],
    reason: row.end_reason as SubscriptionReason,
    stamp: { by: row.end_by as string, at: row.end_at as Instant },
  };
}

function parseCharge(row: Record<string, unknown>): BillingCharge {
  return {
    attemptNumber: row.attempt_number as number | null,
    startedAt: row.startedAt as Instant,
    by: row.by as string,
    outcome: row.outcome as ChargeOutcome | null,
    code: row.code as string | null,
    transactionId: row.transactionId as string | null,
    brand: row.brand as CardBrand | null,
    rule: row.rule as ChargeRule | null,
    nextChargeOn: row.nextChargeOn as Day | null,
  };
}
