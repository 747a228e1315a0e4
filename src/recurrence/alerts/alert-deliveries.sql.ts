import { type Database, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { type InputColumns, inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import { ALERT_EVENTS, type CardMonth, type ExpiringCard, expiryAlert } from './alert.ts';
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
     select f.merchant_id, nextval('movement_ids'), 'notice', n.server, f.account_number, f.notice_of,
       0, null, n.url, f.body, f.moment, f.moment, null, 0
     from notices f cross join lateral (
       select m.server, m.url from webhook_endpoints m
       where m.merchant_id = f.merchant_id and m.kind = 'alerts' and m.state = 'active' and f.event = any (m.events)
       order by m.alert_endpoint_id limit 20
     ) n
     returning merchant_id, delivery_number
   )`;

/**
 * Whether something was written that waits for the work: then the deliverer is notified after the
 * commit.
 */
export const NOTICE_WAITS = `exists (select from enqueued_alerts) as notice_waits`;

const ENDPOINT = rowCodec(
  {
    merchantId: column.text(),
    alertEndpointId: column.text(),
    events: column.listOf(column.oneOf(ALERT_EVENTS)),
  },
  'n',
);

/** An alert endpoint, and what it asks for. */
export type DueAlertEndpoint = RowOf<typeof ENDPOINT>;
export type AlertEndpointKey = Omit<DueAlertEndpoint, 'events'>;

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
  `select ${ENDPOINT.columnsOf('d')} from (
     (select ${ENDPOINT.columns} from webhook_endpoints n
      where n.kind = 'alerts' and n.state = 'active' and n.alerted_on is null and ${IS_IN_NO_JUMP}
      order by n.alerted_on nulls first, n.merchant_id, n.alert_endpoint_id limit $2)
     union all
     (select ${ENDPOINT.columns} from webhook_endpoints n
      where n.kind = 'alerts' and n.state = 'active' and n.alerted_on < $1::date and ${IS_IN_NO_JUMP}
      order by n.alerted_on nulls first, n.merchant_id, n.alert_endpoint_id limit $2)
   ) d limit $2`,
);

/**
 * Null: every endpoint was notified of its day, by the real day (`$1`) or by its merchant's clock that runs
 * ahead.
 */
export const ALERTS_DUE = statement(
  'notices.due',
  `select case when exists (
       select from webhook_endpoints n
       where n.kind = 'alerts' and n.state = 'active' and n.alerted_on is null and ${IS_IN_NO_JUMP})
     or exists (
       select from webhook_endpoints n
       where n.kind = 'alerts' and n.state = 'active' and n.alerted_on < $1::date and ${IS_IN_NO_JUMP})
     or exists (
       select from merchant_clocks c cross join lateral (
         select from webhook_endpoints m
         where m.merchant_id = c.merchant_id and m.kind = 'alerts' and m.state = 'active' and m.alerted_on <
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
  return (await database.query(FIND_DUE, [today, limit])).map(ENDPOINT.parse);
}

const AHEAD = rowCodec({
  merchantId: column.text('c.merchant_id'),
  alertedOn: column.day('min(n.alerted_on)'),
});

/**
 * Homologation has few moved clocks, production none: whose day has come is for the rules of the
 * zone to say.
 */
const LIST_AHEAD = statement(
  'notices.list_ahead',
  `select ${AHEAD.columns}
   from (
     select merchant_id from merchant_clocks where shift_milliseconds > 0 and target_at is null
       order by merchant_id
   ) c cross join lateral (
     select m.alerted_on from webhook_endpoints m
     where m.merchant_id = c.merchant_id and m.kind = 'alerts' and m.state = 'active' order by m.alert_endpoint_id limit $1
   ) n
   where n.alerted_on is not null
   group by c.merchant_id`,
);

/**
 * Merchants whose clocks run ahead, and the earliest of the days up to which one of their endpoints
 * was notified.
 */
export async function listMerchantsAhead(database: Database): Promise<RowOf<typeof AHEAD>[]> {
  return (await database.query(LIST_AHEAD, [MOST_ACTIVE_ALERT_ENDPOINTS])).map(AHEAD.parse);
}

const FIND_DUE_OF_MERCHANT = statement(
  'notices.find_due_of_merchant',
  `select ${ENDPOINT.columns} from webhook_endpoints n
   where n.merchant_id = $1 and n.kind = 'alerts' and n.state = 'active'
     and coalesce(n.alerted_on, '-infinity'::date) < $2::date
   order by n.alert_endpoint_id limit $3`,
);

/** A merchant's alert endpoints not yet notified of its business day. */
export async function findDueAlertEndpointsOf(
  database: Database,
  merchantId: string,
  today: Day,
): Promise<DueAlertEndpoint[]> {
  const values = [merchantId, today, MOST_ACTIVE_ALERT_ENDPOINTS];
  return (await database.query(FIND_DUE_OF_MERCHANT, values)).map(ENDPOINT.parse);
}

const LOCKED = rowCodec({ server: column.text(), url: column.text() }, 'n');

/**
 * Not notified of this day by another process, and locked by none. With `= 'active'` the planner
 * could take the index of due ones, and walk it whole.
 */
const LOCK_ALERT_ENDPOINT = statement(
  'notices.lock_alert_endpoint',
  `select ${LOCKED.columns} from webhook_endpoints n
   where n.merchant_id = $1 and n.endpoint = 'alerts:' || $2::text and n.state <> 'removed'
     and coalesce(n.alerted_on, '-infinity'::date) < $3::date
   for no key update skip locked`,
);

/** Null: it is not active, it was notified of the day already, or another process has it. */
export async function lockAlertEndpoint(
  tx: Tx,
  { merchantId, alertEndpointId }: AlertEndpointKey,
  today: Day,
): Promise<RowOf<typeof LOCKED> | null> {
  const [row] = await tx.query(LOCK_ALERT_ENDPOINT, [merchantId, alertEndpointId, today]);
  return row === undefined ? null : LOCKED.parse(row);
}

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

const CARD = rowCodec(
  {
    place: column.whole(),
    vaultId: column.text(),
    brand: column.oneOf(CARD_BRANDS),
    lastFour: column.text(),
    lastDay: column.day(),
    subscriptionId: column.nullable(column.text('s.subscription_id')),
    accountNumber: column.nullable(column.text('s.account_number')),
  },
  'v',
);

/**
 * The next cards of some months (`$3`–`$5`) from a place on (`$6`, `$7`), that one included, in the
 * order of their index, each with the active subscriptions of which `$2` was not notified; a row
 * without one says how far the search went.
 */
const LOOK = statement(
  'notices.look_at_cards',
  `select ${CARD.columns}
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

const ALERTS = inputRows<ExpiringCard & { readonly accountNumber: string }>(
  {
    subscription_id: ['uuid', (card) => card.subscriptionId],
    vault_id: ['uuid', (card) => card.vaultId],
    account_number: ['text', (card) => card.accountNumber],
    body: ['text', expiryAlert],
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
  wanted: ExpiriesToAlert,
  from: CardPlace,
  limit: number,
): Promise<AlertedBatch | null> {
  const { merchantId, alertEndpointId, moment, day: today, months } = wanted;
  const key = [merchantId, alertEndpointId];
  return database.transaction(async (tx) => {
    const notifier = await lockAlertEndpoint(tx, wanted, today);
    if (notifier === null) return null;
    const place = [from.month, from.vaultId];
    const looked = (await tx.query(LOOK, [...key, ...MONTHS.values(months), ...place, limit])).map(
      CARD.parse,
    );
    const cards = looked.flatMap(({ subscriptionId, accountNumber, ...card }) =>
      subscriptionId === null || accountNumber === null ? [] : [{ ...card, subscriptionId, accountNumber }],
    );
    const sent = [utcText(moment), notifier.server, notifier.url];
    await tx.query(TELL, [...key, ...sent, ...ALERTS.values(cards)]);
    const last = looked[limit - 1];
    const next = last === undefined ? null : { month: last.place, vaultId: last.vaultId };
    return { alerted: cards.length, next };
  });
}

const MONTHS_ALERTED = inputRows<CardMonth>(
  { ...MONTH_COLUMNS, alerted_from: ['date', (month) => month.alertedFrom] },
  { as: 'm', after: 1, place: 'place' },
);

/** Of what must be notified of first. */
export const EARLIEST_DAY = rowCodec({ dueOn: column.nullable(column.day('min(d.due_on)')) });

/**
 * For each active alert endpoint the first month with a card of which it was not notified, and the
 * day on which it will be: when the cards of that month come within reach, or the day after it was
 * last notified where one came later.
 */
const EARLIEST = statement(
  'notices.earliest_of_merchant',
  `select ${EARLIEST_DAY.columns}
   from (
     select n.alert_endpoint_id, n.alerted_on from webhook_endpoints n
     where n.merchant_id = $1 and n.kind = 'alerts' and n.state = 'active' and 'cardExpiring' = any (n.events)
     order by n.alert_endpoint_id limit $6
   ) n cross join lateral (
     select greatest(m.alerted_from, n.alerted_on + 1) as due_on
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
     where coalesce(n.alerted_on, '-infinity'::date) < m.last_day
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
  return EARLIEST_DAY.parse(row as Row).dueOn;
}
