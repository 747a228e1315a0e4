import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import type { PayerAccount } from '../../providers/pix/recurring-pix.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { ENQUEUE_ALERTS, NOTICE_WAITS } from '../alerts/alert-deliveries.sql.ts';
import { BILLING_MOVES } from '../billings/billing.ts';
import { TERMS } from '../plans/plans.sql.ts';
import { readCustomer } from '../subscriptions/customer.ts';
import { moveAlert } from '../subscriptions/reasons.ts';
import {
  SUBSCRIPTION_MOVES,
  SUBSCRIPTION_STATES,
  type SubscriptionReason,
  type SubscriptionState,
} from '../subscriptions/subscription.ts';
import { MOVE_NOTICES, WRITTEN_MOVES } from '../subscriptions/subscriptions.sql.ts';
import { AUTHORIZATION_MOVES, AUTHORIZATION_STATES, type Journey } from './authorization.ts';
import { PAUSE_ENDS } from './looks.sql.ts';

function readJourney(value: unknown): Journey | undefined {
  return value === 1 || value === 2 || value === 3 ? value : undefined;
}

function readAccount(value: unknown): PayerAccount | undefined {
  return typeof value === 'object' && value !== null ? (value as PayerAccount) : undefined;
}

const AUTHORIZATION = rowCodec(
  {
    merchantId: column.text(),
    subscriptionId: column.text(),
    bank: column.text(),
    journey: column.parsedBy(readJourney),
    state: column.oneOf(AUTHORIZATION_STATES),
    recId: column.nullable(column.text()),
    pageKey: column.text(),
    pixEmv: column.nullable(column.text()),
    firstPixId: column.nullable(column.text()),
    leastAmount: column.nullable(column.money()),
    payerAccount: column.nullable(column.parsedBy(readAccount)),
    startsOn: column.day(),
    leadDays: column.whole(),
    requestedAt: column.instant(),
    expiresAt: column.instant(),
    /** The fence of the process that asks the bank now. */
    fence: column.whole(),
    tries: column.whole(),
    unknownReason: column.nullable(column.text()),
    subscription: column.oneOf(SUBSCRIPTION_STATES, 's.state'),
    planName: column.text('p.name'),
    customer: column.nullable(column.parsedBy(readCustomer, 's.customer')),
  },
  'a',
  'authorization_',
);

const WHOLE = `${AUTHORIZATION.columns}, ${TERMS.columnsOf('s')}`;

const JOINS = `cross join lateral (
     select * from subscriptions o where o.merchant_id = a.merchant_id and o.subscription_id = a.subscription_id limit 1
   ) s cross join lateral (
     select o.name from plans o where o.merchant_id = s.merchant_id and o.plan_id = s.plan_id limit 1
   ) p`;

export type SubscriptionKey = { readonly merchantId: string; readonly subscriptionId: string };

export type Authorization = RowOf<typeof AUTHORIZATION> & { readonly terms: RowOf<typeof TERMS> };

const FIND = statement(
  'pix_authorizations.find',
  `select ${WHOLE} from pix_authorizations a ${JOINS} where a.merchant_id = $1 and a.subscription_id = $2`,
);

export async function findAuthorization(
  database: Reader,
  { merchantId, subscriptionId }: SubscriptionKey,
): Promise<Authorization | null> {
  const [row] = await database.query(FIND, [merchantId, subscriptionId]);
  return row === undefined ? null : { ...AUTHORIZATION.parse(row), terms: TERMS.parse(row) };
}

/** The bank made the authorization: its code may be shown. */
const MAKE = statement(
  'pix_authorizations.make',
  `update pix_authorizations a set state = 'waiting', rec_id = $3, pix_emv = $4, look_at = $5::timestamptz, tries = 0, tried_at = null,
     unknown_reason = null, unknown_since = null, payer_account = null
   where a.merchant_id = $1 and a.subscription_id = $2 and a.state in (${fromStates(AUTHORIZATION_MOVES, 'make')})
   returning a.subscription_id`,
);

/** The subscription ended while the bank made its authorization, which the bank must now end. */
const APPEAR = statement(
  'pix_authorizations.appear',
  `update pix_authorizations a set state = 'ending', rec_id = $3, look_at = $4::timestamptz, tries = 0, tried_at = null,
     unknown_reason = null, unknown_since = null
   where a.merchant_id = $1 and a.subscription_id = $2 and a.state in (${fromStates(AUTHORIZATION_MOVES, 'appear')})`,
);

export async function makeAuthorization(
  database: Database,
  { merchantId, subscriptionId }: SubscriptionKey,
  made: { readonly recId: string; readonly pixEmv: string },
  { at, lookAt }: { readonly at: Instant; readonly lookAt: Instant },
): Promise<void> {
  const key = [merchantId, subscriptionId, made.recId];
  const moved = await database.query(MAKE, [...key, made.pixEmv, utcText(lookAt)]);
  if (moved.length === 0) await database.query(APPEAR, [...key, utcText(at)]);
}

const END = statement(
  'pix_authorizations.end',
  `update pix_authorizations a set state = 'ended', look_at = null, unknown_reason = null,
     unknown_since = null, payer_account = null
   where a.merchant_id = $1 and a.subscription_id = $2 and a.state in (${fromStates(AUTHORIZATION_MOVES, 'end')})`,
);

