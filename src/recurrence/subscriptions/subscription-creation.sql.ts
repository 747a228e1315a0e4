import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { KEY_COLUMNS, REMEMBER_KEYS, racingForKeys } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, NOT_WRITTEN } from '../../platform/postgres/batched-writes.ts';
import { type Database, type Reader, statement } from '../../platform/postgres/database.ts';
import { inputRows, own, type Timed, withDeadlines } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Day, type Instant, saoPauloDay, utcText } from '../../values/instant.ts';
import { PLAN_STATES } from '../plans/plan.ts';
import type { Customer } from './customer.ts';
import type { SubscriptionCreationRefusal } from './subscription.ts';

/** Ids are UUIDs in lower case; those of subscription and billing are new. */
export type NewSubscription = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly planId: string;
  readonly vaultId: string;
  readonly orderNumber: string;
  readonly accountNumber: string;
  /** null: today plus the plan's trial. */
  readonly firstDueOn: Day | null;
  /** Installments paid at another gateway; the first billing here is the next one. */
  readonly installmentsPaid: number;
  /** When the first billing, which waits for a retry, is charged; null: on its due day. */
  readonly chargeOn: Day | null;
  /** Charges of the first billing that another gateway has made. */
  readonly chargesMade: number;
  /** From another gateway: an inactive plan takes it too. */
  readonly isMoving: boolean;
  readonly customer: Customer | null;
  readonly createdBy: string;
  /** Business time. */
  readonly createdAt: Instant;
  readonly request: KeyedRequest | null;
};

/** `keyUsed`: the key made another subscription. A list: every refusal; nothing was written. */
export type SubscriptionCreationResult = 'created' | 'keyUsed' | readonly SubscriptionCreationRefusal[];

/**
 * Rounds half to even, like `centsOfPlanAmount`. `round` goes away from zero, but `amount * 50` of a half
 * cent is never at a half.
 */
const CENTS = `(case when mod(e.amount * 100, 1) = 0.5
  then 2 * round(e.amount * 50) else round(e.amount * 100) end)::bigint`;

const INPUT = inputRows<Timed<NewSubscription>>({
  ...own({ merchantId: 'text', subscriptionId: 'uuid', billingId: 'uuid', planId: 'uuid' }),
  ...own({ vaultId: 'uuid', orderNumber: 'text', accountNumber: 'text', firstDueOn: 'date' }),
  ...own({ installmentsPaid: 'smallint', chargeOn: 'date', chargesMade: 'smallint', isMoving: 'boolean' }),
  customer: ['jsonb', ({ customer }) => customer && JSON.stringify(customer)],
  created_by: ['text', (row) => row.createdBy],
  created_at: ['timestamptz', (row) => utcText(row.createdAt)],
  created_on: ['date', (row) => saoPauloDay(row.createdAt)],
  ...KEY_COLUMNS,
  deadline: ['timestamptz', (row) => row.deadline],
});

/** Whether a plan `o` takes the new subscription `i`. */
const TAKES = `(o.state = 'active' or i.is_moving and o.state = 'inactive') and o.payment_method = 'creditCard'`;

/**
 * Locks plans first, in order: waits for edits and reads their terms. The plan lock (advisory, with a queue)
 * comes before the row, because shared row locks pass a waiting exclusive one, and a busy plan could never be
 * edited. Then locks the cards, so that none is deleted. Writes last, keys after all, and nothing after the
 * deadline: a subscription leads to a charge.
 */
