import type { Audit, AuditEvent, AuditEvents } from '../../audit/audit-event.ts';
import type { MerchantActor } from '../../audit/merchant-event.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import { type BatchedWriteOptions, writeOneByOne } from '../../platform/postgres/batched-writes.ts';
import { type CommitStep, type Row, statement } from '../../platform/postgres/database.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import { utcText } from '../../values/instant.ts';
import { planCreated, planEdited, planMoved } from './audited-plan.ts';
import { PLAN_MOVES, type Plan, type PlanState, type Stamp, searchText } from './plan.ts';
import { type EditedPlan, type EditRefusal, planEdit, type WantedPlan } from './plan-edit.ts';
import { parsePlan, WHOLE_PLAN } from './plans.sql.ts';

/**
 * One after the other: plans are few, and what is repeated or refused concerns no other merchant.
 */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 200 };

/** A plan that does not exist yet; `request`: the one that asks for it, when it brought a key. */
export type NewPlan = {
  readonly plan: Plan;
  readonly planner: MerchantActor;
  readonly request: KeyedRequest | null;
};

/** `keyUsed`: the request's key made another plan; nothing was written. */
export type CreateResult = 'written' | 'keyUsed';

/**
 * The plan's id is new for each caller: one that is there already was written by an earlier try,
 * before a lost connection.
 */
const INSERT = statement(
  'plans.insert',
  `with written as (
     insert into plans (merchant_id, plan_id, name, description, search_name, amount, plan_type, trial_days,
       interval_days, installments, max_retries, soft_descriptor, state, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict do nothing
     returning merchant_id, plan_id
   ), keyed as (
     select $16::bytea as key_hash, $17::bytea as body_fingerprint,
       $18::integer as body_fingerprint_key_id, merchant_id, plan_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select plan_id from written`,
);

export function plansWrite(audit: Audit): BatchedWriteOptions<NewPlan, CreateResult> {
  return {
    name: 'plans',
    isRefusal: () => false,
    key: ({ plan }) => plan.planId,
    merchant: ({ plan }) => plan.merchantId,
    limits: LIMITS,
    write: (rows) =>
      writeOneByOne(
        rows,
        ({ plan }) => plan.planId,
        (row) => insertPlan(audit, row),
      ),
  };
}