export async function endAuthorization(
  database: Database,
  { merchantId, subscriptionId }: SubscriptionKey,
): Promise<void> {
  await database.query(END, [merchantId, subscriptionId]);
}

const NOTE_REFUSAL = statement(
  'pix_authorizations.note_refusal',
  `update pix_authorizations a set refusal_reason = $3
   where a.merchant_id = $1 and a.subscription_id = $2 and a.state = 'ending'`,
);

/** Notes why the bank refused. The background work ends what the bank may have made before. */
export async function noteRefusal(
  tx: Tx,
  { merchantId, subscriptionId }: SubscriptionKey,
  reason: string,
): Promise<void> {
  await tx.query(NOTE_REFUSAL, [merchantId, subscriptionId, reason.slice(0, 100)]);
}

/** Business times: `now` when a look was finished, `at` when the next one is due. */
export type LookTimes = { readonly now: Instant; readonly at: Instant };

const LOOK = statement(
  'pix_authorizations.look_later',
  `update pix_authorizations a set look_at = $3::timestamptz, unknown_reason = $4,
     unknown_since = case when $4::text is not null then coalesce(a.unknown_since, now()) end,
     tries = case when $4::text is null then 0 when ${PAUSE_ENDS} <= $6::timestamptz then least(tries + 1, 32000) else tries end,
     tried_at = case when $4::text is null then null when ${PAUSE_ENDS} <= $6::timestamptz then $6::timestamptz else tried_at end
   where a.merchant_id = $1 and a.subscription_id = $2 and a.state = $5 and a.fence = $7 and a.look_at is not null`,
);

/**
 * Writes when to look next, unless the row has changed or another process asks. `reason`: why the state is
 * not known; null: the bank answered.
 */
export async function lookAtAuthorization(
  database: Database,
  authorization: Pick<Authorization, 'merchantId' | 'subscriptionId' | 'state' | 'fence'>,
  { now, at }: LookTimes,
  reason: string | null = null,
): Promise<void> {
  const { merchantId, subscriptionId, state, fence } = authorization;
  const why = reason?.slice(0, 300) ?? null;
  const values = [merchantId, subscriptionId, utcText(at), why, state, utcText(now), fence];
  await database.query(LOOK, values);
}

/** Every change of a subscription holds this lock, so that a cancel of its plan sees earlier activations. */
const HOLD = statement(
  'pix_authorizations.hold_subscription',
  `select s.subscription_id from subscriptions s cross join lateral (
     select pg_advisory_xact_lock_shared(hashtextextended(s.merchant_id || '|' || s.plan_id::text, 0)) is not null as is_mine
   ) turn where s.merchant_id = $1 and s.subscription_id = $2 and turn.is_mine for no key update of s`,
);

/** An open billing under charge stays: the result of its charge decides. */
const MOVE = statement(
  'pix_authorizations.move_subscription',
  `with moved as (
     update subscriptions set state = $3, reason = $4, state_since = clock_timestamp(), modified_by = 'system',
       modified_at = $5::timestamptz
     where merchant_id = $1 and subscription_id = $2 and state = $6
       and state || '' in (${fromOtherStates(SUBSCRIPTION_MOVES, 'authorize', 'reject', 'expire', 'cancel')})
     returning merchant_id, subscription_id, state, reason, modified_by, modified_at,
       null::uuid as billing_id, account_number, $7::text as event, $8::text as notice
   ), ${WRITTEN_MOVES}, notices as (${MOVE_NOTICES}), ${ENQUEUE_ALERTS}, ended as (
     update billings b set state = 'canceled', is_skipped = b.charges_made = 0, charge_on = null,
       modified_by = 'system', modified_at = $5::timestamptz
     from moved m
     where b.merchant_id = m.merchant_id and b.subscription_id = m.subscription_id and m.state <> 'active'
       and b.state = 'opened' and b.state || '' in (${fromStates(BILLING_MOVES, 'cancel')}) and b.transaction_id is null
   ), approved as (
     update pix_authorizations a set state = 'approved', look_at = $9::timestamptz, tries = 0, tried_at = null,
       unknown_reason = null, unknown_since = null
     from moved m
     where a.merchant_id = m.merchant_id and a.subscription_id = m.subscription_id and m.state = 'active'
       and a.state in (${fromStates(AUTHORIZATION_MOVES, 'approve')})
   )
   select ${NOTICE_WAITS}, exists (select from moved) as is_moved`,
);

export type SubscriptionMove = {
  readonly from: SubscriptionState;
  readonly to: 'active' | 'canceled' | 'rejected' | 'expired';
  readonly reason: SubscriptionReason | null;
};

const APPROVED = 'O pagador autorizou o Pix Automático.';

/** Writes the payer's decision as the subscription's state. Returns whether alerts wait; repeatable. */
export async function moveByPayer(
  tx: Tx,
  { merchantId, subscriptionId }: SubscriptionKey,
  { from, to, reason }: SubscriptionMove,
  { at, lookAt }: { readonly at: Instant; readonly lookAt: Instant },
): Promise<boolean> {
  await tx.query(HOLD, [merchantId, subscriptionId]);
  const { event, body } = moveAlert({ subscriptionId, state: to, reason, description: APPROVED });
  const [row] = await tx.query(MOVE, [
    ...[merchantId, subscriptionId, to, reason, utcText(at), from, event, body, utcText(lookAt)],
  ]);
  return row?.notice_waits === true;
}
