import { type Limit, type LimitAddress, runPgbench } from '../load/limit.ts';
import type { LoadedShop } from './load-enrolments.ts';
import { CARD_ID_START, type LoadedPlan } from './shop.ts';

/**
 * pgbench writing the same two rows as an enrolment, a subscription and its first billing, in one durable
 * commit, with nothing around it: no HTTP, no look-up of plan and card but those of the foreign keys.
 */
export function measureEnrolmentLimit(
  address: LimitAddress,
  shop: LoadedShop,
  plans: readonly LoadedPlan[],
  clients: number,
  seconds: number,
): Promise<Limit> {
  return runPgbench(
    address,
    plans.map((plan) => scriptOf(shop, plan)),
    clients,
    seconds,
  );
}

function scriptOf(shop: LoadedShop, plan: LoadedPlan): string {
  const lastCard = shop.firstCard + shop.cards - 1;
  const text = `with input as (
      select uuidv7() as subscription_id, uuidv7() as billing_id, current_date + ${plan.trialDays} as due_on
    ), enrolled as (
      insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number, account_number, state,
        amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on, created_by, created_at)
      select '${shop.merchantId}', subscription_id, '${plan.planId}',
        ('${CARD_ID_START}' || lpad(to_hex(:card::bigint), 12, '0'))::uuid, 'W-1', '${shop.accountNumber}', 'active',
        ${plan.amount}, '${plan.planType}', ${plan.trialDays}, ${plan.intervalDays}, ${plan.installments},
        ${plan.maxRetries}, due_on, '${shop.userName}', now()
      from input
    )
    insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on,
      created_by, created_at)
    select '${shop.merchantId}', billing_id, subscription_id, 1, 'opened', ${plan.charged}, due_on, due_on,
      '${shop.userName}', now()
    from input`;
  return `\\set card random(${shop.firstCard}, ${lastCard})\n${text.replaceAll(/\s*\n\s*/g, ' ')};\n`;
}
