import {
  type Audit,
  type AuditEvent,
  type AuditedTx,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { statement, type Tx } from '../../platform/postgres/database.ts';
import type { Deadline } from '../../platform/postgres/deadline.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import { saoPauloDay, utcText } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { chargeDayOf } from '../plans/pix-schedule.ts';
import type { Stamp, Terms } from '../plans/plan.ts';
import { TERMS } from '../plans/plans.sql.ts';
import { moveAlert } from '../subscriptions/reasons.ts';
import { SUBSCRIPTION_MOVES, SUBSCRIPTION_STATES } from '../subscriptions/subscription.ts';
import {
  leadDaysOf as agreedLeadDaysOf,
  bankOf,
  type LeadDaysOf,
  MOVE_NOTICES,
  WRITTEN_MOVES,
} from '../subscriptions/subscriptions.sql.ts';
import { BILLING_STATES } from './billing.ts';
import {
  billingAfterCancel,
  type CancelRefusal,
  type NextBilling,
  type SubscriptionChange,
} from './billing-after-charge.ts';

const SUBSCRIPTION = rowCodec(
  {
    subscriptionId: column.text(),
    subscription: column.oneOf(SUBSCRIPTION_STATES, 's.state'),
    bank: column.nullable(column.text(bankOf('s'))),
    leadDays: column.whole(agreedLeadDaysOf('s')),
  },
  's',
);

/** Every change of billings locks the subscription first. */
const HOLD_SUBSCRIPTION = statement(
  'billings.hold_subscription',
  `select ${SUBSCRIPTION.columns}, ${TERMS.columnsOf('s')}
   from (
     select subscription_id from billings where merchant_id = $1 and billing_id = $2
   ) b cross join lateral (
     select * from subscriptions where merchant_id = $1 and subscription_id = b.subscription_id limit 1
       for no key update
   ) s`,
);

const BILLING = rowCodec({
  state: column.oneOf(BILLING_STATES),
  installment: column.whole(),
  dueOn: column.day(),
  isCharging: column.boolean('transaction_id is not null'),
});

/** A separate statement sees what was committed during the wait for the lock. */
const HOLD_BILLING = statement(
  'billings.hold_to_cancel',
  `select ${BILLING.columns}
   from billings where merchant_id = $1 and billing_id = $2 for no key update`,
);

/** The state is a parameter: for a constant the planner would choose the index of all open billings. */
const CANCEL = statement(
  'billings.cancel',
  `update billings set state = 'canceled', charge_on = null, modified_by = $3, modified_at = $4
   where merchant_id = $1 and billing_id = $2 and state = $5 and transaction_id is null`,
);

const OPEN_NEXT = statement(
  'billings.open_next',
  `insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on,
     charge_on, created_by, created_at)
   select $1, next_billing_id($1, b.subscription_id, $3::smallint, $5::date), b.subscription_id, $3::smallint, 'opened', $4,
     $5::date, $7::date, 'system', $6
   from billings b where b.merchant_id = $1 and b.billing_id = $2`,
);

const END_SUBSCRIPTION = statement(
  'billings.end_subscription',
  `with moved as (
     update subscriptions s set state = $3, reason = $4, state_since = clock_timestamp(),
       modified_by = 'system', modified_at = $5
     where s.merchant_id = $1 and s.subscription_id = (
       select b.subscription_id from billings b where b.merchant_id = $1 and b.billing_id = $2 limit 1
     ) and s.state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'complete')})
     returning s.merchant_id, s.subscription_id, s.state, s.reason, s.modified_by, s.modified_at,
       $2::uuid as billing_id, s.account_number, $6::text as event, $7::text as notice
   ), ${WRITTEN_MOVES}, notices as (${MOVE_NOTICES}), ${ENQUEUE_ALERTS}
   select ${NOTICE_WAITS}`,
);

/** Ids are UUIDs in lower case. */
export type BillingCancel = {
  readonly merchantId: string;
  readonly billingId: string;
  /** The canceling user, and business time. */
  readonly stamp: Stamp;
  readonly actor: MerchantActor;
};

export type CancelResult = 'canceled' | 'notFound' | CancelRefusal;

/**
 * Each cancel has a commit of its own: what it writes depends on what it reads under the lock, and it ends
 * with an entry in the audit chain.
 */
const LIMITS = { statementsInFlight: 2, waitingCallers: 500 };

/** Cancels an open billing and continues its series, in one commit. */
export function billingCancelsWrite(
  audit: Audit,
  deliverer: Pick<Deliverer, 'notify'>,
  leadDaysOf: LeadDaysOf,
): BatchedWriteOptions<BillingCancel, CancelResult> {
  const tried = new WeakSet<BillingCancel>();
  return oneByOne({
    name: 'billingCancels',
    isRefusal: (result) => result !== 'canceled',
    key: ({ billingId }) => billingId,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write(row, deadline) {
      // After a lost connection the earlier try may have canceled the billing: the request is done.
      const wasTried = tried.has(row);
      tried.add(row);
      return commitCancel({ audit, deliverer, leadDaysOf }, row, wasTried, deadline);
    },
  });
}

type CancelTools = {
  readonly audit: Audit;
  readonly deliverer: Pick<Deliverer, 'notify'>;
  readonly leadDaysOf: LeadDaysOf;
};

async function commitCancel(
  { audit, deliverer, leadDaysOf }: CancelTools,
  cancel: BillingCancel,
  wasTried: boolean,
  deadline: Deadline,
): Promise<CancelResult> {
  const { result, isNotified } = await audit.transaction(
    (tx) => cancelHeld(tx, cancel, wasTried, leadDaysOf),
    {
      merchantId: cancel.merchantId,
      deadline,
    },
  );
  if (isNotified) deliverer.notify();
  return result;
}

type Written = { readonly result: CancelResult; readonly isNotified: boolean };

async function cancelHeld(
  tx: AuditedTx,
  cancel: BillingCancel,
  wasTried: boolean,
  leadDaysOf: LeadDaysOf,
): Promise<Written> {
  const { merchantId, billingId, stamp } = cancel;
  const nothing = (result: CancelResult) => ({ result, isNotified: false });
  const held = await hold(tx, cancel);
  if (held === null) return nothing('notFound');
  if (wasTried && held.state === 'canceled') return nothing('canceled');
  const after = billingAfterCancel({ ...held, today: saoPauloDay(stamp.at) });
  if (typeof after === 'string') return nothing(after);
  await tx.query(CANCEL, [merchantId, billingId, stamp.by, utcText(stamp.at), 'opened']);
  if (after.next !== null) await openNext(tx, cancel, held, after.next, leadDaysOf(held));
  const isNotified =
    after.subscription !== null && (await endSubscription(tx, cancel, held, after.subscription));
  tx.record(canceledEvent(cancel));
  return { result: 'canceled', isNotified };
}

function canceledEvent({ actor, billingId }: BillingCancel): AuditEvent {
  const changed = changedFields({ state: 'opened' }, { state: 'canceled' });
  return merchantEvent('billing.cancel', actor, `billings/${billingId}`, changed);
}

type Held = RowOf<typeof SUBSCRIPTION> & RowOf<typeof BILLING> & { readonly terms: Terms };

async function hold(tx: Tx, { merchantId, billingId }: BillingCancel): Promise<Held | null> {
  const [subscription] = await tx.query(HOLD_SUBSCRIPTION, [merchantId, billingId]);
  const [billing] = await tx.query(HOLD_BILLING, [merchantId, billingId]);
  if (subscription === undefined || billing === undefined) return null;
  return { ...SUBSCRIPTION.parse(subscription), ...BILLING.parse(billing), terms: TERMS.parse(subscription) };
}

async function openNext(
  tx: Tx,
  { merchantId, billingId, stamp }: BillingCancel,
  { terms }: Held,
  { installment, dueOn, chargeOn }: NextBilling,
  leadDays: number,
): Promise<void> {
  const amount = centsOfPlanAmount(terms.amount);
  const firstOn = chargeDayOf({ dueOn, chargeOn }, leadDays, saoPauloDay(stamp.at));
  const values = [merchantId, billingId, installment, amount, dueOn, utcText(stamp.at), firstOn];
  await tx.query(OPEN_NEXT, values);
}

/** Returns whether alerts wait for the deliverer. */
async function endSubscription(
  tx: Tx,
  { merchantId, billingId, stamp }: BillingCancel,
  { subscriptionId }: Held,
  { state, reason }: NonNullable<SubscriptionChange>,
): Promise<boolean> {
  const { event, body } = moveAlert({ subscriptionId, state, reason, billingId });
  const values = [merchantId, billingId, state, reason, utcText(stamp.at), event, body];
  const [ended] = await tx.query(END_SUBSCRIPTION, values);
  return ended?.notice_waits === true;
}
