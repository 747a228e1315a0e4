import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { TRANSACTION_STATES } from '../../transactions/transaction.ts';
import { NEVER_SENT } from '../../transactions/transaction-queries.sql.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { BILLING_STATES, type BillingState } from '../billings/billing.ts';
import { DUE, type DueBilling, SOFT_DESCRIPTOR_OF_PLAN } from './due-billings.sql.ts';

const FOUND = rowCodec(
  {
    ...DUE.fields,
    chargeOn: column.day('b.due_on'),
    state: column.oneOf(BILLING_STATES),
    isCharging: column.boolean('b.transaction_id is not null'),
  },
  'b',
);

const FIND = statement(
  'hand_charges.find_billing',
  `select ${FOUND.columns}
   from billings b cross join lateral (
     select o.plan_id, o.vault_id, o.account_number, o.max_retries, o.installments from subscriptions o
     where o.merchant_id = $1 and o.subscription_id = b.subscription_id limit 1
   ) s left join lateral (
     ${SOFT_DESCRIPTOR_OF_PLAN} where m.merchant_id = $1 limit 1
   ) d on true
   where b.merchant_id = $1 and b.billing_id = $2`,
);

export type FoundBilling = {
  readonly state: BillingState;
  readonly isCharging: boolean;
  /** With its due day as the day of the charge. */
  readonly due: DueBilling;
};

/** For a manual charge. `billingId` is a UUID. Null: none. */
export async function findBillingToCharge(
  database: Database,
  merchantId: string,
  billingId: string,
): Promise<FoundBilling | null> {
  const [row] = await database.query(FIND, [merchantId, billingId]);
  if (row === undefined) return null;
  const { state, isCharging, ...due } = FOUND.parse(row);
  return { state, isCharging, due };
}

const HAND_CHARGE = rowCodec(
  {
    billingId: column.text('c.billing_id'),
    /** Whether the billing has an outcome. A charge never sent has none, and its key is free again. */
    isEnded: column.boolean('c.due_at is null and not o.was_never_sent'),
    state: column.oneOf(TRANSACTION_STATES),
    brand: column.oneOf(CARD_BRANDS, 'o.card_brand'),
    responseCode: column.nullable(column.text()),
    adviceCode: column.nullable(column.text()),
    /** Business time. */
    soldAt: column.instant(),
  },
  'o',
);

export type MadeHandCharge = RowOf<typeof HAND_CHARGE>;

const FIND_CHARGE = statement(
  'hand_charges.find_charge',
  `select ${HAND_CHARGE.columns}
   from billing_charges c cross join lateral (
     select t.state, t.card_brand, t.response_code, t.advice_code, t.sold_at,
       coalesce(${NEVER_SENT}, false) as was_never_sent
     from transactions t where t.merchant_id = $1 and t.transaction_id = c.transaction_id limit 1
   ) o
   where c.merchant_id = $1 and c.transaction_id = $2`,
);

/** By the charge's transaction. */
export async function findHandCharge(
  database: Database,
  merchantId: string,
  transactionId: string,
): Promise<MadeHandCharge | null> {
  const [row] = await database.query(FIND_CHARGE, [merchantId, transactionId]);
  return row === undefined ? null : HAND_CHARGE.parse(row);
}
