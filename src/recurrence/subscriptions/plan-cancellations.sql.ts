import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import type { AlertEvent } from '../alerts/alert.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { BILLING_MOVES } from '../billings/billing.ts';
import { moveAlert } from './reasons.ts';
import { SUBSCRIPTION_MOVES } from './subscription.ts';
import { WRITTEN_MOVES } from './subscription-events.sql.ts';

/**
 * The end of the subscriptions of a canceled plan, as it was asked for. Times are texts of the
 * database, to the microsecond.
 */
export type PlanCancellation = {
  readonly merchantId: string;
  readonly planId: string;
  /** Distinguishes this request from a later one. */
  readonly askedAt: string;
  readonly canceledBy: string;
  /** Business time. */
  readonly canceledAt: string;
};

const COLUMNS = `c.merchant_id, c.plan_id, c.asked_at::text as asked_at, c.canceled_by,
  c.canceled_at::text as canceled_at`;

const FIND = statement(
  'plan_cancellations.find',
  `select ${COLUMNS} from plan_cancellations c where c.merchant_id = $1 and c.plan_id = $2`,
);

/** What is still asked for of a plan, or null: nothing, or it is done. */
export async function findPlanCancellation(
  database: Database,
  { merchantId, planId }: Pick<PlanCancellation, 'merchantId' | 'planId'>,
): Promise<PlanCancellation | null> {
  const [row] = await database.query(FIND, [merchantId, planId]);
  return row === undefined ? null : parseCancellation(row);
}

const CLAIM = statement(
  'plan_cancellations.claim',
  `with due as (
     select merchant_id, plan_id from plan_cancellations where lease_expires_at <= now()
     order by lease_expires_at limit $1 for no key update skip locked
   )
   update plan_cancellations c set lease_expires_at = now() + $2 * interval '1 millisecond'
   from due d where c.merchant_id = d.merchant_id and c.plan_id = d.plan_id
   returning ${COLUMNS}`,
);

/** Takes what no process works on, for all merchants, the longest waiting first. */
export async function claimPlanCancellations(
  database: Database,
  limit: number,
  leaseMilliseconds: number,
): Promise<PlanCancellation[]> {
  return (await database.query(CLAIM, [limit, leaseMilliseconds])).map(parseCancellation);
}

/** Milliseconds until the next one may be taken; null when none is left. */
export const EARLIEST_CANCELLATION = statement(
  'plan_cancellations.earliest_due',
  `select (extract(epoch from min(lease_expires_at) - now()) * 1000)::float8 as milliseconds
    from plan_cancellations`,
);

/**
 * The next subscriptions of the plan in one state, in the order of their ids: of the index alone.
 */
const PASS = statement(
  'plan_cancellations.pass',
  `select s.subscription_id from subscriptions s
   where s.merchant_id = $1 and s.plan_id = $2 and s.state = $3 and s.subscription_id > $4
   order by s.subscription_id limit $5`,
);

/**
 * Those of them that were meant, still are, and are free: one that is locked keeps no other from
 * its end, and is left for the next walk. Every change of a subscription, or of what it has open,
 * takes this lock first.
 */
const LOCK_SUBSCRIPTIONS = statement(
  'plan_cancellations.lock_subscriptions',
  `select l.subscription_id from unnest($2::uuid[]) with ordinality as i (subscription_id, place) cross
    join lateral (
     select s.subscription_id from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = i.subscription_id and s.state in ('active', 'blocked')
       and s.state_since <= $3::timestamptz
     for no key update of s skip locked
   ) l`,
);

/**
 * What they have open and is not under charge (`open_id`), and the same again where it is free:
 * without `billing_id` another transaction holds it. A statement of its own: what was committed
 * before the subscriptions were locked is seen.
 */
