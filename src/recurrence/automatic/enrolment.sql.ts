import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import type { Deadline } from '../../platform/postgres/deadline.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { PayerAccount } from '../../providers/pix/recurring-pix.ts';
import type { Cents } from '../../values/cents.ts';
import { addDays, type Instant, utcText } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import { hasLeadTime } from '../plans/pix-schedule.ts';
import { PLAN_STATES, type Terms } from '../plans/plan.ts';
import { TERMS } from '../plans/plans.sql.ts';
import type { Customer } from '../subscriptions/customer.ts';
import type { SubscriptionCreationRefusal } from '../subscriptions/subscription.ts';
import { firstDays, type Journey, withoutHyphens } from './authorization.ts';

/** A subscription that its payer has not agreed to yet. Ids are new. */
export type PendingSubscription = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly billingId: string;
  readonly pixId: string;
  readonly pageKey: string;
  readonly planId: string;
  readonly orderNumber: string;
  readonly accountNumber: string;
  readonly customer: Customer | null;
  /** null: the journey that suits the plan. */
  readonly journey: Journey | null;
  /** null: the amount is fixed. */
  readonly leastAmount: Cents | null;
  readonly payerAccount: PayerAccount | null;
  /** null: no bank has Pix Automático switched on for the merchant. */
  readonly bank: string | null;
  readonly leadDays: number;
  readonly createdBy: string;
  readonly createdAt: Instant;
  readonly request: KeyedRequest | null;
};

export type PendingResult = 'created' | 'keyUsed' | readonly SubscriptionCreationRefusal[];

const PLAN = rowCodec({ state: column.oneOf(PLAN_STATES) }, 'p');

/** As for subscriptions by card: waits for edits of the plan, then reads its terms. */
const LOCK_PLAN = statement(
  'pix_enrolments.lock_plan',
  `select ${PLAN.columns}, ${TERMS.columns} from (
     select pg_advisory_xact_lock_shared(hashtextextended($1::text || '|' || $2::uuid::text, 0)) is not null as is_mine
   ) turn cross join lateral (
     select * from plans o where o.merchant_id = $1 and o.plan_id = $2 and turn.is_mine limit 1 for share
   ) p`,
);

type PlanToEnrol = RowOf<typeof PLAN> & { readonly terms: Terms };

/** In journey 3 the first charge also authorizes, and is under way from the beginning. */
const ENROL = statement(
  'pix_enrolments.insert',
  `with enrolled as (
     insert into subscriptions (merchant_id, subscription_id, plan_id, payment_method, order_number, account_number, state,
       amount, plan_type, trial_days, interval_days, installments, max_retries, first_due_on, customer, created_by, created_at)
     select $1, $2, $3, 'pixAutomatic', $4, $5, 'pending', p.amount, p.plan_type, p.trial_days, p.interval_days,
       p.installments, p.max_retries, $6::date, $7::jsonb, $8, $9::timestamptz
     from plans p where p.merchant_id = $1 and p.plan_id = $3
     on conflict do nothing
     returning merchant_id, subscription_id
   ), authorized as (
     insert into pix_authorizations (merchant_id, subscription_id, bank, journey, state, first_pix_id, least_amount,
       payer_account, lead_days, starts_on, requested_at, expires_at, look_at, leased_until, page_key)
     select e.merchant_id, e.subscription_id, $10, $11::smallint, 'asking', case when $11::smallint = 3 then $12::uuid end, $13::bigint,
       $14::jsonb, $15::smallint, $16::date, $9::timestamptz, $17::timestamptz, $9::timestamptz + interval '1 minute',
       now() + interval '1 minute', $25
     from enrolled e
   ), billed as (
     insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on,
       charges_made, transaction_id, fence, created_by, created_at)
     select e.merchant_id, $18, e.subscription_id, 1, 'opened', $19::bigint, $6::date, $20::date,
       case when $11::smallint = 3 then 1 else 0 end, case when $11::smallint = 3 then $12::uuid end,
       case when $11::smallint = 3 then 1 else 0 end, $8, $9::timestamptz
     from enrolled e
   ), charged as (
     insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, transaction_id, started_at, created_by)
     select e.merchant_id, $18, 1, 1, $12, $9::timestamptz, 'system' from enrolled e where $11::smallint = 3
   ), collected as (
     insert into pix_collections (merchant_id, pix_id, billing_id, subscription_id, txid, attempt_number, amount, due_on, try_on,
       state, look_at)
     select e.merchant_id, $12, $18, e.subscription_id, $21, 1, $19::bigint, $6::date, $6::date, 'open',
       $9::timestamptz + interval '1 minute'
     from enrolled e where $11::smallint = 3
   ), keyed as (
     select $22::bytea as key_hash, $23::bytea as body_fingerprint, $24::integer as body_fingerprint_key_id, merchant_id,
       subscription_id as resource_id from enrolled
   ), ${REMEMBER_KEYS}
   select subscription_id from enrolled`,
);

