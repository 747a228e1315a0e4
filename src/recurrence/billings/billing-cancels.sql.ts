import type { Audit, AuditEvent } from '../../audit/audit-event.ts';
import { changedFields, type MerchantActor, merchantEvent } from '../../audit/merchant-event.ts';
import { type BatchedWriteOptions, writeOneByOne } from '../../platform/postgres/batched-writes.ts';
import { type CommitStep, type Row, type Step, statement } from '../../platform/postgres/database.ts';
import type { Deadline } from '../../platform/postgres/deadline.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import type { Cents } from '../../values/cents.ts';
import { type Day, saoPauloDay, utcText } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import type { Stamp, Terms } from '../plans/plan.ts';
import { parseDay, parseTerms } from '../plans/plans.sql.ts';
import { moveAlert } from '../subscriptions/reasons.ts';
import { SUBSCRIPTION_MOVES, type SubscriptionState } from '../subscriptions/subscription.ts';
import { MOVE_NOTICES, WRITTEN_MOVES } from '../subscriptions/subscription-events.sql.ts';
import type { BillingState } from './billing.ts';
import type { NextBilling, SubscriptionChange } from './billing-after-charge.ts';
import { type BillingToCancel, billingAfterCancel, type CancelRefusal } from './billing-cancel.ts';

/**
 * Every change of a subscription's billings locks the subscription first, so they are changed by
 * one at a time.
 */
const HOLD_SUBSCRIPTION = statement(
  'billings.hold_subscription',
  `select s.subscription_id, s.state as subscription_state, s.amount as terms_amount, s.plan_type as terms_plan_type,
       s.trial_days as terms_trial_days, s.interval_days as terms_interval_days,
     s.installments as terms_installments, s.max_retries as terms_max_retries
   from (
     select subscription_id from billings where merchant_id = $1 and billing_id = $2
   ) b cross join lateral (
     select * from subscriptions where merchant_id = $1 and subscription_id = b.subscription_id limit 1
       for no key update
   ) s`,
);

/** A statement of its own: it sees what was committed while the subscription was waited for. */
const HOLD_BILLING = statement(
  'billings.hold_to_cancel',
  `select state, installment, to_char(due_on, 'YYYY-MM-DD') as due_on,
    transaction_id is not null as is_charging
   from billings where merchant_id = $1 and billing_id = $2 for no key update`,
);

/**
 * The state is a parameter: named in the text, it would make an index of all open ones fit for one
 * of them.
 */
const CANCEL = statement(
  'billings.cancel',
  `update billings set state = 'canceled', charge_on = null, modified_by = $3, modified_at = $4
   where merchant_id = $1 and billing_id = $2 and state = $6 and transaction_id is null and $5::boolean
   returning subscription_id`,
);

/** Nothing without an installment. */
const OPEN_NEXT = statement(
  'billings.open_next',
  `insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on,
     charge_on, created_by, created_at)
   select $1, $2, b.subscription_id, $4::smallint, 'opened', $5, $6::date, $8::date, 'system', $7
   from billings b where b.merchant_id = $1 and b.billing_id = $3 and $4::smallint is not null`,
);

/** Nothing without a state. */
const END_SUBSCRIPTION = statement(
  'billings.end_subscription',
  `with moved as (
     update subscriptions s set state = $3, reason = $4, state_since = clock_timestamp(),
       modified_by = 'system', modified_at = $5
     where s.merchant_id = $1 and s.subscription_id = (
       select b.subscription_id from billings b where b.merchant_id = $1 and b.billing_id = $2 limit 1
     ) and $3::text is not null and s.state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'complete')})
     returning s.merchant_id, s.subscription_id, s.state, s.reason, s.modified_by, s.modified_at,
       $2::uuid as billing_id, s.account_number, $6::text as event, $7::text as notice
   ), ${WRITTEN_MOVES}, notices as (${MOVE_NOTICES}), ${ENQUEUE_ALERTS}
   select ${NOTICE_WAITS}`,
);

/**
 * A billing that is to be canceled by hand. Ids are UUIDs in lower case; `nextBillingId` is of the
 * one that may follow.
 */
export type BillingCancel = {
  readonly merchantId: string;
  readonly billingId: string;
  readonly nextBillingId: string;
  /** The user that cancels it, and the business time. */
  readonly stamp: Stamp;
  readonly actor: MerchantActor;
};

export type CancelResult = 'canceled' | 'notFound' | CancelRefusal;

/**
 * Each has a commit of its own: what is written follows from what was read under the lock. It ends with the
 * end of the audit log's chain, as changes of subscriptions do.
 */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 500 };

