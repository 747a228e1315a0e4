import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { type InputColumns, inputRows } from '../../platform/postgres/input-rows.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import { type AlertEvent, type CardMonth, type ExpiringCard, expiryAlert } from './alert.ts';
import { MOST_ACTIVE_ALERT_ENDPOINTS } from './alert-endpoint.ts';

/*
 * The alerts of a merchant's endpoints.
 *
 * The statement that ends a charge, or changes the state of a subscription, writes the alerts of it,
 * in its own commit, as `transactions/movements/movement-deliveries.sql.ts` does it for movements:
 * `ENQUEUE_ALERTS` is a constant text and reads a named part of the statement that it stands in,
 *
 * `notices`: a row for each alert: merchant_id, event, notice_of (uuid, the billing or the
 * subscription), account_number, body (text) and moment (timestamptz, business time).
 *
 * Alerts of cards that expire are written by the statements below, one endpoint at a time, under
 * the lock of its row.
 */

/**
 * `enqueued_alerts`: a delivery for each active alert endpoint of the merchant that asks for the
 * event. Its address and the name of its server are copied, so that an endpoint that is ended later
 * leaves alone what was written for it. Deliveries of one billing, or of one subscription, go one
 * after the other at each server. Never under a lease: the work sends them. Without an endpoint
 * nothing is written, and no endpoint is locked: every charge of a merchant would wait there.
 */
export const ENQUEUE_ALERTS = `enqueued_alerts as (
     ${ENQUEUE_DELIVERIES}
     select f.merchant_id, nextval('movement_ids'), 'notice', n.endpoint, f.account_number, f.notice_of,
       0, null, n.callback_url, f.body, f.moment, f.moment, null, 0
     from notices f cross join lateral (
       select m.endpoint, m.callback_url from alert_endpoints m
       where m.merchant_id = f.merchant_id and m.state = 'active' and f.event = any (m.events)
       order by m.alert_endpoint_id limit 20
     ) n
     returning merchant_id, delivery_number
   )`;

/**
 * Whether something was written that waits for the work: then the deliverer is notified after the
 * commit.
 */
export const NOTICE_WAITS = `exists (select from enqueued_alerts) as notice_waits`;

/** An alert endpoint, and what it asks for. */
export type AlertEndpointKey = { readonly merchantId: string; readonly alertEndpointId: string };
export type DueAlertEndpoint = AlertEndpointKey & { readonly events: readonly AlertEvent[] };

/**
 * Of an alert endpoint `n`. Looked up for each, never joined: a join is planned once, and may then
 * read all.
 */
const IS_IN_NO_JUMP =
  '(select c.target_at from merchant_clocks c where c.merchant_id = n.merchant_id limit 1) is null';

/**
 * Every active endpoint is due once a day, whatever it asks for: one index knows which are. Of
 * ordinary merchants, by a real day (`$1`): first the endpoints that were never notified, then
 * those notified longest ago. A merchant whose clock runs ahead is further than the real day, so
 * what is due by it is due; while its clock jumps, only the jump notifies.
 */
const FIND_DUE = statement(
  'notices.find_due',
  `select d.merchant_id, d.alert_endpoint_id, d.events from (
     (select n.merchant_id, n.alert_endpoint_id, n.events from alert_endpoints n
      where n.state = 'active' and n.expiries_alerted_on is null and ${IS_IN_NO_JUMP}
      order by n.expiries_alerted_on nulls first, n.merchant_id, n.alert_endpoint_id limit $2)
     union all
     (select n.merchant_id, n.alert_endpoint_id, n.events from alert_endpoints n
      where n.state = 'active' and n.expiries_alerted_on < $1::date and ${IS_IN_NO_JUMP}
      order by n.expiries_alerted_on nulls first, n.merchant_id, n.alert_endpoint_id limit $2)
   ) d limit $2`,
);

/**
 * Null: every endpoint was notified of its day, by the real day (`$1`) or by its merchant's clock that runs
 * ahead.
 */