/** Enrolments are few beside charges. */
const LIMITS = { statementsInFlight: 4, waitingCallers: 500 };

export function pendingSubscriptionsWrite(
  database: Database,
): BatchedWriteOptions<PendingSubscription, PendingResult> {
  return oneByOne({
    name: 'pixEnrolments',
    key: (row) => row.subscriptionId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    isRefusal: (result) => result !== 'created',
    write: (row, deadline) => enrol(database, row, deadline),
  });
}

async function enrol(
  database: Database,
  row: PendingSubscription,
  deadline: Deadline,
): Promise<PendingResult> {
  try {
    return await database.transaction((tx) => enrolUnderLock(tx, row), deadline);
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

async function enrolUnderLock(tx: Tx, row: PendingSubscription): Promise<PendingResult> {
  const { merchantId, subscriptionId, planId, createdAt, createdBy, customer, payerAccount } = row;
  const [locked] = await tx.query(LOCK_PLAN, [merchantId, planId]);
  const plan = locked === undefined ? null : { ...PLAN.parse(locked), terms: TERMS.parse(locked) };
  const refusals = enrolmentRefusals(row, plan);
  if (refusals.length > 0 || plan === null || row.bank === null) return refusals;
  const journey = row.journey ?? usualJourney(plan.terms);
  const days = firstDays(journey, plan.terms, row.leadDays, createdAt);
  await tx.query(ENROL, [
    ...[merchantId, subscriptionId, planId, row.orderNumber, row.accountNumber, days.firstDueOn],
    ...[customer && JSON.stringify(customer), createdBy, utcText(createdAt), row.bank, journey, row.pixId],
    ...[row.leastAmount, journey === 1 ? JSON.stringify(payerAccount) : null, row.leadDays, days.startsOn],
    ...[utcText(days.expiresAt), row.billingId, centsOfPlanAmount(plan.terms.amount)],
    journey === 3 ? days.firstDueOn : addDays(days.firstDueOn, -row.leadDays),
    withoutHyphens(row.pixId),
    ...keyValues(row.request),
    row.pageKey,
  ]);
  return 'created';
}

/** With a trial nothing is due today, so the code only authorizes. */
function usualJourney({ trialDays }: Pick<Terms, 'trialDays'>): Journey {
  return trialDays === 0 ? 3 : 2;
}

/** Every reason against the enrolment. `plan` null: there is no such plan. */
function enrolmentRefusals(
  {
    customer,
    bank,
    journey,
    payerAccount,
    leadDays,
  }: Pick<PendingSubscription, 'customer' | 'bank' | 'journey' | 'payerAccount' | 'leadDays'>,
  plan: PlanToEnrol | null,
): SubscriptionCreationRefusal[] {
  const isByCard = plan !== null && plan.terms.paymentMethod === 'creditCard';
  const isByPix = plan !== null && !isByCard;
  const refusals: (SubscriptionCreationRefusal | null)[] = [
    plan === null ? 'unknownPlan' : null,
    isByCard ? 'cardNeeded' : null,
    isByPix && customer?.name === undefined ? 'payerNameNeeded' : null,
    isByPix && customer?.documentNumber === undefined ? 'payerDocumentNeeded' : null,
    isByPix && journey === 1 && payerAccount === null ? 'payerAccountNeeded' : null,
    plan !== null && plan.state !== 'active' ? 'planNotActive' : null,
    isByPix && (bank === null || !hasLeadTime(plan.terms.planType, leadDays)) ? 'automaticPixOff' : null,
  ];
  return refusals.filter((refusal) => refusal !== null);
}
