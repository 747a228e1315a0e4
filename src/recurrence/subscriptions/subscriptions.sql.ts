import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { PLAN, STAMPS, stamped, TERMS } from '../plans/plans.sql.ts';
import { readCustomer } from './customer.ts';
import {
  SUBSCRIPTION_EVENT_TYPES,
  SUBSCRIPTION_REASONS,
  SUBSCRIPTION_STATES,
  type Subscription,
  type SubscriptionEntry,
  type SubscriptionWithEvents,
} from './subscription.ts';

const SUBSCRIPTION = rowCodec(
  {
    merchantId: column.text(),
    subscriptionId: column.text(),
    vaultId: column.nullable(column.text()),
    orderNumber: column.text(),
    accountNumber: column.text(),
    state: column.oneOf(SUBSCRIPTION_STATES),
    reason: column.nullable(column.oneOf(SUBSCRIPTION_REASONS)),
    firstDueOn: column.day(),
    installmentsPaidBefore: column.whole(),
    customer: column.nullable(column.parsedBy(readCustomer)),
    ...STAMPS.fields,
  },
  's',
  'subscription_',
);

/** A subscription `s` with its plan `p`. */
export const WHOLE_SUBSCRIPTION = `${PLAN.columns}, ${TERMS.columnsOf('s')}, ${SUBSCRIPTION.columns}`;

export function parseSubscription(row: Row): Subscription {
  const plan = stamped(PLAN.parse(row));
  return { ...stamped(SUBSCRIPTION.parse(row)), terms: TERMS.parse(row), plan };
}

const EVENT = rowCodec({
  type: column.oneOf(SUBSCRIPTION_EVENT_TYPES),
  by: column.text(),
  at: column.instant(),
  reason: column.nullable(column.oneOf(SUBSCRIPTION_REASONS)),
  billingId: column.nullable(column.text()),
});

const HISTORY = rowCodec({
  history: column.parsedBy((value) => ((value ?? []) as Row[]).map(parseEvent), 'e.history'),
});

function parseEvent(row: Row): SubscriptionEntry {
  const { by, at, ...event } = EVENT.parse(row);
  return { ...event, stamp: { by, at } };
}

/** Repeated cancels and activations may make many events: the newest are shown. */
const FIND = statement(
  'subscriptions.find',
  `select ${WHOLE_SUBSCRIPTION}, ${HISTORY.columns} from subscriptions s cross join lateral (
     select * from plans where merchant_id = $1 and plan_id = s.plan_id limit 1
   ) p cross join lateral (
     select json_agg(json_build_object('type', type, 'by', created_by,
       'at', floor(extract(epoch from created_at) * 1000)::bigint, 'reason', reason, 'billing_id', billing_id)
       order by event_number) as history
     from (
       select * from subscription_events where merchant_id = $1 and subscription_id = $2
       order by event_number desc limit 100
     ) newest
   ) e where s.merchant_id = $1 and s.subscription_id = $2`,
);

/** The subscription with its newest hundred events; null: there is none. */
export async function findSubscription(
  database: Reader,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const [row] = await database.query(FIND, [merchantId, subscriptionId]);
  return row === undefined ? null : { subscription: parseSubscription(row), ...HISTORY.parse(row) };
}

/**
 * Inserts events in the statement that changes the subscription. Follows a CTE `happened` (merchant_id,
 * subscription_id, type, reason, billing_id, created_by, created_at), one row for each event.
 */
export const WRITTEN_EVENTS = `written_events as (
     insert into subscription_events (merchant_id, subscription_id, type, reason, billing_id, created_by,
       created_at)
     select h.merchant_id, h.subscription_id, h.type, h.reason, h.billing_id, h.created_by, h.created_at
       from happened h
   )`;

/**
 * Inserts the events of changes of state. Follows a CTE `moved`, an update that returns merchant_id,
 * subscription_id, the new state and reason, modified_by, modified_at, and as billing_id the causing billing
 * or `null::uuid`. It must not touch subscriptions already in that state.
 */
export const WRITTEN_MOVES = `happened as (
     select m.merchant_id, m.subscription_id, case m.state when 'active'
       then 'activated' else m.state end as type, m.reason,
       m.billing_id, m.modified_by as created_by, m.modified_at as created_at
     from moved m
   ), ${WRITTEN_EVENTS}`;

/**
 * The alerts of the changes in `moved`, for `ENQUEUE_ALERTS`: `moved` also returns account_number, event and
 * notice.
 */
