import {
  type Audit,
  type AuditDetail,
  type AuditEvent,
  type AuditedTx,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { statement, type Tx } from '../../platform/postgres/database.ts';
import { firstOf } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import type { RecurringTerms } from '../../providers/pix/recurring-pix.ts';
import { utcText } from '../../values/instant.ts';
import { PLAN_MOVES, type Plan, type PlanState, type Stamp, searchText } from './plan.ts';
import { type EditedPlan, type EditRefusal, planEdit, type WantedPlan } from './plan-edit.ts';
import { parsePlan, WHOLE_PLAN } from './plans.sql.ts';

/** Plans are written one by one: they are few. */
const LIMITS = { statementsInFlight: 2, waitingCallers: 200 };

/** `request`: its idempotency key; null: none. */
export type NewPlan = {
  readonly plan: Plan;
  readonly planner: MerchantActor;
  readonly request: KeyedRequest | null;
};

/** `keyUsed`: the key made another plan; nothing was written. */
export type CreateResult = 'written' | 'keyUsed';

/** Each caller has a new id: an existing one was written by an earlier try whose connection was lost. */
const INSERT = statement(
  'plans.insert',
  `with written as (
     insert into plans (merchant_id, plan_id, name, description, search_name, amount, plan_type, trial_days,
       interval_days, installments, max_retries, soft_descriptor, payment_method, state, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict do nothing
     returning merchant_id, plan_id
   ), keyed as (
     select $17::bytea as key_hash, $18::bytea as body_fingerprint,
       $19::integer as body_fingerprint_key_id, merchant_id, plan_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select plan_id from written`,
);

export function plansWrite(audit: Audit): BatchedWriteOptions<NewPlan, CreateResult> {
  return oneByOne({
    name: 'plans',
    isRefusal: () => false,
    key: ({ plan }) => plan.planId,
    merchant: ({ plan }) => plan.merchantId,
    limits: LIMITS,
    write: (row) => insertPlan(audit, row),
  });
}

async function insertPlan(audit: Audit, row: NewPlan): Promise<CreateResult> {
  const { merchantId, planId, state, created } = row.plan;
  const keys = keyValues(row.request);
  const columns = [...writtenColumns(row.plan), state, created.by, utcText(created.at)];
  try {
    await audit.transaction(
      async (tx) => {
        const written = await tx.query(INSERT, [merchantId, planId, ...columns, ...keys]);
        if (written.length === 1) tx.record(planCreated(row.planner, row.plan));
      },
      { merchantId },
    );
    return 'written';
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

/** In the column order of the statements. */
function writtenColumns({ name, description, softDescriptor, terms }: EditedPlan): unknown[] {
  const { amount, planType, trialDays, intervalDays, installments, maxRetries, paymentMethod } = terms;
  return [
    name,
    description,
    searchText(name),
    amount,
    planType,
    trialDays,
    intervalDays,
    installments,
    maxRetries,
    softDescriptor,
    paymentMethod,
  ];
}

/** Takes the plan lock, then the row, as new subscriptions do; those that come later wait. */
const LOCK = statement(
  'plans.lock',
  `select ${WHOLE_PLAN} from (
     select pg_advisory_xact_lock(hashtextextended($1::text || '|' || $2::uuid::text,
       0)) is not null as is_mine
   ) turn cross join lateral (
     select * from plans where merchant_id = $1 and plan_id = $2 and turn.is_mine limit 1 for no key update
   ) p`,
);

/**
 * Whether the plan has subscriptions. Asked under the plan lock, which new subscriptions share: one that is
 * not seen here reads the plan afterwards. Each state is read in the order of the index by plan: other
 * indexes would read all subscriptions of the merchant.
 */
const FIND_USE = statement(
  'plans.find_use',
  `select coalesce((
     select true from subscriptions s where s.merchant_id = $1 and s.plan_id = $2 and s.state = 'active'
     order by s.subscription_id limit 1
   ), (
     select true from subscriptions s where s.merchant_id = $1 and s.plan_id = $2 and s.state = 'blocked'
     order by s.subscription_id limit 1
   ), (
     select true from subscriptions s where s.merchant_id = $1 and s.plan_id = $2 and s.state = 'pending'
     order by s.subscription_id limit 1
   ), false) as is_in_use`,
);

const UPDATE = statement(
  'plans.update',
  `update plans set name = $3, description = $4, search_name = $5, amount = $6, plan_type = $7,
     trial_days = $8, interval_days = $9, installments = $10, max_retries = $11, soft_descriptor = $12,
     payment_method = $13, modified_by = $14, modified_at = $15
   where merchant_id = $1 and plan_id = $2`,
);

export type PlanKey = { readonly merchantId: string; readonly planId: string };

export type EditRow = PlanKey & {
  readonly wanted: WantedPlan;
  /** The terms of the merchant's Pix banks. */
  readonly leads: readonly RecurringTerms[];
  /** The editing user, and business time. */
  readonly stamp: Stamp;
  readonly planner: MerchantActor;
};

/** `done` also if nothing differs. */
export type EditResult = 'done' | 'notFound' | { readonly refusals: readonly EditRefusal[] };

export function planEditsWrite(audit: Audit): BatchedWriteOptions<EditRow, EditResult> {
  return changesWrite('planEdits', audit, editPlan);
}

function changesWrite<Row extends PlanKey, Refused>(
  name: string,
  audit: Audit,
  change: (tx: AuditedTx, row: Row) => Promise<'done' | Refused>,
): BatchedWriteOptions<Row, 'done' | Refused> {
  return oneByOne({
    name,
    isRefusal: (result) => result !== 'done',
    key: keyOf,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (row: Row) => audit.transaction((tx) => change(tx, row), { merchantId: row.merchantId }),
  });
}

async function lockPlan(tx: Tx, { merchantId, planId }: PlanKey): Promise<Plan | null> {
  return firstOf(await tx.query(LOCK, [merchantId, planId]), parsePlan);
}

async function editPlan(tx: AuditedTx, row: EditRow): Promise<EditResult> {
  const { merchantId, planId, wanted, leads, stamp, planner } = row;
  const plan = await lockPlan(tx, row);
  if (plan === null) return 'notFound';
  const [use] = await tx.query(FIND_USE, [merchantId, planId]);
  const edit = planEdit(plan, wanted, { isInUse: use?.is_in_use === true, leads });
  if (edit.kind === 'refused') return edit;
  if (edit.kind === 'changed') {
    await tx.query(UPDATE, [merchantId, planId, ...writtenColumns(edit.plan), ...columnsOf(stamp)]);
    tx.record(planEdited(planner, plan, edit.plan));
  }
  return 'done';
}

const MOVE = statement(
  'plans.move',
  `update plans set state = $3, modified_by = $4, modified_at = $5
   where merchant_id = $1 and plan_id = $2
     and state in (${fromOtherStates(PLAN_MOVES, 'activate', 'deactivate', 'cancel')})`,
);

/**
 * Asks for the end of the subscriptions made before now (real time, under the plan lock). A repeated cancel
 * includes those made after the first.
 */
const ASK_FOR_ENDING = statement(
  'plans.ask_for_ending',
  `insert into plan_cancellations (merchant_id, plan_id, canceled_by, canceled_at, asked_at, lease_expires_at)
   values ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + $5 * interval '1 millisecond')
   on conflict (merchant_id, plan_id) do update set canceled_by = excluded.canceled_by,
       canceled_at = excluded.canceled_at, asked_at = excluded.asked_at,
       lease_expires_at = excluded.lease_expires_at`,
);

export type MoveRow = PlanKey & {
  readonly state: PlanState;
  readonly stamp: Stamp;
  readonly planner: MerchantActor;
  /** How long other processes leave the plan's subscriptions to this one. */
  readonly leaseMilliseconds: number;
};

export type MoveResult = 'done' | 'notFound';

export function planMovesWrite(audit: Audit): BatchedWriteOptions<MoveRow, MoveResult> {
  return changesWrite('planMoves', audit, movePlan);
}

async function movePlan(tx: AuditedTx, row: MoveRow): Promise<MoveResult> {
  const { merchantId, planId, state, stamp, planner, leaseMilliseconds } = row;
  const plan = await lockPlan(tx, row);
  if (plan === null) return 'notFound';
  if (plan.state !== state) {
    await tx.query(MOVE, [merchantId, planId, state, ...columnsOf(stamp)]);
    tx.record(planMoved(planner, planId, plan.state, state));
  }
  // Also if the plan was canceled before: subscriptions may have been activated after that.
  if (state === 'canceled')
    await tx.query(ASK_FOR_ENDING, [merchantId, planId, ...columnsOf(stamp), leaseMilliseconds]);
  return 'done';
}

const columnsOf = ({ by, at }: Stamp): unknown[] => [by, utcText(at)];

const keyOf = ({ merchantId, planId }: PlanKey): string => `${merchantId}|${planId}`;

/** For the audit log. A plan is an offer: no personal data. */
function fieldsOf({ name, description, softDescriptor, terms }: EditedPlan): AuditDetail {
  const { amount, planType, trialDays, intervalDays, installments, maxRetries } = terms;
  return {
    name,
    amount,
    planType,
    trialDays,
    intervalDays,
    installments,
    maxRetries,
    softDescriptor: softDescriptor ?? '',
    // Last, because it is the longest and may be cut.
    description,
  };
}

function planCreated(planner: MerchantActor, plan: Plan): AuditEvent {
  return merchantEvent('plan.create', planner, `plans/${plan.planId}`, fieldsOf(plan));
}

function planEdited(planner: MerchantActor, before: Plan, after: EditedPlan): AuditEvent {
  const changed = changedFields(fieldsOf(before), fieldsOf(after));
  return merchantEvent('plan.change', planner, `plans/${before.planId}`, changed);
}

function planMoved(planner: MerchantActor, planId: string, before: PlanState, state: PlanState): AuditEvent {
  const changed = changedFields({ state: before }, { state });
  return merchantEvent('plan.change', planner, `plans/${planId}`, changed);
}