/** Cancels an open billing by hand and goes on with its series, in one commit. */
export function billingCancelsWrite(
  audit: Audit,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<BillingCancel, CancelResult> {
  const tried = new WeakSet<BillingCancel>();
  return {
    name: 'billingCancels',
    isRefusal: (result) => result !== 'canceled',
    key: ({ billingId }) => billingId,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: (rows, deadlines) =>
      writeOneByOne(
        rows,
        ({ billingId }) => billingId,
        (row, index) => {
          // After a lost connection it may be canceled by our own hand: what the caller asked for
          // is done.
          const wasTried = tried.has(row);
          tried.add(row);
          return commitCancel({ audit, deliverer }, row, wasTried, deadlines[index] as Deadline);
        },
      ),
  };
}

type CancelWrites = {
  readonly isCanceled: boolean;
  readonly subscription: SubscriptionChange;
  readonly next: (NextBilling & { readonly amount: Cents }) | null;
};

const NOTHING: CancelWrites = { isCanceled: false, subscription: null, next: null };

/** Holds subscription and billing, in this order, decides what is to be written, and writes it. */
async function commitCancel(
  { audit, deliverer }: { readonly audit: Audit; readonly deliverer: Pick<Deliverer, 'notify'> },
  cancel: BillingCancel,
  wasTried: boolean,
  deadline: Deadline,
): Promise<CancelResult> {
  const { merchantId, billingId, stamp } = cancel;
  const at = utcText(stamp.at);
  const today = saoPauloDay(stamp.at);
  const key = [merchantId, billingId];
  const steps: CommitStep[] = [
    { statement: HOLD_SUBSCRIPTION, values: key },
    { statement: HOLD_BILLING, values: key },
    (rows) => ({
      statement: CANCEL,
      values: [...key, stamp.by, at, writesOf(rows, today).isCanceled, 'opened'],
    }),
    (rows) => openNext(cancel, writesOf(rows, today).next, at),
    (rows) => endSubscription(cancel, rows, writesOf(rows, today).subscription, at),
  ];
  const rows = await audit.commit(
    steps,
    (all) => (writesOf(all, today).isCanceled ? [canceledEvent(cancel)] : []),
    merchantId,
    deadline,
  );
  if (rows.at(-1)?.[0]?.notice_waits === true) deliverer.notify();
  const held = heldIn(rows, today);
  if (held === null) return 'notFound';
  if (wasTried && held.state === 'canceled') return 'canceled';
  const after = billingAfterCancel(held);
  return typeof after === 'string' ? after : 'canceled';
}

function canceledEvent({ actor, billingId }: BillingCancel): AuditEvent {
  const changed = changedFields({ state: 'opened' }, { state: 'canceled' });
  return merchantEvent('billing.cancel', actor, `billings/${billingId}`, changed);
}

/** By what the first two steps read. */
function writesOf(rows: readonly Row[][], today: Day): CancelWrites {
  const held = heldIn(rows, today);
  const after = held === null ? 'notFound' : billingAfterCancel(held);
  if (held === null || typeof after === 'string') return NOTHING;
  const { subscription, next } = after;
  const amount = centsOfPlanAmount(held.terms.amount);
  return { isCanceled: true, subscription, next: next && { ...next, amount } };
}

function openNext(
  { merchantId, billingId, nextBillingId }: BillingCancel,
  next: CancelWrites['next'],
  at: string,
): Step {
  const { installment = null, amount = null, dueOn = null, chargeOn = null } = next ?? {};
  const values = [merchantId, nextBillingId, billingId, installment, amount, dueOn, at, chargeOn];
  return { statement: OPEN_NEXT, values };
}

function endSubscription(
  { merchantId, billingId }: BillingCancel,
  [held]: readonly Row[][],
  change: SubscriptionChange,
  at: string,
): Step {
  const subscriptionId = held?.[0]?.subscription_id as string;
  const alert = change === null ? null : moveAlert({ subscriptionId, ...change, billingId });
  const values = [merchantId, billingId, change?.state ?? null, change?.reason ?? null, at];
  return { statement: END_SUBSCRIPTION, values: [...values, alert?.event ?? null, alert?.body ?? null] };
}

type LockedBilling = BillingToCancel & { readonly terms: Terms };

function heldIn([subscriptions, billings]: readonly Row[][], today: Day): LockedBilling | null {
  const [subscription, billing] = [subscriptions?.[0], billings?.[0]];
  if (subscription === undefined || billing === undefined) return null;
  return {
    state: billing.state as BillingState,
    isCharging: billing.is_charging as boolean,
    installment: billing.installment as number,
    dueOn: parseDay(billing.due_on),
    subscription: subscription.subscription_state as SubscriptionState,
    terms: parseTerms(subscription),
    today,
  };
}