export const MOVE_NOTICES = `select m.merchant_id, m.event, m.subscription_id as notice_of,
       m.account_number, m.notice as body, m.modified_at as moment
     from moved m`;

/** The Pix Automático bank of a subscription (`place`); null: paid by card. */
export const bankOf = (place: string) => authorizedOf(place, 'bank');
export const leadDaysOf = (place: string) => `coalesce(${authorizedOf(place, 'lead_days')}, 0)`;

const authorizedOf = (
  place: string,
  name: 'bank' | 'lead_days',
) => `case when ${place}.vault_id is null then (
       select a.${name} from pix_authorizations a
       where a.merchant_id = ${place}.merchant_id and a.subscription_id = ${place}.subscription_id
     ) end`;

/**
 * How many days before its due day a charge is sent to the Pix bank; 0 without a bank. `leadDays`: as agreed
 * with the payer.
 */
export type LeadDaysOf = (agreed: { readonly bank: string | null; readonly leadDays: number }) => number;

export type CardKey = { readonly merchantId: string; readonly vaultId: string };

/** A subscription whose customer has no document: only the card shows who he is. */
const NAMELESS = rowCodec(
  {
    merchantId: column.text(),
    vaultId: column.text(),
    subscriptionId: column.text(),
    state: column.oneOf(SUBSCRIPTION_STATES),
  },
  's',
);

export type NamelessSubscription = RowOf<typeof NAMELESS>;

const CARD_SUBSCRIPTION = rowCodec(
  {
    ...NAMELESS.fields,
    orderNumber: column.text(),
    customer: column.nullable(column.parsedBy(readCustomer)),
  },
  's',
);

export type CardSubscription = RowOf<typeof CARD_SUBSCRIPTION>;

const CARDS = inputRows<CardKey>(
  { merchant_id: ['text', (card) => card.merchantId], vault_id: ['uuid', (card) => card.vaultId] },
  { after: 1 },
);

/** The range and order of `vault_id` are read from the index by card alone, as in `vault.delete_card`. */
const LIST = statement(
  'subscriptions.list_of_cards',
  `select ${CARD_SUBSCRIPTION.columns} from ${CARDS.sql} cross join lateral (
     select merchant_id, vault_id::text, subscription_id::text, state, order_number, customer from subscriptions
     where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
     order by vault_id limit $1
   ) s`,
);

/** Subscriptions paid by these cards, up to `limit` for each card. */
export async function listSubscriptionsOf(
  database: Database,
  cards: readonly CardKey[],
  limit: number,
): Promise<CardSubscription[]> {
  return (await database.query(LIST, [limit, ...CARDS.values(cards)])).map(CARD_SUBSCRIPTION.parse);
}

const LIST_NAMELESS = statement(
  'subscriptions.list_nameless_of_cards',
  `select ${NAMELESS.columns} from ${CARDS.sql} cross join lateral (
     select merchant_id, vault_id::text, subscription_id::text, state from subscriptions
     where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
       and customer is not null and customer ->> 'documentNumber' is null
     order by vault_id limit $1
   ) s`,
);

/** Subscriptions whose customer has no document, up to `limit` for each card. */
export async function listNamelessSubscriptionsOf(
  database: Database,
  cards: readonly CardKey[],
  limit: number,
): Promise<NamelessSubscription[]> {
  return (await database.query(LIST_NAMELESS, [limit, ...CARDS.values(cards)])).map(NAMELESS.parse);
}

const ERASED = rowCodec({ merchantId: column.text(), subscriptionId: column.text() });

const ERASE_NAMELESS = statement(
  'subscriptions.erase_nameless_of_cards',
  `with held as materialized (
     select o.place from ${CARDS.sql} cross join lateral (
       select ctid as place from subscriptions
       where merchant_id = i.merchant_id and vault_id between i.vault_id and i.vault_id
         and customer is not null and customer ->> 'documentNumber' is null and state in ('canceled', 'completed', 'rejected', 'expired')
       order by vault_id limit $1
       for no key update skip locked
     ) o
   )
   update subscriptions set customer = null, customer_erased_at = now()
   where ctid = any (array(select place from held)) and customer is not null
   returning ${ERASED.columns}`,
);

/**
 * Erases customers without document, only of ended subscriptions, up to `limit` for each card. Returns the
 * ids.
 */
export async function eraseNamelessSubscriptionsOf(
  tx: Tx,
  cards: readonly CardKey[],
  limit: number,
): Promise<RowOf<typeof ERASED>[]> {
  return (await tx.query(ERASE_NAMELESS, [limit, ...CARDS.values(cards)])).map(ERASED.parse);
}
