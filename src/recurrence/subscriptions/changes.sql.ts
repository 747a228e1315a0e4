import {
  type Audit,
  type AuditDetail,
  type AuditEvent,
  type AuditedTx,
  changedFields,
  type MerchantActor,
  merchantEvent,
} from '../../audit/audit-event.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import type { Deadline } from '../../platform/postgres/deadline.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates } from '../../platform/postgres/state-table.ts';
import { type Instant, saoPauloDay, utcText } from '../../values/instant.ts';
import { centsOfPlanAmount } from '../../values/plan-amount.ts';
import type { Deliverer } from '../../webhooks/deliveries/delivery.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import type { Terms } from '../plans/plan.ts';
import { TERMS } from '../plans/plans.sql.ts';
import { type Customer, changedCustomerFields, readCustomer } from './customer.ts';
import { moveAlert } from './reasons.ts';
import { type CountedBilling, type StatusMove, statusMove } from './schedule.ts';
import {
  type ChangeRefusal,
  SUBSCRIPTION_MOVES,
  SUBSCRIPTION_REASONS,
  SUBSCRIPTION_STATES,
  takesCardOfSubscriber,
} from './subscription.ts';
import { MOVE_NOTICES, WRITTEN_EVENTS, WRITTEN_MOVES } from './subscriptions.sql.ts';

/** `by`: for the reason of a cancel; absent: the merchant. */
export type StatusChange = {
  readonly kind: 'status';
  readonly event: 'activate' | 'cancel';
  readonly by?: 'subscriber';
};

/**
 * The subscriber gave a card at his page: it pays from the next charge on. A subscription that its card
 * blocked continues with it, if the acquirer has verified it.
 */
export type CardOfSubscriber = {
  readonly kind: 'cardOfSubscriber';
  /** The page at which the card was given: it may end while the card is verified. */
  readonly pageKey: string;
  readonly vaultId: string;
  readonly isVerified: boolean;
};

/** `actor`: by which credential. `at`: business time. Ids are UUIDs in lower case. */
export type SubscriptionChange = {
  readonly merchantId: string;
  readonly subscriptionId: string;
  readonly actor: MerchantActor;
  readonly at: Instant;
  readonly wanted:
    | StatusChange
    | { readonly kind: 'card'; readonly vaultId: string }
    | CardOfSubscriber
    | { readonly kind: 'customer'; readonly customer: Customer | null };
};

export type ChangeResult = 'changed' | ChangeRefusal;

/**
 * The plan lock, so that a cancel of the plan includes activations before it. A subscription keeps its plan.
 */
const SHARE_PLAN = statement(
  'subscriptions.share_plan',
  `select pg_advisory_xact_lock_shared(hashtextextended(s.merchant_id || '|' || s.plan_id::text,
    0)) is not null as is_mine
   from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2`,
);

const LOCKED = rowCodec(
  {
    state: column.oneOf(SUBSCRIPTION_STATES),
    reason: column.nullable(column.oneOf(SUBSCRIPTION_REASONS)),
    /** Empty: paid by Pix Automático. */
    vaultId: column.text("coalesce(s.vault_id::text, '')"),
    customer: column.nullable(column.parsedBy(readCustomer)),
    firstDueOn: column.day(),
    installmentsPaidBefore: column.whole(),
    isPlanCanceled: column.boolean(
      "exists (select from plans p where p.merchant_id = s.merchant_id and p.plan_id = s.plan_id and p.state = 'canceled')",
    ),
  },
  's',
);

/** Every change of a subscription or its billings holds this lock. */
const LOCK = statement(
  'subscriptions.lock',
  `select ${LOCKED.columns}, ${TERMS.columnsOf('s')}
   from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2 for no key update`,
);

/** One of the two newest billings. Voided charges do not count as charges. */
const LATEST = rowCodec(
  {
    billingId: column.text(),
    installment: column.whole(),
    dueOn: column.day(),
    isOpen: column.boolean("b.state = 'opened'"),
    isCharging: column.boolean('b.transaction_id is not null'),
    wasCharged: column.boolean(`case when b.charges_made > 0 then true else exists (
       select from billing_charges c where c.merchant_id = b.merchant_id and c.billing_id = b.billing_id
         and c.outcome is distinct from 'voided'
     ) end`),
    lastChargedAt: column.nullable(
      column.instant(`(
       select max(c.started_at) from billing_charges c where c.merchant_id = b.merchant_id
         and c.billing_id = b.billing_id
         and c.outcome is distinct from 'voided'
     )`),
    ),
    isSeriesCharged: column.boolean(`exists (
       select from billings o where o.merchant_id = b.merchant_id and o.subscription_id = b.subscription_id
         and (o.charges_made > 0 or exists (
           select from billing_charges c where c.merchant_id = o.merchant_id and c.billing_id = o.billing_id
             and c.outcome is distinct from 'voided'))
     )`),
  },
  'b',
);