const LOCK_BILLINGS = statement(
  'plan_cancellations.lock_billings',
  `select i.subscription_id, o.billing_id as open_id, l.billing_id, l.charges_made = 0
    and k.was_charged is null as is_untouched
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

/** Found by where they lie: a join would be planned once, perhaps while the tables were small. */
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

/** How many of them are still to be ended: they were locked. */
const COUNT_LEFT = statement(
  'plan_cancellations.count_left',
  `select count(*)::integer as left_behind from unnest($2::uuid[]) as i (subscription_id) cross join lateral (
     select true as is_meant from subscriptions s
     where s.merchant_id = $1 and s.subscription_id = i.subscription_id and s.state in ('active', 'blocked')
       and s.state_since <= $3::timestamptz limit 1
   ) l`,
);

/** Where a walk over the subscriptions of a plan stands. */
export type EndingPlace = { readonly state: 'active' | 'blocked'; readonly behind: string };

/** Before every id that there is. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export const FIRST_PLACE: EndingPlace = { state: 'active', behind: FIRST_ID };

export type EndedBatch = {
  readonly ended: number;
  /** Locked by another transaction: the next walk ends them. */
  readonly left: number;
  /** Alerts were written, which the deliverer sends. */
  readonly isNotified: boolean;
  /** Null: the walk is over. */
  readonly next: EndingPlace | null;
};

/**
 * Cancels up to `limit` subscriptions of the plan, with what they have open, in one commit: what
 * was never charged is skipped, what was is canceled, and what is being charged is left to its
 * outcome. What is locked is left behind. Harmless to repeat, by any number of processes.
 */
export async function endBatch(
  database: Database,
  { merchantId, planId, askedAt, canceledBy, canceledAt }: PlanCancellation,
  { state, behind }: EndingPlace,
  limit: number,
): Promise<EndedBatch> {
  const passed = await database.query(PASS, [merchantId, planId, state, behind, limit]);
  const next = nextPlace(state, passed, limit);
  if (passed.length === 0) return { ended: 0, left: 0, isNotified: false, next };
  const wanted = passed.map((row) => row.subscription_id);
  const stamp = [canceledBy, canceledAt];
  const locked = (rows: readonly Row[][]) => (rows[0] ?? []).map((row) => row.subscription_id);
  const free = (rows: readonly Row[][]) => (rows[1] ?? []).filter((row) => !isHeld(row));
  const rows = await database.commit([
    { statement: LOCK_SUBSCRIPTIONS, values: [merchantId, wanted, askedAt] },
    (before) => ({ statement: LOCK_BILLINGS, values: [merchantId, locked(before)] }),
    (before) => {
      const ending = free(before).map((row) => row.subscription_id as string);
      return { statement: END_SUBSCRIPTIONS, values: [merchantId, ending, ...stamp, ...endAlerts(ending)] };
    },
    (before) => {
      const billings = free(before).filter((row) => row.billing_id !== null);
      const untouched = billings.filter((row) => row.is_untouched === true);
      const ids = [billings, untouched].map((some) => some.map((row) => row.billing_id));
      return { statement: CANCEL_BILLINGS, values: [merchantId, ...ids, ...stamp] };
    },
  ]);
  const ended = free(rows).length;
  const isNotified = rows[2]?.[0]?.notice_waits === true;
  if (ended === passed.length) return { ended, left: 0, isNotified, next };
  const [count] = await database.query(COUNT_LEFT, [merchantId, wanted, askedAt]);
  return { ended, left: count?.left_behind as number, isNotified, next };
}

/** The event of all of them, and the text of each. */
function endAlerts(subscriptionIds: readonly string[]): [event: AlertEvent, bodies: string[]] {
  const alerts = subscriptionIds.map((subscriptionId) =>
    moveAlert({ subscriptionId, state: 'canceled', reason: 'plan' }),
  );
  return ['canceled', alerts.map(({ body }) => body)];
}

/** Another transaction holds what this subscription has open. */
function isHeld({ open_id, billing_id }: Row): boolean {
  return open_id !== null && billing_id === null;
}

function nextPlace(state: EndingPlace['state'], passed: readonly Row[], limit: number): EndingPlace | null {
  if (passed.length === limit) return { state, behind: passed.at(-1)?.subscription_id as string };
  return state === 'active' ? { state: 'blocked', behind: FIRST_ID } : null;
}

const FINISH = statement(
  'plan_cancellations.finish',
  `delete from plan_cancellations c
   where c.merchant_id = $1 and c.plan_id = $2 and c.asked_at = $3::timestamptz`,
);

/**
 * Nothing that was meant is left. A cancel that was asked for again meanwhile meant more: its row
 * stays.
 */
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

/** Ends the lease of this process, so that the next may claim it after so many seconds. */
export async function handBackPlanCancellation(
  database: Database,
  { merchantId, planId, askedAt }: PlanCancellation,
  pauseSeconds: number,
): Promise<void> {
  await database.query(HAND_BACK, [merchantId, planId, askedAt, pauseSeconds]);
}

function parseCancellation(row: Row): PlanCancellation {
  return {
    merchantId: row.merchant_id as string,
    planId: row.plan_id as string,
    askedAt: row.asked_at as string,
    canceledBy: row.canceled_by as string,
    canceledAt: row.canceled_at as string,
  };
}
