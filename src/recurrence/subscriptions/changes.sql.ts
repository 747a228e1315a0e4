import type { Audit, AuditEvents } from '../../audit/audit-event.ts';
import type { MerchantActor } from '../../audit/merchant-event.ts';
import { type BatchedWriteOptions, writeOneByOne } from '../../platform/postgres/batched-writes.ts';
import {
  type CommitStep,
  type Row,
  type Statement,
  type Step,
  statement,
} from '../../platform/postgres/database.ts';
import type { Deadline } from '../../platform/postgres/deadline.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import { type Instant, saoPauloDay } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { parseDay, parseTerms } from '../plans/plans.sql.ts';
import { subscriptionChanged } from './audited-subscription.ts';
import { type Customer, changedCustomerFields } from './customer.ts';
import { moveAlert } from './reasons.ts';
import { type CountedBilling, type StatusMove, statusMove } from './schedule.ts';
import {
  type ChangeRefusal,
  SUBSCRIPTION_MOVES,
  type Subscription,
  type SubscriptionState,
} from './subscription.ts';
import { MOVE_NOTICES, WRITTEN_EVENTS, WRITTEN_MOVES } from './subscription-events.sql.ts';

/**
 * What is wanted of one subscription, by which credential, and when in business time. Ids are UUIDs in
 * lower case.
 */
export type SubscriptionChange = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly actor: MerchantActor;
  readonly at: Instant;
  readonly wanted:
    | {
        readonly kind: 'status';
        readonly event: 'activate' | 'cancel';
        /** Of the billing that it may open. */
        readonly billingId: string;
      }
    | { readonly kind: 'card'; readonly vaultId: string }
    | { readonly kind: 'customer'; readonly customer: Customer | null };
};

export type ChangeResult = 'changed' | ChangeRefusal;

/**
 * The plan lock, which new subscriptions share: a cancel of the plan sees what was made active
 * before, and one made active behind it is not meant. A subscription keeps its plan.
 */
const SHARE_PLAN = statement(
  'subscriptions.share_plan',
  `select pg_advisory_xact_lock_shared(hashtextextended(s.merchant_id || '|' || s.plan_id::text,
    0)) is not null as is_mine
   from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2`,
);

/** Every change of a subscription or of its billings holds this lock. */
const LOCK = statement(
  'subscriptions.lock',
  `select s.state, s.vault_id, s.customer, s.amount as terms_amount, s.plan_type as terms_plan_type,
     s.trial_days as terms_trial_days, s.interval_days as terms_interval_days,
     s.installments as terms_installments, s.max_retries as terms_max_retries,
     to_char(s.first_due_on, 'YYYY-MM-DD') as first_due_on
   from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2 for no key update`,
);

/**
 * The open one, if there is one, is the newest. Locked, so that no charge of it begins meanwhile. A
 * charge that came to nothing was none.
 */
const LOCK_LATEST_BILLINGS = statement(
  'subscriptions.lock_latest_billings',
  `select b.billing_id, b.installment, to_char(b.due_on, 'YYYY-MM-DD') as due_on,
     b.state = 'opened' as is_open, b.transaction_id is not null as is_charging,
     case when b.charges_made > 0 then true else exists (
       select from billing_charges c where c.merchant_id = b.merchant_id and c.billing_id = b.billing_id
         and c.outcome is distinct from 'voided'
     ) end as was_charged, (
       select max(c.started_at) from billing_charges c where c.merchant_id = b.merchant_id
         and c.billing_id = b.billing_id
         and c.outcome is distinct from 'voided'
     ) as last_charged_at, exists (
       select from billings o where o.merchant_id = b.merchant_id and o.subscription_id = b.subscription_id
         and (o.charges_made > 0 or exists (
           select from billing_charges c where c.merchant_id = o.merchant_id and c.billing_id = o.billing_id
             and c.outcome is distinct from 'voided'))
     ) as is_series_charged
   from billings b where b.merchant_id = $1 and b.subscription_id = $2 and not b.is_skipped
   order by b.installment desc limit 2 for no key update of b`,
);

/**
 * The state is a parameter: named in the text, it would make an index of all open ones fit for one
 * of them.
 */
const MOVE = statement(
  'subscriptions.move',
  `with moved as (
     update subscriptions set state = $3, reason = case $3::text when 'canceled' then 'user' end,
       state_since = clock_timestamp(), modified_by = $4, modified_at = $5
     where merchant_id = $1 and subscription_id = $2 and $3::text is not null
       and state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'activate', 'cancel')})
     returning merchant_id, subscription_id, state, reason, modified_by, modified_at,
       null::uuid as billing_id, account_number, $9::text as event, $10::text as notice
   ), ${WRITTEN_MOVES}, notices as (${MOVE_NOTICES}), ${ENQUEUE_ALERTS}, ended as (
     update billings set state = 'canceled', is_skipped = $7, charge_on = null, modified_by = $4,
       modified_at = $5
     where merchant_id = $1 and billing_id = $6::uuid and state = $8 and transaction_id is null
   )
   select ${NOTICE_WAITS}`,
);

