import { type Reader, type Row, statement } from '../../platform/postgres/database.ts';
import type { Instant } from '../../values/instant.ts';
import {
  PLAN_COLUMNS,
  parseDay,
  parseModified,
  parsePlanWithoutTerms,
  parseTerms,
} from '../plans/plans.sql.ts';
import type { Customer } from './customer.ts';
import type {
  Subscription,
  SubscriptionEntry,
  SubscriptionEventType,
  SubscriptionReason,
  SubscriptionState,
  SubscriptionWithEvents,
} from './subscription.ts';

/**
 * The columns of a subscription `s` with its plan `p`, under names that do not collide with those
 * of a billing beside them.
 */
export const SUBSCRIPTION_COLUMNS = `${PLAN_COLUMNS},
    s.amount as terms_amount, s.plan_type as terms_plan_type, s.trial_days as terms_trial_days,
    s.interval_days as terms_interval_days, s.installments as terms_installments,
    s.max_retries as terms_max_retries, s.subscription_id, s.vault_id, s.order_number, s.account_number,
    s.customer, s.state as subscription_state, s.reason as subscription_reason,
    to_char(s.first_due_on, 'YYYY-MM-DD') as first_due_on, s.created_by as subscription_created_by,
    s.created_at as subscription_created_at, s.modified_by as subscription_modified_by,
    s.modified_at as subscription_modified_at`;

/** Reads `SUBSCRIPTION_COLUMNS`. */
export function parseSubscription(row: Row): Subscription {
  const plan = parsePlanWithoutTerms(row);
  return {
    merchantId: plan.merchantId,
    subscriptionId: row.subscription_id as string,
    vaultId: row.vault_id as string,
    orderNumber: row.order_number as string,
    accountNumber: row.account_number as string,
    state: row.subscription_state as SubscriptionState,
    reason: row.subscription_reason as SubscriptionReason | null,
    terms: parseTerms(row),
    firstDueOn: parseDay(row.first_due_on),
    customer: row.customer as Customer | null,
    plan,
    created: { by: row.subscription_created_by as string, at: row.subscription_created_at as Instant },
    modified: parseModified(row.subscription_modified_by, row.subscription_modified_at),
  };
}

/** Canceled and activated again and again it has as many: the newest are shown. */
const FIND = statement(
  'subscriptions.find',
  `select ${SUBSCRIPTION_COLUMNS}, e.history from subscriptions s cross join lateral (
     select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
   ) p cross join lateral (
     select json_agg(json_build_object('type', type, 'by', created_by,
       'at', floor(extract(epoch from created_at) * 1000)::bigint, 'reason', reason, 'billingId', billing_id)
       order by event_number) as history
     from (
       select * from subscription_events where merchant_id = $1 and subscription_id = $2
       order by event_number desc limit 100
     ) newest
   ) e where s.merchant_id = $1 and s.subscription_id = $2`,
);

/**
 * A subscription of this merchant by its id, a UUID, with the newest hundred things that happened
 * to it; or null.
 */
export async function findSubscription(
  database: Reader,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const [row] = await database.query(FIND, [merchantId, subscriptionId]);
  if (row === undefined) return null;
  const history = (row.history ?? []) as Record<string, unknown>[];
  return { subscription: parseSubscription(row), history: history.map(parseEvent) };
}

function parseEvent(row: Record<string, unknown>): SubscriptionEntry {
  return {
    type: row.type as SubscriptionEventType,
    stamp: { by: row.by as string, at: row.at as Instant },
    reason: row.reason as SubscriptionReason | null,
    billingId: row.billingId as string | null,
  };
}
