import { type Database, type Row, statement, type Tx } from '../../platform/postgres/database.ts';
import { type InputColumns, inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { CARD_BRANDS } from '../../values/card-number.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import { ENQUEUE_DELIVERIES } from '../../webhooks/deliveries/to-send.sql.ts';
import { ALERT_EVENTS, type CardMonth, type ExpiringCard, expiryAlert } from './alert.ts';
import { MOST_ACTIVE_ALERT_ENDPOINTS } from './alert-endpoint.ts';

/*
 * Alerts of a charge or of a subscription's state are written by the statement that makes the change. That
 * statement contains `ENQUEUE_ALERTS` and a CTE `notices`, one row per alert: merchant_id, event, notice_of
 * (uuid of the billing or subscription), account_number, body (text) and moment (timestamptz, business time).
 */

/**
 * CTE `enqueued_alerts`: writes a delivery for each active alert endpoint of the merchant that asks for the
 * event. It copies URL and server, so that removing the endpoint does not affect the delivery. A server gets
 * the alerts of one billing or subscription in order. The deliveries have no lease: the background work sends
 * them. No endpoint row is locked, or every charge of a merchant would wait there.
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

/** A column of that statement. If it is true, the deliverer must be notified after the commit. */
export const NOTICE_WAITS = `exists (select from enqueued_alerts) as notice_waits`;

const ENDPOINT = rowCodec(
  {
    merchantId: column.text(),
    alertEndpointId: column.text(),
    events: column.listOf(column.oneOf(ALERT_EVENTS)),
  },
  'n',
);

export type DueAlertEndpoint = RowOf<typeof ENDPOINT>;
export type AlertEndpointKey = Omit<DueAlertEndpoint, 'events'>;

/**
 * The merchant of alert endpoint `n` has no clock in a jump. Not a join: its plan, made once on small tables,
 * may later read all rows.
 */
const IS_IN_NO_JUMP =
  '(select c.target_at from merchant_clocks c where c.merchant_id = n.merchant_id limit 1) is null';

/**
 * Every active endpoint is due once a day, so that one index finds the due ones: never alerted first, then
 * those alerted longest ago. `$1`: the real day. Endpoints of merchants whose clock runs ahead are due by the
 * real day too. While a clock jumps, only the jump alerts.
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
 * 0 milliseconds if an endpoint is due by the real day (`$1`) or by a merchant's clock that runs ahead; null:
 * every endpoint was alerted.
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

/** Finds endpoints that are due by a real day, of all merchants whose clock is not in a jump. */
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
 * Reads all merchants whose clock runs ahead: few in homologation, none in production. The caller decides
 * whose day has come.
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

/** Merchants whose clocks run ahead, each with the earliest day for which an endpoint was alerted. */
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
 * The state is not compared by `=`: the planner could choose the index of due endpoints and read all of it.
 */
const LOCK_ALERT_ENDPOINT = statement(
  'notices.lock_alert_endpoint',
  `select ${LOCKED.columns} from webhook_endpoints n
   where n.merchant_id = $1 and n.endpoint = 'alerts:' || $2::text and n.state <> 'removed'
     and coalesce(n.alerted_on, '-infinity'::date) < $3::date
   for no key update skip locked`,
);

/** null if the endpoint is not active, was alerted for the day, or another process has it. */
export async function lockAlertEndpoint(
  tx: Tx,
  { merchantId, alertEndpointId }: AlertEndpointKey,
  today: Day,
): Promise<RowOf<typeof LOCKED> | null> {
  return firstOf(await tx.query(LOCK_ALERT_ENDPOINT, [merchantId, alertEndpointId, today]), LOCKED.parse);
}

/**
 * Active subscriptions paid by card `v`. `vault_id` is compared by a range: for an equality, a plan made on a
 * small table would read all subscriptions of the merchant.
 */
const OF_CARD = `s.merchant_id = $1 and s.vault_id between v.vault_id and v.vault_id and s.reason is null`;

const MONTH_COLUMNS = {
  ...own({ year: 'text', month: 'text', lastDay: 'date' }),
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
 * The next cards of some months (`$3`–`$5`) in index order, from a position on (`$6`, `$7`, included), each
 * with the active subscriptions for which endpoint `$2` was not alerted. A row without a subscription shows
 * how far the search came.
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
    ...own({ subscriptionId: 'uuid', vaultId: 'uuid', accountNumber: 'text' }),
    body: ['text', expiryAlert],
  },
  { after: 5 },
);

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

/** Where a search of the cards begins: the month, counted from 1, and the card. */
export type CardPlace = { readonly month: number; readonly vaultId: string };

export const FIRST_CARD: CardPlace = { month: 1, vaultId: '00000000-0000-0000-0000-000000000000' };

export type ExpiriesToAlert = AlertEndpointKey & {
  /** Business time and day of the merchant. */
  readonly moment: Instant;
  readonly day: Day;
  readonly months: readonly CardMonth[];
};

/** `next`: where to continue; null if all cards were read. */
export type AlertedBatch = { readonly alerted: number; readonly next: CardPlace | null };

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

export const EARLIEST_DAY = rowCodec({ dueOn: column.nullable(column.day('min(d.due_on)')) });

/**
 * The day of the next alert: when cards of the first month with a card to be alerted about come within reach,
 * or the day after the endpoint was last alerted, whichever is later.
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

/** The merchant's day of the next alert about a card, possibly past; null: there is none to send. */
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