export const ALERTS_DUE = statement(
  'notices.due',
  `select case when exists (
       select from alert_endpoints n
       where n.state = 'active' and n.expiries_alerted_on is null and ${IS_IN_NO_JUMP})
     or exists (
       select from alert_endpoints n
       where n.state = 'active' and n.expiries_alerted_on < $1::date and ${IS_IN_NO_JUMP})
     or exists (
       select from merchant_clocks c cross join lateral (
         select from alert_endpoints m
         where m.merchant_id = c.merchant_id and m.state = 'active' and m.expiries_alerted_on <
           ((now() + c.shift_milliseconds * interval '1 millisecond') at time zone 'America/Sao_Paulo')::date
         limit 1
       ) n
       where c.shift_milliseconds > 0 and c.target_at is null)
     then 0 end as milliseconds`,
);

/**
 * Alert endpoints not yet notified of a real day, of all merchants whose clocks are in no jump.
 */
export async function findDueAlertEndpoints(
  database: Database,
  today: Day,
  limit: number,
): Promise<DueAlertEndpoint[]> {
  return (await database.query(FIND_DUE, [today, limit])).map(parseDue);
}

/**
 * Homologation has few moved clocks, production none: whose day has come is for the rules of the
 * zone to say.
 */
const LIST_AHEAD = statement(
  'notices.list_ahead',
  `select c.merchant_id, to_char(min(n.alerted_on), 'YYYY-MM-DD') as alerted_on
   from (
     select merchant_id from merchant_clocks where shift_milliseconds > 0 and target_at is null
       order by merchant_id
   ) c cross join lateral (
     select m.expiries_alerted_on as alerted_on from alert_endpoints m
     where m.merchant_id = c.merchant_id and m.state = 'active' order by m.alert_endpoint_id limit $1
   ) n
   where n.alerted_on is not null
   group by c.merchant_id`,
);

/**
 * Merchants whose clocks run ahead, and the earliest of the days up to which one of their endpoints
 * was notified.
 */
export async function listMerchantsAhead(
  database: Database,
): Promise<{ readonly merchantId: string; readonly alertedOn: Day }[]> {
  const rows = await database.query(LIST_AHEAD, [MOST_ACTIVE_ALERT_ENDPOINTS]);
  return rows.map((row) => ({ merchantId: row.merchant_id as string, alertedOn: row.alerted_on as Day }));
}

const FIND_DUE_OF_MERCHANT = statement(
  'notices.find_due_of_merchant',
  `select n.merchant_id, n.alert_endpoint_id, n.events from alert_endpoints n
   where n.merchant_id = $1 and n.state = 'active'
     and coalesce(n.expiries_alerted_on, '-infinity'::date) < $2::date
   order by n.alert_endpoint_id limit $3`,
);

/** A merchant's alert endpoints not yet notified of its business day. */
export async function findDueAlertEndpointsOf(
  database: Database,
  merchantId: string,
  today: Day,
): Promise<DueAlertEndpoint[]> {
  return (await database.query(FIND_DUE_OF_MERCHANT, [merchantId, today, MOST_ACTIVE_ALERT_ENDPOINTS])).map(
    parseDue,
  );
}

function parseDue(row: Row): DueAlertEndpoint {
  return {
    merchantId: row.merchant_id as string,
    alertEndpointId: row.alert_endpoint_id as string,
    events: row.events as AlertEvent[],
  };
}

/**
 * Not notified of this day by another process, and locked by none. With `= 'active'` the planner
 * could take the index of due ones, and walk it whole.
 */
export const LOCK_ALERT_ENDPOINT = statement(
  'notices.lock_alert_endpoint',
  `select n.endpoint, n.callback_url from alert_endpoints n
   where n.merchant_id = $1 and n.alert_endpoint_id = $2 and n.state <> 'inactive'
     and coalesce(n.expiries_alerted_on, '-infinity'::date) < $3::date
   for no key update skip locked`,
);

/**
 * Active subscriptions `s` of a card `v`, in words that only the index by card answers: as an
 * equality, planned while the table is small, the card would be looked for among all subscriptions
 * of the merchant.
 */