/** An open billing is the newest. The billings are locked, so that no charge of them begins. */
const LOCK_LATEST_BILLINGS = statement(
  'subscriptions.lock_latest_billings',
  `select ${LATEST.columns}
   from billings b where b.merchant_id = $1 and b.subscription_id = $2 and not b.is_skipped
   order by b.installment desc limit 2 for no key update of b`,
);

/** The state is a parameter: for a constant the planner would choose the index of all open billings. */
const MOVE = statement(
  'subscriptions.move',
  `with moved as (
     update subscriptions set state = $3, reason = $11,
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
   values ($1, next_billing_id($1, $2, $3::smallint, $5::date), $2, $3::smallint, 'opened', $4, $5::date, $8, $6, $7)`,
);

const LOCK_CARD = statement(
  'subscriptions.lock_card',
  'select vault_id from vault_cards where merchant_id = $1 and vault_id = $2 for key share',
);

const SHARE_PAGE = statement(
  'subscriptions.share_page',
  `select page_key from subscriber_pages
   where merchant_id = $1 and subscription_id = $2 and page_key = $3 and expires_at > $4::timestamptz
   for share`,
);

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

/** Writes nothing for the same customer. An erased one is written again. */
const CHANGE_CUSTOMER = statement(
  'subscriptions.change_customer',
  `with changed as (
     update subscriptions set customer = $3::jsonb, customer_erased_at = null, customer_written_at = now(),
       modified_by = $4, modified_at = $5
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
 * Each change has a commit of its own: what it writes depends on what it reads under the lock, and it ends
 * with an entry in the audit chain.
 */
const LIMITS = { statementsInFlight: 2, waitingCallers: 500 };

/** Reads, decides and writes under the subscription's lock. Repeatable after a lost connection. */
export function subscriptionChangesWrite(
  audit: Audit,
  deliverer: Pick<Deliverer, 'notify'>,
): BatchedWriteOptions<SubscriptionChange, ChangeResult> {
  return oneByOne({
    name: 'subscriptionChanges',
    key: (row) => row.subscriptionId,
    merchant: (row) => row.merchantId,
    limits: LIMITS,
    isRefusal: (result) => result !== 'changed',
    write: (row, deadline) => writeChange({ audit, deliverer }, row, deadline),
  });
}

type WriteTools = { readonly audit: Audit; readonly deliverer: Pick<Deliverer, 'notify'> };

/** `isNotified`: alerts were written for the deliverer. */
type Written = { readonly result: ChangeResult; readonly isNotified: boolean };

function written(result: ChangeResult, isNotified = false): Written {
  return { result, isNotified };
}

/** Writes nothing after the deadline: an activation leads to a charge. */
async function writeChange(
  { audit, deliverer }: WriteTools,
  change: SubscriptionChange,
  deadline: Deadline,
): Promise<ChangeResult> {
  const { merchantId, wanted } = change;
  const write = (tx: AuditedTx): Promise<Written> => {
    switch (wanted.kind) {
      case 'status':
        return moveStatus(tx, change, wanted);
      case 'card':
        return changeCard(tx, change, wanted.vaultId);
      case 'cardOfSubscriber':
        return changeCardOfSubscriber(tx, change, wanted);
      case 'customer':
        return changeCustomer(tx, change, wanted.customer);
    }
  };
  const { result, isNotified } = await audit.transaction(write, { merchantId, deadline });
  if (isNotified) deliverer.notify();
  return result;
}

/** A new subscription has no entry in the audit log: it stores its creator and time itself. */
function subscriptionChanged(
  { actor, subscriptionId }: SubscriptionChange,
  before: AuditDetail,
  after: AuditDetail,
): AuditEvent {
  const changed = changedFields(before, after);
  return merchantEvent('subscription.change', actor, `subscriptions/${subscriptionId}`, changed);
}

type Locked = RowOf<typeof LOCKED> & { readonly terms: Terms };

async function lock(tx: Tx, { merchantId, subscriptionId }: SubscriptionChange): Promise<Locked | null> {
  const [row] = await tx.query(LOCK, [merchantId, subscriptionId]);
  return row === undefined ? null : { ...LOCKED.parse(row), terms: TERMS.parse(row) };
}

/** Without a card a subscription cannot become active: there is nothing to charge. */
async function moveStatus(tx: AuditedTx, change: SubscriptionChange, wanted: StatusChange): Promise<Written> {
  const { merchantId, subscriptionId, at } = change;
  const key = [merchantId, subscriptionId];
  await tx.query(SHARE_PLAN, key);
  const locked = await lock(tx, change);
  if (locked === null) return written('notFound');
  const latest = (await tx.query(LOCK_LATEST_BILLINGS, key)).map(parseCounted);
  const cards = locked.vaultId === '' ? [] : await tx.query(LOCK_CARD, [merchantId, locked.vaultId]);
  const move = statusMove(locked, latest, wanted.event, saoPauloDay(at));
  if (typeof move === 'string') return written(move);
  if (wanted.event === 'activate' && move.state !== null && cards.length === 0) return written('cardRemoved');
  return written('changed', await writeMove(tx, change, { locked, move, by: wanted.by ?? 'user' }));
}

type Move = {
  readonly locked: Locked;
  readonly move: StatusMove;
  readonly by: 'user' | 'subscriber';
};

/** Returns whether alerts wait for the deliverer. */
async function writeMove(
  tx: AuditedTx,
  change: SubscriptionChange,
  { locked, move: { state, ends, opens }, by }: Move,
): Promise<boolean> {
  const { merchantId, subscriptionId, actor, at } = change;
  const key = [merchantId, subscriptionId];
  const stamp = [actor.userName, utcText(at)];
  const ended = [ends?.billingId ?? null, ends?.isSkipped ?? false];
  const reason = state === 'canceled' ? by : null;
  const { event = null, body = null } =
    state === null ? {} : moveAlert({ subscriptionId, state, reason, by });
  const values = [...key, state, ...stamp, ...ended, 'opened', event, body, reason];
  const [moved] = state === null && ends === null ? [] : await tx.query(MOVE, values);
  if (opens !== null) {
    const billing = [opens.installment, centsOfPlanAmount(locked.terms.amount), opens.dueOn];
    await tx.query(OPEN_BILLING, [...key, ...billing, ...stamp, opens.chargeOn]);
  }
  if (state !== null) tx.record(subscriptionChanged(change, { state: locked.state }, { state }));
  return moved?.notice_waits === true;
}

function parseCounted(row: Row): CountedBilling {
  const { lastChargedAt, ...billing } = LATEST.parse(row);
  return { ...billing, lastChargedOn: lastChargedAt === null ? null : saoPauloDay(lastChargedAt) };
}

/** Locks the card first, as a new subscription does, so that it is not deleted meanwhile. */
async function changeCard(tx: AuditedTx, change: SubscriptionChange, vaultId: string): Promise<Written> {
  const { merchantId } = change;
  const cards = await tx.query(LOCK_CARD, [merchantId, vaultId]);
  const locked = await lock(tx, change);
  if (locked === null) return written('notFound');
  if (locked.terms.paymentMethod === 'pixAutomatic') return written('notByCard');
  if (cards.length === 0) return written('unknownCard');
  await writeCard(tx, change, locked, vaultId);
  return written('changed');
}

async function writeCard(
  tx: AuditedTx,
  change: SubscriptionChange,
  locked: Locked,
  vaultId: string,
): Promise<void> {
  const { merchantId, subscriptionId, actor, at } = change;
  const values = [merchantId, subscriptionId, vaultId, actor.userName, utcText(at)];
  const changed = await tx.query(CHANGE_CARD, values);
  if (changed.length === 1) tx.record(subscriptionChanged(change, { vaultId: locked.vaultId }, { vaultId }));
}

/**
 * `notFound`: subscription or page has ended, or something else blocked the subscription. `completed`:
 * nothing is left to pay.
 */
async function changeCardOfSubscriber(
  tx: AuditedTx,
  change: SubscriptionChange,
  { pageKey, vaultId, isVerified }: CardOfSubscriber,
): Promise<Written> {
  const { merchantId, subscriptionId, at } = change;
  const key = [merchantId, subscriptionId];
  const pages = await tx.query(SHARE_PAGE, [...key, pageKey, utcText(at)]);
  if (pages.length === 0) return written('notFound');
  await tx.query(SHARE_PLAN, key);
  const cards = await tx.query(LOCK_CARD, [merchantId, vaultId]);
  const locked = await lock(tx, change);
  if (locked === null || cards.length === 0 || !takesCardOfSubscriber(locked)) return written('notFound');
  const isToGoOn = locked.state === 'blocked' && isVerified && !locked.isPlanCanceled;
  const latest = isToGoOn ? (await tx.query(LOCK_LATEST_BILLINGS, key)).map(parseCounted) : [];
  const move = isToGoOn ? statusMove(locked, latest, 'activate', saoPauloDay(at)) : null;
  if (typeof move === 'string') return written(move);
  await writeCard(tx, change, locked, vaultId);
  if (move === null) return written('changed');
  return written('changed', await writeMove(tx, change, { locked, move, by: 'subscriber' }));
}

/** The audit log gets only names of changed fields: it outlives the personal data. */
async function changeCustomer(
  tx: AuditedTx,
  change: SubscriptionChange,
  customer: Customer | null,
): Promise<Written> {
  const { merchantId, subscriptionId, actor, at } = change;
  const locked = await lock(tx, change);
  if (locked === null) return written('notFound');
  const described = customer && JSON.stringify(customer);
  const values = [merchantId, subscriptionId, described, actor.userName, utcText(at)];
  const changed = await tx.query(CHANGE_CUSTOMER, values);
  if (changed.length === 1) {
    const fields = changedCustomerFields(locked.customer, customer);
    tx.record(subscriptionChanged(change, {}, { customer: fields }));
  }
  return written('changed');
}
