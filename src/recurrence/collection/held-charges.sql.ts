import { type CommitStep, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Terms } from '../plans/plan.ts';
import { parseTerms } from '../plans/plans.sql.ts';
import type { SubscriptionState } from '../subscriptions/subscription.ts';

/** A billing that is charged, and its subscription. */
type ChargedBilling = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly billingId: string;
};

const KEYS = inputRows<ChargedBilling>({
  merchant_id: ['text', (row) => row.merchantId],
  subscription_id: ['uuid', (row) => row.subscriptionId],
  billing_id: ['uuid', (row) => row.billingId],
});

/** In the order in which they come, which is that of the keys. */
const HOLD_SUBSCRIPTIONS = statement(
  'charging.hold_subscriptions',
  `select h.subscription_id, h.account_number, h.vault_id, h.state as subscription_state,
     h.amount as terms_amount, h.plan_type as terms_plan_type, h.trial_days as terms_trial_days,
     h.interval_days as terms_interval_days, h.installments as terms_installments,
     h.max_retries as terms_max_retries
   from ${KEYS.sql} cross join lateral (
     select s.* from subscriptions s where s.merchant_id = i.merchant_id
       and s.subscription_id = i.subscription_id
     limit 1 for no key update of s
   ) h`,
);

/**
 * A statement of its own: it sees what was committed while a subscription was waited for. A charge
 * that ended under its first fence was never sent to the acquirer (`transactions.end_unsent`).
 */
const HOLD_BILLINGS = statement(
  'charging.hold_billings',
  `select h.billing_id, h.subscription_id, h.state as billing_state, h.installment,
     to_char(h.due_on, 'YYYY-MM-DD') as due_on, to_char(h.charge_on, 'YYYY-MM-DD') as charge_on,
     h.charges_made as billing_charges_made, h.fence, h.transaction_id, c.charge_number, c.attempt_number,
     c.started_at, u.voided, u.voided_sent
   from ${KEYS.sql} cross join lateral (
     select b.* from billings b where b.merchant_id = i.merchant_id and b.billing_id = i.billing_id
     limit 1 for no key update of b
   ) h left join lateral (
     select c.charge_number, c.attempt_number, c.started_at from billing_charges c
     where c.merchant_id = i.merchant_id and c.transaction_id = h.transaction_id limit 1
   ) c on true cross join lateral (
     select count(*)::integer as voided, count(*) filter (where (
       select t.fence from transactions t where t.merchant_id = o.merchant_id
         and t.transaction_id = o.transaction_id
     ) > 0)::integer as voided_sent
     from billing_charges o
     where o.merchant_id = i.merchant_id and o.billing_id = i.billing_id
       and o.attempt_number = c.attempt_number
       and o.outcome = 'voided'
   ) u`,
);

/** Locks subscriptions, then billings: the first two steps of a commit that ends charges. */
export function holdSteps(rows: readonly ChargedBilling[]): CommitStep[] {
  const values = KEYS.values(rows);
  return [
    { statement: HOLD_SUBSCRIPTIONS, values },
    { statement: HOLD_BILLINGS, values },
  ];
}

/** A billing and its subscription, as they are locked. */
export type Held = {
  readonly accountNumber: string;
  readonly vaultId: string;
  readonly terms: Terms;
  readonly subscription: SubscriptionState;
  readonly billing: Row;
};

/** By billing, from the rows of `holdSteps`. */
export function heldIn([subscriptions = [], billings = []]: readonly Row[][]): ReadonlyMap<string, Held> {
  const bySubscription = new Map(subscriptions.map((row) => [row.subscription_id, row]));
  return new Map(
    billings.flatMap((billing): [string, Held][] => {
      const row = bySubscription.get(billing.subscription_id);
      if (row === undefined) return [];
      const subscription = row.subscription_state as SubscriptionState;
      const accountNumber = row.account_number as string;
      const vaultId = row.vault_id as string;
      const held = { accountNumber, vaultId, terms: parseTerms(row), subscription, billing };
      return [[billing.billing_id as string, held]];
    }),
  );
}

/** Of the charge under way; null: none. */
export function chargeNumberOf({ billing }: Held): number | null {
  return billing.charge_number as number | null;
}