const ENROL = statement(
  'enrolments.insert',
  `with input as (
     select * from ${INPUT.sql}
   ), one_for_each_key as (
     select distinct on (i.merchant_id, i.key_hash) i.subscription_id from input i left join lateral (
       select true as is_taken from idempotency_keys o
       where o.merchant_id = i.merchant_id and o.key_hash = i.key_hash limit 1
     ) k on true
     where i.key_hash is not null and k.is_taken is null
     order by i.merchant_id, i.key_hash, i.subscription_id
   ), wanted as (
     select i.* from input i left join one_for_each_key o using (subscription_id)
     where i.key_hash is null or o.subscription_id is not null
   ), offered as materialized (
     select p.* from (
       select distinct merchant_id, plan_id from wanted order by merchant_id, plan_id
     ) w cross join lateral (
       select pg_advisory_xact_lock_shared(hashtextextended(w.merchant_id || '|' || w.plan_id::text,
         0)) is not null as is_mine
     ) turn cross join lateral (
       select o.merchant_id, o.plan_id, o.state, o.amount, o.plan_type, o.trial_days, o.interval_days,
         o.installments, o.max_retries, o.payment_method
       from plans o where o.merchant_id = w.merchant_id and o.plan_id = w.plan_id and turn.is_mine
         limit 1 for share
     ) p
   ), payable as materialized (
     select c.* from (
       select distinct i.merchant_id, i.vault_id from wanted i
       join offered o on o.merchant_id = i.merchant_id and o.plan_id = i.plan_id
       where ${TAKES} order by i.merchant_id, i.vault_id
     ) w cross join lateral (
       select v.merchant_id, v.vault_id from vault_cards v
       where v.merchant_id = w.merchant_id and v.vault_id = w.vault_id limit 1 for key share
     ) c
   ), enrolled as (
     insert into subscriptions (merchant_id, subscription_id, plan_id, vault_id, order_number,
       account_number, state, amount, plan_type, trial_days, interval_days, installments, max_retries,
       first_due_on, installments_paid_before, customer, created_by, created_at, payment_method)
     select i.merchant_id, i.subscription_id, i.plan_id, i.vault_id, i.order_number, i.account_number,
       'active', o.amount, o.plan_type, o.trial_days, o.interval_days, o.installments, o.max_retries,
       coalesce(i.first_due_on, i.created_on + o.trial_days::integer), i.installments_paid, i.customer, i.created_by, i.created_at, o.payment_method
     from wanted i join offered o on o.merchant_id = i.merchant_id and o.plan_id = i.plan_id
     join payable c on c.merchant_id = i.merchant_id and c.vault_id = i.vault_id
     where ${TAKES} and clock_timestamp() < i.deadline
     order by i.merchant_id, i.subscription_id
     on conflict do nothing
     returning merchant_id, subscription_id, amount, first_due_on, installments_paid_before, created_by, created_at
   ), billed as (
     insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on,
       charge_on, charges_made, created_by, created_at)
     select e.merchant_id, i.billing_id, e.subscription_id, e.installments_paid_before + 1, 'opened', ${CENTS}, e.first_due_on,
       coalesce(i.charge_on, e.first_due_on), i.charges_made, e.created_by, e.created_at
     from enrolled e join input i on i.merchant_id = e.merchant_id and i.subscription_id = e.subscription_id
     order by e.merchant_id, e.subscription_id
   ), keyed as (
     select i.*, i.subscription_id as resource_id from input i
     join enrolled e on e.merchant_id = i.merchant_id and e.subscription_id = i.subscription_id
   ), ${REMEMBER_KEYS}
   select subscription_id from enrolled`,
);

type Unwritten = Pick<NewSubscription, 'merchantId' | 'planId' | 'vaultId' | 'isMoving' | 'request'> & {
  readonly subscriptionId: string | null;
};

const UNWRITTEN = inputRows<Unwritten>({
  ...own({ merchantId: 'text', subscriptionId: 'uuid', planId: 'uuid', vaultId: 'uuid' }),
  is_moving: ['boolean', (row) => row.isMoving],
  key_hash: ['bytea', (row) => row.request?.keyHash ?? null],
});