/** The plan and its audit entry in one commit, as with every change here. */
async function insertPlan(audit: Audit, row: NewPlan): Promise<CreateResult> {
  const { merchantId, planId, state, created } = row.plan;
  const keys = keyValues(row.request);
  const columns = [...writtenColumns(row.plan), state, created.by, utcText(created.at)];
  try {
    const step = { statement: INSERT, values: [merchantId, planId, ...columns, ...keys] };
    const event = planCreated(row.planner, row.plan);
    await audit.commit([step], ([written]) => (written?.length === 1 ? [event] : []), merchantId);
    return 'written';
  } catch (error) {
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

/** Name to soft descriptor, in the order of the statements here. */
function writtenColumns({ name, description, softDescriptor, terms }: EditedPlan): unknown[] {
  const { amount, planType, trialDays, intervalDays, installments, maxRetries } = terms;
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
  ];
}

/**
 * First the plan lock, then the row: new subscriptions take both in this order, and later ones wait
 * behind this one.
 */
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
 * Asked under the lock of the plan, which every new subscription shares: one that is not seen here
 * reads the plan afterwards. State by state, in the order of the index by plan: any other would
 * have to look at all subscriptions of the merchant.
 */
const FIND_USE = statement(
  'plans.find_use',
  `select coalesce((
     select true from subscriptions s where s.merchant_id = $1 and s.plan_id = $2 and s.state = 'active'
     order by s.subscription_id limit 1
   ), (
     select true from subscriptions s where s.merchant_id = $1 and s.plan_id = $2 and s.state = 'blocked'
     order by s.subscription_id limit 1
   ), false) as is_in_use`,
);

const UPDATE = statement(
  'plans.update',
  `update plans set name = $3, description = $4, search_name = $5, amount = $6, plan_type = $7,
     trial_days = $8, interval_days = $9, installments = $10, max_retries = $11, soft_descriptor = $12,
     modified_by = $13, modified_at = $14
   where merchant_id = $1 and plan_id = $2`,
);

export type PlanKey = { readonly merchantId: string; readonly planId: string };

export type EditRow = PlanKey & {
  readonly wanted: WantedPlan;
  /** The user that edits it, and the business time. */
  readonly stamp: Stamp;
  readonly planner: MerchantActor;
};

/** `done` also when nothing differs. */
export type EditResult = 'done' | 'notFound' | { readonly refusals: readonly EditRefusal[] };

export function planEditsWrite(audit: Audit): BatchedWriteOptions<EditRow, EditResult> {
  return {
    name: 'planEdits',
    isRefusal: (result) => result !== 'done',
    key: keyOf,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (rows) => writeOneByOne(rows, keyOf, (row) => editPlan(audit, row)),
  };
}

async function editPlan(
  audit: Audit,
  { merchantId, planId, wanted, stamp, planner }: EditRow,
): Promise<EditResult> {
  const key = [merchantId, planId];
  let result: EditResult = 'notFound';
  let events: readonly AuditEvent[] = [];
  const update: CommitStep = ([plans = [], uses = []]) => {
    const [plan] = plans.map(parsePlan);
    // The commit may be tried again.
    [result, events] = ['notFound', []];
    if (plan === undefined) return null;
    const edit = planEdit(plan, wanted, uses[0]?.is_in_use === true);
    result = edit.kind === 'refused' ? edit : 'done';
    if (edit.kind !== 'changed') return null;
    events = [planEdited(planner, plan, edit.plan)];
    return { statement: UPDATE, values: [...key, ...writtenColumns(edit.plan), ...columnsOf(stamp)] };
  };
  const read = [LOCK, FIND_USE].map((wantedStatement) => ({ statement: wantedStatement, values: key }));
  await audit.commit([...read, update], () => events, merchantId);
  return result;
}

const MOVE = statement(
  'plans.move',
  `update plans set state = $3, modified_by = $4, modified_at = $5
   where merchant_id = $1 and plan_id = $2
     and state in (${fromOtherStates(PLAN_MOVES, 'activate', 'deactivate', 'cancel')})`,
);

/**
 * Real time, asked under the lock of the plan: a subscription made before is meant, one made when
 * the plan is active again is not. A cancel asked for anew means those of then too.
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
  /** How long no other process ends the subscriptions of a plan that is canceled here. */
  readonly leaseMilliseconds: number;
};

export type MoveResult = 'done' | 'notFound';

export function planMovesWrite(audit: Audit): BatchedWriteOptions<MoveRow, MoveResult> {
  return {
    name: 'planMoves',
    isRefusal: (result) => result !== 'done',
    key: keyOf,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (rows) => writeOneByOne(rows, keyOf, (row) => movePlan(audit, row)),
  };
}

async function movePlan(audit: Audit, row: MoveRow): Promise<MoveResult> {
  const { merchantId, planId, state, stamp, planner, leaseMilliseconds } = row;
  const key = [merchantId, planId];
  const isThere = (rows: readonly Row[][]) => rows[0]?.[0] !== undefined;
  const isMoved = (rows: readonly Row[][]) => isThere(rows) && rows[0]?.[0]?.plan_state !== state;
  const move: CommitStep = (rows) =>
    isMoved(rows) ? { statement: MOVE, values: [...key, state, ...columnsOf(stamp)] } : null;
  // Also for a plan that is canceled already: subscriptions of it may have been activated since.
  const ask: CommitStep = (rows) => {
    if (!isThere(rows) || state !== 'canceled') return null;
    return { statement: ASK_FOR_ENDING, values: [...key, ...columnsOf(stamp), leaseMilliseconds] };
  };
  const events: AuditEvents = (rows) =>
    isMoved(rows) ? [planMoved(planner, planId, rows[0]?.[0]?.plan_state as PlanState, state)] : [];
  const rows = await audit.commit([{ statement: LOCK, values: key }, move, ask], events, merchantId);
  return isThere(rows) ? 'done' : 'notFound';
}

const columnsOf = ({ by, at }: Stamp): unknown[] => [by, utcText(at)];

const keyOf = ({ merchantId, planId }: PlanKey): string => `${merchantId}|${planId}`;