const OF_CARD = `s.merchant_id = $1 and s.vault_id between v.vault_id and v.vault_id and s.reason is null`;

const MONTH_COLUMNS = {
  year: ['text', (month) => month.year],
  month: ['text', (month) => month.month],
  last_day: ['date', (month) => month.lastDay],
} as const satisfies InputColumns<CardMonth>;

const MONTHS = inputRows<CardMonth>(MONTH_COLUMNS, { as: 'm', after: 2, place: 'place' });

/**
 * The next cards of some months (`$3`–`$5`) from a place on (`$6`, `$7`), that one included, in the
 * order of their index, each with the active subscriptions of which `$2` was not notified; a row
 * without one says how far the search went.
 */
const LOOK = statement(
  'notices.look_at_cards',
  `select v.place, v.vault_id, v.brand, v.last_four, to_char(v.last_day, 'YYYY-MM-DD') as last_day,
     s.subscription_id, s.account_number
   from (
     select m.place::integer as place, m.last_day, c.vault_id, c.brand, c.last_four
     from ${MONTHS.sql} cross join lateral (
       select vault_id, brand, last_four from vault_cards
       where merchant_id = $1 and expiration_year = m.year and expiration_month = m.month
         and vault_id >= case when m.place = $6::integer
           then $7::uuid else '00000000-0000-0000-0000-000000000000' end
       order by vault_id limit $8
     ) c
     where m.place >= $6::integer
     order by m.place, c.vault_id limit $8
   ) v left join lateral (
     select s.subscription_id, s.account_number from subscriptions s
     where ${OF_CARD} and (
       select true from card_expiry_alerts t
       where t.merchant_id = $1 and t.alert_endpoint_id = $2 and t.subscription_id = s.subscription_id
         and t.vault_id = v.vault_id
       limit 1
     ) is null
     order by s.vault_id limit $8
   ) s on true
   order by v.place, v.vault_id limit $8`,
);

const ALERTS = inputRows<Row>(
  {
    subscription_id: ['uuid', (row) => row.subscription_id as string],
    vault_id: ['uuid', (row) => row.vault_id as string],
    account_number: ['text', (row) => row.account_number as string],
    body: ['text', (row) => expiryAlert(parseExpiring(row))],
  },
  { after: 5 },
);

/** The alerts and the record of them, in one. */
const TELL = statement(
  'notices.alert_expiries',
  `with alerted as (
     insert into card_expiry_alerts (merchant_id, alert_endpoint_id, subscription_id, vault_id)
     select $1::text, $2::uuid, i.subscription_id, i.vault_id from ${ALERTS.sql}
   )
   ${ENQUEUE_DELIVERIES}
   select $1::text, nextval('movement_ids'), 'notice', $4::text, i.account_number, i.subscription_id,
     0, null, $5::text, i.body, $3::timestamptz, $3::timestamptz, null, 0
   from ${ALERTS.sql}`,
);

const FINISH = statement(
  'notices.finish_day',
  `update alert_endpoints set expiries_alerted_on = $3::date
   where merchant_id = $1 and alert_endpoint_id = $2
     and coalesce(expiries_alerted_on, '-infinity'::date) < $3::date`,
);

/** An endpoint was notified of all that a day brings: what was written says so of each thing itself. */
export async function finishDay(
  database: Database,
  { merchantId, alertEndpointId }: AlertEndpointKey,
  day: Day,
): Promise<void> {
  await database.query(FINISH, [merchantId, alertEndpointId, day]);
}

/** Where a look at the cards begins: the place of the month, from 1, and the card. */
export type CardPlace = { readonly month: number; readonly vaultId: string };

export const FIRST_CARD: CardPlace = { month: 1, vaultId: '00000000-0000-0000-0000-000000000000' };

export type ExpiriesToAlert = AlertEndpointKey & {
  /** The merchant's business time, and the day that it is. */
  readonly moment: Instant;
  readonly day: Day;
  readonly months: readonly CardMonth[];
};