const EXPLAINED = rowCodec({
  subscriptionId: column.nullable(column.text('i.subscription_id')),
  planState: column.nullable(column.oneOf(PLAN_STATES, 'p.state')),
  isByPix: column.boolean("coalesce(p.payment_method = 'pixAutomatic', false)"),
  hasCard: column.boolean('c.vault_id is not null'),
  isMoving: column.boolean('i.is_moving'),
  isCreated: column.boolean(`exists (
       select from subscriptions s where s.merchant_id = i.merchant_id
         and s.subscription_id = i.subscription_id
     )`),
  isKeyUsed: column.boolean(`exists (
       select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash
     )`),
});

type Explained = RowOf<typeof EXPLAINED>;

const EXPLAIN = statement(
  'enrolments.explain',
  `select ${EXPLAINED.columns}
   from ${UNWRITTEN.sql}
   left join lateral (
     select o.state, o.payment_method from plans o
     where o.merchant_id = i.merchant_id and o.plan_id = i.plan_id limit 1
   ) p on true left join lateral (
     select v.vault_id from vault_cards v where v.merchant_id = i.merchant_id
       and v.vault_id = i.vault_id limit 1
   ) c on true`,
);

/** Writes subscription, first billing and key in one commit. Repeatable: ids are new for each caller. */
export function newSubscriptionsWrite(
  database: Database,
): BatchedWriteOptions<NewSubscription, SubscriptionCreationResult> {
  return {
    name: 'enrolments',
    key: (row) => row.subscriptionId,
    merchant: (row) => row.merchantId,
    isRefusal: Array.isArray,
    async write(rows, deadlines) {
      const values = INPUT.values(withDeadlines(rows, deadlines));
      const returned = await racingForKeys(() => database.query(ENROL, values));
      const written = new Set(returned.map((row) => row.subscription_id));
      const missing = rows.filter((row) => !written.has(row.subscriptionId));
      const explained = await explainEnrolments(database, missing);
      return new Map(
        rows.map((row): [string, SubscriptionCreationResult | typeof NOT_WRITTEN] => [
          row.subscriptionId,
          explained.get(row.subscriptionId) ?? 'created',
        ]),
      );
    },
  };
}

/** Why rows are not written, or that they are. A separate statement, to see others' commits. */
export async function explainEnrolments(
  database: Database,
  rows: readonly NewSubscription[],
): Promise<ReadonlyMap<string | null, SubscriptionCreationResult | typeof NOT_WRITTEN>> {
  if (rows.length === 0) return new Map();
  const explained = (await database.query(EXPLAIN, UNWRITTEN.values(rows))).map(EXPLAINED.parse);
  return new Map(explained.map((row) => [row.subscriptionId, reasonOf(row)]));
}

/** What would be refused now; writes and locks nothing. */
export async function findCreationRefusals(
  database: Reader,
  wanted: Pick<NewSubscription, 'merchantId' | 'planId' | 'vaultId'>,
): Promise<readonly SubscriptionCreationRefusal[]> {
  const values = UNWRITTEN.values([{ ...wanted, subscriptionId: null, isMoving: false, request: null }]);
  return (await database.query(EXPLAIN, values)).map(EXPLAINED.parse).flatMap(refusalsOf);
}

function reasonOf(row: Explained): SubscriptionCreationResult | typeof NOT_WRITTEN {
  if (row.isCreated) return 'created';
  if (row.isKeyUsed) return 'keyUsed';
  const refusals = refusalsOf(row);
  return refusals.length === 0 ? NOT_WRITTEN : refusals;
}

function refusalsOf({ planState, hasCard, isByPix, isMoving }: Explained): SubscriptionCreationRefusal[] {
  const refusals: SubscriptionCreationRefusal[] = [];
  if (planState === null) refusals.push('unknownPlan');
  if (isByPix) refusals.push('cardNotTaken');
  else if (!hasCard) refusals.push('unknownCard');
  const takes = planState === 'active' || (isMoving && planState === 'inactive');
  if (planState !== null && !takes) refusals.push('planNotActive');
  return refusals;
}