const OPEN_BILLING = statement(
  'subscriptions.open_billing',
  `insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on,
     charge_on, created_by, created_at)
   select $1::text, $3::uuid, $2::uuid, $4::smallint, 'opened', $5::bigint, $6::date, $9::date, $7::text,
     $8::timestamptz
   where $4::smallint is not null`,
);

const LOCK_CARD = statement(
  'subscriptions.lock_card',
  'select vault_id from vault_cards where merchant_id = $1 and vault_id = $2 for key share',
);

/** Nothing is written for the one that is there already. */
const CHANGE_CARD = statement(
  'subscriptions.change_card',
  `with changed as (
     update subscriptions set vault_id = $3::uuid, modified_by = $4, modified_at = $5
     where merchant_id = $1 and subscription_id = $2 and vault_id <> $3::uuid
     returning merchant_id, subscription_id, modified_by, modified_at
   ), happened as (
     select merchant_id, subscription_id, 'cardChanged' as type, null as reason, null::uuid as billing_id,
       modified_by as created_by, modified_at as created_at
     from changed
   ), ${WRITTEN_EVENTS}
   select subscription_id from changed`,
);

/** Nothing is written for the one that is there already. An erased one is named anew. */
const CHANGE_CUSTOMER = statement(
  'subscriptions.change_customer',
  `with changed as (
     update subscriptions set customer = $3::jsonb, customer_erased_at = null, modified_by = $4,
       modified_at = $5
     where merchant_id = $1 and subscription_id = $2 and customer is distinct from $3::jsonb
     returning merchant_id, subscription_id, modified_by, modified_at
   ), happened as (
     select merchant_id, subscription_id, 'customerChanged' as type, null as reason,
       null::uuid as billing_id, modified_by as created_by, modified_at as created_at
     from changed
   ), ${WRITTEN_EVENTS}
   select subscription_id from changed`,
);

/**
 * Each has a commit of its own: what is written follows from what was read under the lock. It ends with the
 * end of the audit log's chain: more of them at once would only hold connections.
 */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 500 };

/**
 * Reads, decides and writes under the lock of the subscription. Repeatable after a lost connection:
 * what was changed already is changed no second time.
 */
