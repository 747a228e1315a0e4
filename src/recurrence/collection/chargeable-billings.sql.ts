import { type Database, statement } from '../../platform/postgres/database.ts';
import type { TransactionState } from '../../transactions/transaction.ts';
import { NEVER_SENT } from '../../transactions/transaction-queries.sql.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { cents } from '../../values/cents.ts';
import type { Instant } from '../../values/instant.ts';
import type { BillingState } from '../billings/billing.ts';
import { parseDay } from '../plans/plans.sql.ts';
import { type DueBilling, SOFT_DESCRIPTOR_OF_PLAN } from './due-billings.sql.ts';

const FIND = statement(
  'hand_charges.find_billing',
  `select b.billing_id, b.subscription_id, b.state, b.amount, b.fence, b.charges_made,
     b.transaction_id is not null as is_charging, to_char(b.due_on, 'YYYY-MM-DD') as due_on, s.plan_id,
     s.vault_id, s.account_number, s.max_retries, s.installments, d.soft_descriptor
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
  /** As the engine would find it; its day is the due day. */
  readonly due: DueBilling;
};

/**
 * A billing of this merchant, as a charge by hand needs it; null: there is none. The id is a UUID.
 */
export async function findBillingToCharge(
  database: Database,
  merchantId: string,
  billingId: string,
): Promise<FoundBilling | null> {
  const [row] = await database.query(FIND, [merchantId, billingId]);
  if (row === undefined) return null;
  return {
    state: row.state as BillingState,
    isCharging: row.is_charging as boolean,
    due: {
      merchantId,
      billingId: row.billing_id as string,
      subscriptionId: row.subscription_id as string,
      planId: row.plan_id as string,
      vaultId: row.vault_id as string,
      accountNumber: row.account_number as string,
      amount: cents(row.amount as number),
      fence: row.fence as number,
      chargesMade: row.charges_made as number,
      maxRetries: row.max_retries as number,
      installments: row.installments as number,
      softDescriptor: row.soft_descriptor as string | null,
      chargeOn: parseDay(row.due_on),
    },
  };
}

const FIND_CHARGE = statement(
  'hand_charges.find_charge',
  `select c.billing_id, c.due_at is null and not o.was_never_sent as is_ended, o.state, o.card_brand,
    o.response_code, o.advice_code, o.sold_at
   from billing_charges c cross join lateral (
     select t.state, t.card_brand, t.response_code, t.advice_code, t.sold_at,
       coalesce(${NEVER_SENT}, false) as was_never_sent
     from transactions t where t.merchant_id = $1 and t.transaction_id = c.transaction_id limit 1
   ) o
   where c.merchant_id = $1 and c.transaction_id = $2`,
);

export type MadeHandCharge = {
  readonly billingId: string;
  /**
   * Whether there is an outcome, and the billing knows of it too; what was never sent has none, and
   * its key is free again.
   */
  readonly isEnded: boolean;
  readonly state: TransactionState;
  readonly brand: CardBrand;
  readonly responseCode: string | null;
  readonly adviceCode: string | null;
  /** Business time. */
  readonly soldAt: Instant;
};

/** What became of the charge that this transaction is. */
export async function findHandCharge(
  database: Database,
  merchantId: string,
  transactionId: string,
): Promise<MadeHandCharge | null> {
  const [row] = await database.query(FIND_CHARGE, [merchantId, transactionId]);
  if (row === undefined) return null;
  return {
    billingId: row.billing_id as string,
    isEnded: row.is_ended as boolean,
    state: row.state as TransactionState,
    brand: row.card_brand as CardBrand,
    responseCode: row.response_code as string | null,
    adviceCode: row.advice_code as string | null,
    soldAt: row.sold_at as Instant,
  };
}
