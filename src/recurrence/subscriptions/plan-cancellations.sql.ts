import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import type { AlertEvent } from '../alerts/alert.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { BILLING_MOVES } from '../billings/billing.ts';
import { moveAlert } from './reasons.ts';
import { SUBSCRIPTION_MOVES } from './subscription.ts';
import { WRITTEN_MOVES } from './subscriptions.sql.ts';

const CANCELLATION = rowCodec(
  {
    merchantId: column.text(),
    planId: column.text(),
    /** Tells this cancel of the plan from a later one. */
    askedAt: column.text('c.asked_at::text'),
    canceledBy: column.text(),
    /** Business time. */
    canceledAt: column.text('c.canceled_at::text'),
  },
  'c',
);

/** A pending end of a canceled plan's subscriptions. Times are PostgreSQL's texts, to the microsecond. */
export type PlanCancellation = RowOf<typeof CANCELLATION>;

const FIND = statement(
  'plan_cancellations.find',
  `select ${CANCELLATION.columns} from plan_cancellations c where c.merchant_id = $1 and c.plan_id = $2`,
);

export async function findPlanCancellation(
  database: Database,
  { merchantId, planId }: Pick<PlanCancellation, 'merchantId' | 'planId'>,
): Promise<PlanCancellation | null> {
  return firstOf(await database.query(FIND, [merchantId, planId]), CANCELLATION.parse);
}

const CLAIM = statement(
  'plan_cancellations.claim',
  `with due as (
     select merchant_id, plan_id from plan_cancellations where lease_expires_at <= now()
     order by lease_expires_at limit $1 for no key update skip locked
   )
   update plan_cancellations c set lease_expires_at = now() + $2 * interval '1 millisecond'
   from due d where c.merchant_id = d.merchant_id and c.plan_id = d.plan_id
   returning ${CANCELLATION.columns}`,
);