export function subscriptionChangesWrite(
  audit: Audit,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<SubscriptionChange, ChangeResult> {
  return {
    name: 'subscriptionChanges',
    key: (row) => row.subscriptionId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    isRefusal: (result) => result !== 'changed',
    write: (rows, deadlines) =>
      writeOneByOne(
        rows,
        (row) => row.subscriptionId,
        (row, index) => writeChange({ audit, deliverer }, row, deadlines[index] as Deadline),
      ),
  };
}

type WriteTools = { readonly audit: Audit; readonly deliverer: Pick<Deliverer, 'notify'> };

/** None is carried out after its deadline: an activation is a charge to come. */
function writeChange(
  { audit, deliverer }: WriteTools,
  change: SubscriptionChange,
  deadline: Deadline,
): Promise<ChangeResult> {
  const inTime: AuditedCommit = (steps, events) => audit.commit(steps, events, change.merchantId, deadline);
  const { wanted } = change;
  switch (wanted.kind) {
    case 'status':
      return moveStatus(inTime, change, wanted, deliverer);
    case 'card':
      return changeCard(inTime, change, wanted.vaultId);
    case 'customer':
      return changeCustomer(inTime, change, wanted.customer);
  }
}

type AuditedCommit = (steps: readonly CommitStep[], events: AuditEvents) => Promise<Row[][]>;

/** Behind the plan lock and three reads. */
const MOVED = 3;

type StatusRequest = Extract<SubscriptionChange['wanted'], { kind: 'status' }>;

async function moveStatus(
  commit: AuditedCommit,
  change: SubscriptionChange,
  wanted: StatusRequest,
  deliverer: Pick<Deliverer, 'notify'>,
): Promise<ChangeResult> {
  const { merchantId, subscriptionId, actor, at } = change;
  const by = actor.userName;
  const key = [merchantId, subscriptionId];
  const moment = new Date(at).toISOString();
  const move: CommitStep = ([, ...rows]) => {
    const { state, ends } = writtenMove(rows, change, wanted);
    if (state === null && ends === null) return null;
    const ended = [ends?.billingId ?? null, ends?.isSkipped ?? false];
    const reason = state === 'canceled' ? 'user' : null;
    const { event = null, body = null } = state === null ? {} : moveAlert({ subscriptionId, state, reason });
    return { statement: MOVE, values: [...key, state, by, moment, ...ended, 'opened', event, body] };
  };
  const open: CommitStep = ([, ...rows]) => {
    const { opens } = writtenMove(rows, change, wanted);
    if (opens === null) return null;
    const amount = centsOfPlanAmount(parseTerms(rows[0]?.[0] as Row).amount);
    const billing = [wanted.billingId, opens.installment, amount, opens.dueOn];
    return { statement: OPEN_BILLING, values: [...key, ...billing, by, moment, opens.chargeOn] };
  };
  const lockCard: CommitStep = ([, locked]) => step(LOCK_CARD, [merchantId, locked?.[0]?.vault_id ?? null]);
  const read = [step(SHARE_PLAN, key), step(LOCK, key), step(LOCK_LATEST_BILLINGS, key), lockCard];
  const events: AuditEvents = ([, ...rows]) => {
    const { state } = writtenMove(rows, change, wanted);
    const before = rows[0]?.[0]?.state as SubscriptionState;
    return state === null ? [] : [subscriptionChanged(change, { state: before }, { state })];
  };
  const [, ...rows] = await commit([...read, move, open], events);
  if (rows[MOVED]?.[0]?.notice_waits === true) deliverer.notify();
  const decided = decideMove(rows, change, wanted);
  return typeof decided === 'string' ? decided : 'changed';
}

function step(wanted: Statement, values: readonly unknown[]): Step {
  return { statement: wanted, values };
}

/**
 * By what the three reads behind the plan lock gave. Without a card none becomes active: there
 * would be nothing to charge.
 */
function decideMove(
  [locked, billings, cards]: readonly Row[][],
  { at }: SubscriptionChange,
  { event }: StatusRequest,
): StatusMove | ChangeRefusal {
  const row = locked?.[0];
  if (row === undefined) return 'notFound';
  const move = statusMove(parseLocked(row), (billings ?? []).map(parseCounted), event, saoPauloDay(at));
  const isMadeActive = event === 'activate' && move !== 'completed' && move.state !== null;
  return isMadeActive && cards?.length === 0 ? 'cardRemoved' : move;
}

/** A refused change goes through the same steps and writes nothing. */
function writtenMove(rows: readonly Row[][], change: SubscriptionChange, wanted: StatusRequest): StatusMove {
  const decided = decideMove(rows, change, wanted);
  return typeof decided === 'string' ? { state: null, ends: null, opens: null } : decided;
}

function parseLocked(row: Row): Pick<Subscription, 'state' | 'terms' | 'firstDueOn'> {
  return {
    state: row.state as SubscriptionState,
    terms: parseTerms(row),
    firstDueOn: parseDay(row.first_due_on),
  };
}

function parseCounted(row: Row): CountedBilling {
  return {
    billingId: row.billing_id as string,
    installment: row.installment as number,
    dueOn: parseDay(row.due_on),
    isOpen: row.is_open as boolean,
    isCharging: row.is_charging as boolean,
    wasCharged: row.was_charged as boolean,
    isSeriesCharged: row.is_series_charged as boolean,
    lastChargedOn: row.last_charged_at === null ? null : saoPauloDay(row.last_charged_at as Instant),
  };
}

/**
 * The card is locked first, as a new subscription locks it, so that it is not removed before it is
 * named.
 */
async function changeCard(
  commit: AuditedCommit,
  change: SubscriptionChange,
  vaultId: string,
): Promise<ChangeResult> {
  const { merchantId, subscriptionId, actor, at } = change;
  const key = [merchantId, subscriptionId];
  const write: CommitStep = ([found]) =>
    found?.length === 1
      ? step(CHANGE_CARD, [...key, vaultId, actor.userName, new Date(at).toISOString()])
      : null;
  const events: AuditEvents = ([, before, changed]) =>
    changed?.length === 1
      ? [subscriptionChanged(change, { vaultId: before?.[0]?.vault_id as string }, { vaultId })]
      : [];
  const read = [step(LOCK_CARD, [merchantId, vaultId]), step(LOCK, key)];
  const [cards, locked] = await commit([...read, write], events);
  if (locked?.length !== 1) return 'notFound';
  return cards?.length === 1 ? 'changed' : 'unknownCard';
}

/** The audit log has the names of the fields that changed: it is kept longer than the person's data. */
async function changeCustomer(
  commit: AuditedCommit,
  change: SubscriptionChange,
  customer: Customer | null,
): Promise<ChangeResult> {
  const { merchantId, subscriptionId, actor, at } = change;
  const key = [merchantId, subscriptionId];
  const described = customer && JSON.stringify(customer);
  const write = step(CHANGE_CUSTOMER, [...key, described, actor.userName, new Date(at).toISOString()]);
  const events: AuditEvents = ([before, changed]) => {
    if (changed?.length !== 1) return [];
    const fields = changedCustomerFields((before?.[0]?.customer ?? null) as Customer | null, customer);
    return [subscriptionChanged(change, {}, { customer: fields })];
  };
  const [locked] = await commit([step(LOCK, key), write], events);
  return locked?.length === 1 ? 'changed' : 'notFound';
}