/** `next`: where to go on; null: all cards were looked at. */
export type AlertedBatch = { readonly alerted: number; readonly next: CardPlace | null };

/**
 * Enqueues alerts of up to `limit` cards for an endpoint in one commit, from a place on. Null: it
 * is not active, it was notified of the day already, or another process has it.
 */
export async function alertExpiriesBatch(
  database: Database,
  { merchantId, alertEndpointId, moment, day, months }: ExpiriesToAlert,
  from: CardPlace,
  limit: number,
): Promise<AlertedBatch | null> {
  const key = [merchantId, alertEndpointId];
  let result: AlertedBatch | null = null;
  await database.commit([
    { statement: LOCK_ALERT_ENDPOINT, values: [...key, day] },
    ([locked]) => {
      const looked = locked?.length === 1 ? months : [];
      const values = [...key, ...MONTHS.values(looked), from.month, from.vaultId, limit];
      return { statement: LOOK, values };
    },
    ([locked, looked = []]) => {
      const [notifier] = locked ?? [];
      const isEnd = looked.length < limit;
      const cards = looked.filter((row) => row.subscription_id !== null);
      if (notifier !== undefined)
        result = { alerted: cards.length, next: isEnd ? null : placeOf(looked.at(-1) as Row) };
      const sent = [notifier?.endpoint ?? null, notifier?.callback_url ?? null];
      return { statement: TELL, values: [...key, utcText(moment), ...sent, ...ALERTS.values(cards)] };
    },
  ]);
  return result;
}

function placeOf(row: Row): CardPlace {
  return { month: row.place as number, vaultId: row.vault_id as string };
}

function parseExpiring(row: Row): ExpiringCard {
  return {
    subscriptionId: row.subscription_id as string,
    vaultId: row.vault_id as string,
    lastDay: row.last_day as Day,
    brand: row.brand as CardBrand,
    lastFour: row.last_four as string,
  };
}

const MONTHS_ALERTED = inputRows<CardMonth>(
  { ...MONTH_COLUMNS, alerted_from: ['date', (month) => month.alertedFrom] },
  { as: 'm', after: 1, place: 'place' },
);

/**
 * For each active alert endpoint the first month with a card of which it was not notified, and the
 * day on which it will be: when the cards of that month come within reach, or the day after it was
 * last notified where one came later.
 */
const EARLIEST = statement(
  'notices.earliest_of_merchant',
  `select to_char(min(d.due_on), 'YYYY-MM-DD') as due_on
   from (
     select n.alert_endpoint_id, n.expiries_alerted_on from alert_endpoints n
     where n.merchant_id = $1 and n.state = 'active' and 'cardExpiring' = any (n.events)
     order by n.alert_endpoint_id limit $6
   ) n cross join lateral (
     select greatest(m.alerted_from, n.expiries_alerted_on + 1) as due_on
     from ${MONTHS_ALERTED.sql} cross join lateral (
       select from vault_cards v cross join lateral (
         select from subscriptions s
         where ${OF_CARD} and (
           select true from card_expiry_alerts t
           where t.merchant_id = $1 and t.alert_endpoint_id = n.alert_endpoint_id
             and t.subscription_id = s.subscription_id
             and t.vault_id = v.vault_id
           limit 1
         ) is null
         order by s.vault_id limit 1
       ) u
       where v.merchant_id = $1 and v.expiration_year = m.year and v.expiration_month = m.month
       limit 1
     ) w
     where coalesce(n.expiries_alerted_on, '-infinity'::date) < m.last_day
     order by m.place limit 1
   ) d`,
);

/**
 * The business day on which an endpoint of the merchant must next be notified of a card of these
 * months, perhaps a past one; null: on none.
 */
export async function findEarliestAlert(
  database: Database,
  merchantId: string,
  months: readonly CardMonth[],
): Promise<Day | null> {
  const [row] = await database.query(EARLIEST, [
    merchantId,
    ...MONTHS_ALERTED.values(months),
    MOST_ACTIVE_ALERT_ENDPOINTS,
  ]);
  return (row?.due_on ?? null) as Day | null;
}