/** Claims pending ends whose lease is over, of all merchants, oldest first. */
export async function claimPlanCancellations(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<PlanCancellation[]> {
  return (await database.query(CLAIM, [limit, leaseMilliseconds])).map(CANCELLATION.parse);
}

/** Milliseconds until the next can be claimed; null: none. */
export const EARLIEST_CANCELLATION = statement(
  'plan_cancellations.earliest_due',
  `select (extract(epoch from min(lease_expires_at) - now()) * 1000)::float8 as milliseconds
    from plan_cancellations`,
);

const SUBSCRIPTION = rowCodec({ subscriptionId: column.text() }, 's');

/** The plan's next subscriptions in one state, by id, from the index alone. */
const PASS = statement(
  'plan_cancellations.pass',
  `select ${SUBSCRIPTION.columns} from subscriptions s
   where s.merchant_id = $1 and s.plan_id = $2 and s.state = $3 and s.subscription_id > $4
   order by s.subscription_id limit $5`,
);

/**
 * Locks subscriptions that are still to end and that no other transaction has locked. Every change of a
 * subscription or its open billing locks the subscription first.
 */
const LOCK_SUBSCRIPTIONS = statement(
  'plan_cancellations.lock_subscriptions',
  `select ${SUBSCRIPTION.columnsOf('l')} from unnest($2::uuid[]) with ordinality as i (subscription_id, place) cross
    join lateral (
     select s.subscription_id from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = i.subscription_id and s.state in ('active', 'blocked', 'pending')
       and s.state_since <= $3::timestamptz
     for no key update of s skip locked
   ) l`,
);

/** `openId` null: no open billing. `billingId` null: another transaction holds it. */
const OPEN = rowCodec({
  subscriptionId: column.text('i.subscription_id'),
  openId: column.nullable(column.text('o.billing_id')),
  billingId: column.nullable(column.text('l.billing_id')),
  isUntouched: column.nullable(column.boolean('l.charges_made = 0 and k.was_charged is null')),
});

/**
 * Open billings without a charge under way; locks the free ones. A separate statement, after the lock of
 * their subscriptions.
 */
const LOCK_BILLINGS = statement(
  'plan_cancellations.lock_billings',
  `select ${OPEN.columns}
   from unnest($2::uuid[]) as i (subscription_id) left join lateral (
     select b.billing_id from billings b
     where b.merchant_id = $1 and b.subscription_id = i.subscription_id and b.state = 'opened'
       and b.transaction_id is null limit 1
   ) o on true left join lateral (
     select b.billing_id, b.charges_made from billings b
     where b.merchant_id = $1 and b.billing_id = o.billing_id limit 1
     for no key update of b skip locked
   ) l on true left join lateral (
     select true as was_charged from billing_charges c
     where c.merchant_id = $1 and c.billing_id = l.billing_id and c.outcome is distinct from 'voided' limit 1
   ) k on true`,
);

/** Rows are updated by ctid: a join could be planned while the tables are small. */
const END_SUBSCRIPTIONS = statement(
  'plan_cancellations.end_subscriptions',
  `with moved as (
     update subscriptions set state = 'canceled', reason = 'plan', state_since = clock_timestamp(),
       modified_by = $3, modified_at = $4::timestamptz
     where ctid = any (array(
       select l.place from unnest($2::uuid[]) as i (subscription_id) cross join lateral (
         select s.ctid as place from subscriptions s
         where s.merchant_id = $1 and s.subscription_id = i.subscription_id limit 1
       ) l
     )) and state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'cancel')})
     returning merchant_id, subscription_id, state, reason, modified_by, modified_at,
       null::uuid as billing_id, account_number
   ), ${WRITTEN_MOVES}, notices as (
     select m.merchant_id, $5::text as event, m.subscription_id as notice_of, m.account_number, i.body,
       m.modified_at as moment
     from moved m cross join lateral (
       select a.body from unnest($2::uuid[], $6::text[]) as a (subscription_id, body)
       where a.subscription_id = m.subscription_id limit 1
     ) i
   ), ${ENQUEUE_ALERTS}
   select ${NOTICE_WAITS}`,
);

const CANCEL_BILLINGS = statement(
  'plan_cancellations.cancel_billings',
  `update billings set state = 'canceled', is_skipped = billing_id = any ($3::uuid[]), charge_on = null,
     modified_by = $4, modified_at = $5::timestamptz
   where ctid = any (array(
     select l.place from unnest($2::uuid[]) as i (billing_id) cross join lateral (
       select b.ctid as place from billings b where b.merchant_id = $1 and b.billing_id = i.billing_id limit 1
     ) l
   )) and state || '' in (${fromStates(BILLING_MOVES, 'cancel')})`,
);

const LEFT = rowCodec({ leftBehind: column.whole('count(*)::integer') });

const COUNT_LEFT = statement(
  'plan_cancellations.count_left',
  `select ${LEFT.columns} from unnest($2::uuid[]) as i (subscription_id) cross join lateral (
     select true as is_meant from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = i.subscription_id and s.state in ('active', 'blocked', 'pending')
       and s.state_since <= $3::timestamptz limit 1
   ) l`,
);

export type EndingPlace = { readonly state: 'active' | 'blocked' | 'pending'; readonly behind: string };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const FIRST_PLACE: EndingPlace = { state: 'active', behind: FIRST_ID };

export type EndedBatch = {
  readonly ended: number;
  /** How many are left for the next run: another transaction has locked them or their billings. */
  readonly left: number;
  readonly isNotified: boolean;
  readonly next: EndingPlace | null;
};

/**
 * Cancels up to `limit` subscriptions with their open billings, in one commit: skips billings never charged,
 * cancels charged ones, leaves charges under way alone. Passes locked subscriptions. Repeatable by any number
 * of processes.
 */
export async function endBatch(
  database: Database,
  cancellation: PlanCancellation,
  { state, behind }: EndingPlace,
  limit: number,
): Promise<EndedBatch> {
  const { merchantId, planId, askedAt } = cancellation;
  const found = await database.query(PASS, [merchantId, planId, state, behind, limit]);
  const wanted = found.map((row) => SUBSCRIPTION.parse(row).subscriptionId);
  const next = nextPlace(state, wanted, limit);
  if (wanted.length === 0) return { ended: 0, left: 0, isNotified: false, next };
  const ending = await database.transaction((tx) => endFree(tx, cancellation, wanted));
  if (ending.ended === wanted.length) return { ...ending, left: 0, next };
  const [count] = (await database.query(COUNT_LEFT, [merchantId, wanted, askedAt])).map(LEFT.parse);
  return { ...ending, left: count?.leftBehind ?? 0, next };
}

async function endFree(
  tx: Tx,
  { merchantId, askedAt, canceledBy, canceledAt }: PlanCancellation,
  wanted: readonly string[],
): Promise<Pick<EndedBatch, 'ended' | 'isNotified'>> {
  const locked = (await tx.query(LOCK_SUBSCRIPTIONS, [merchantId, wanted, askedAt])).map(SUBSCRIPTION.parse);
  const held = locked.map(({ subscriptionId }) => subscriptionId);
  const open = (await tx.query(LOCK_BILLINGS, [merchantId, held])).map(OPEN.parse);
  const free = open.filter(({ openId, billingId }) => openId === null || billingId !== null);
  const ending = free.map(({ subscriptionId }) => subscriptionId);
  const stamp = [canceledBy, canceledAt];
  const [ended] = await tx.query(END_SUBSCRIPTIONS, [merchantId, ending, ...stamp, ...endAlerts(ending)]);
  const billings = free.filter(({ billingId }) => billingId !== null);
  const untouched = billings.filter(({ isUntouched }) => isUntouched === true);
  const ids = [billings, untouched].map((some) => some.map(({ billingId }) => billingId));
  await tx.query(CANCEL_BILLINGS, [merchantId, ...ids, ...stamp]);
  return { ended: free.length, isNotified: ended?.notice_waits === true };
}

/** All alerts have one event, and each a text of its own. */
function endAlerts(subscriptionIds: readonly string[]): [event: AlertEvent, bodies: string[]] {
  const alerts = subscriptionIds.map((subscriptionId) =>
    moveAlert({ subscriptionId, state: 'canceled', reason: 'plan' }),
  );
  return ['canceled', alerts.map(({ body }) => body)];
}

function nextPlace(
  state: EndingPlace['state'],
  passed: readonly string[],
  limit: number,
): EndingPlace | null {
  const last = passed[limit - 1];
  if (last !== undefined) return { state, behind: last };
  const after = { active: 'blocked', blocked: 'pending', pending: null } as const;
  const next = after[state];
  return next === null ? null : { state: next, behind: FIRST_ID };
}

const FINISH = statement(
  'plan_cancellations.finish',
  `delete from plan_cancellations c
   where c.merchant_id = $1 and c.plan_id = $2 and c.asked_at = $3::timestamptz`,
);

/** Called when nothing is left. If the cancel was repeated meanwhile, the row stays. */
export async function finishPlanCancellation(
  database: Database,
  { merchantId, planId, askedAt }: PlanCancellation,
): Promise<void> {
  await database.query(FINISH, [merchantId, planId, askedAt]);
}

const HAND_BACK = statement(
  'plan_cancellations.hand_back',
  `update plan_cancellations set lease_expires_at = now() + $4 * interval '1 second'
   where merchant_id = $1 and plan_id = $2 and asked_at = $3::timestamptz`,
);

/** Ends this process's lease, so that it can be claimed after so many seconds. */
export async function handBackPlanCancellation(
  database: Database,
  { merchantId, planId, askedAt }: PlanCancellation,
  pauseSeconds: number,
): Promise<void> {
  await database.query(HAND_BACK, [merchantId, planId, askedAt, pauseSeconds]);
}
