import { type Database, type Statement, statement } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, onlyOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Instant } from '../../values/instant.ts';
import type { DeliveryToSend } from './delivery.ts';
import { parseDeliveryToSend, SENDING, SENDING_JOINS, WAITS_IN_ORDER } from './to-send.sql.ts';

export type Place = { readonly merchantId: string; readonly endpoint: string };

export const ROUND_START: Place = { merchantId: '', endpoint: '' };

export type ClaimedDelivery = DeliveryToSend & {
  readonly isProbe: boolean;
  /** Sent before its time: as a probe, or because its endpoint has returned. */
  readonly isAhead: boolean;
};

export type ClaimRequest = {
  readonly after: Place;
  /** How many deliveries are claimed at most, and how many of them may be probes of open breakers. */
  readonly limit: number;
  readonly probes: number;
  readonly perEndpoint: number;
  readonly busy: readonly (Place & { readonly underWay: number })[];
  /** Deliveries under way. Without this limit a merchant with many hanging servers would take every slot. */
  readonly perMerchant: number;
  readonly busyMerchants: readonly { readonly merchantId: string; readonly underWay: number }[];
  readonly leaseMilliseconds: number;
  /** Whether the probe of an open breaker may be a delivery that is not due yet. */
  readonly probesAhead: boolean;
};

export type ClaimedPage = {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly next: Place;
  readonly isEnd: boolean;
};

export const ENDPOINTS_A_PAGE = 200;

/**
 * The next endpoints with waiting deliveries: one index step for each, however many it has. `$1`, `$2`: the
 * place before the page; `$3`: page size.
 */
const PAGE_OF_ALL = `with recursive page as (
     select * from (
       select d.merchant_id, d.endpoint, 1 as position from deliveries d
       where d.state = 'waiting' and (d.merchant_id, d.endpoint) > ($1::text, $2::text)
       order by d.merchant_id, d.endpoint limit 1) f
     union all
     select n.merchant_id, n.endpoint, p.position + 1 from page p, lateral (
       select d.merchant_id, d.endpoint from deliveries d
       where d.state = 'waiting' and (d.merchant_id, d.endpoint) > (p.merchant_id, p.endpoint)
       order by d.merchant_id, d.endpoint limit 1) n
     where p.position < $3
   )`;

const PAGE_OF_MERCHANT = `with recursive page as (
     select * from (
       select d.merchant_id, d.endpoint, 1 as position from deliveries d
       where d.state = 'waiting' and d.merchant_id = $1 and d.endpoint > $2
       order by d.endpoint limit 1) f
     union all
     select p.merchant_id, n.endpoint, p.position + 1 from page p, lateral (
       select d.endpoint from deliveries d
       where d.state = 'waiting' and d.merchant_id = p.merchant_id and d.endpoint > p.endpoint
       order by d.endpoint limit 1) n
     where p.position < $3
   )`;

const GIVEN = inputRows<Place>(
  {
    merchant_id: ['text', (place) => place.merchantId],
    endpoint: ['text', (place) => place.endpoint],
  },
  { place: 'position' },
);

const PAGE_OF_GIVEN = `with page as (
     select i.merchant_id, i.endpoint, i.position::integer as position
     from ${GIVEN.sql} limit $3
   )`;

const BUSY = inputRows<ClaimRequest['busy'][number]>(
  {
    ...own({ merchantId: 'text', endpoint: 'text', underWay: 'integer' }),
  },
  { as: 'u', after: 4 },
);

const BUSY_MERCHANTS = inputRows<ClaimRequest['busyMerchants'][number]>(
  {
    merchant_id: ['text', (one) => one.merchantId],
    under_way: ['integer', (one) => one.underWay],
  },
  { as: 'm', after: 8 },
);

/**
 * Endpoints of a page that may receive now: active, with a slot free, and a breaker closed or its opening
 * over. `$4`: slots per endpoint; `$5`–`$7`: deliveries under way by endpoint; `$8`: slots per merchant;
 * `$9`, `$10`: under way by merchant. A failing endpoint gets two slots, because a hanging request takes
 * fifteen seconds.
 */
const ALLOWED = `allowed as materialized (
     select p.merchant_id, p.endpoint, p.position, e.opened_until, e.returned_at, t.business_now, c.target_at,
       case when e.opened_until is not null then 1 when e.failing_since is not null then 2 else $4 end
         - t.under_way as free_slots, $8 - t.of_merchant as free_slots_of_merchant
     from page p
     join lateral (
       select * from webhook_endpoints where merchant_id = p.merchant_id and endpoint = p.endpoint limit 1) e on true
     left join lateral (
       select shift_milliseconds, target_at from merchant_clocks where merchant_id = p.merchant_id limit 1) c on true
     left join ${BUSY.sql}
       on u.merchant_id = p.merchant_id and u.endpoint = p.endpoint
     left join ${BUSY_MERCHANTS.sql} on m.merchant_id = p.merchant_id
     cross join lateral (
       select now() + coalesce(c.shift_milliseconds, 0) * interval '1 millisecond' as business_now,
         coalesce(u.under_way, 0) as under_way, coalesce(m.under_way, 0) as of_merchant) t
     where e.state = 'active' and t.under_way < $4 and t.of_merchant < $8
       and (e.opened_until is null or (e.opened_until <= t.business_now and t.under_way = 0))
   )`;

const OF_ENDPOINT = `d.merchant_id = a.merchant_id and d.endpoint = a.endpoint and d.state = 'waiting'`;
/**
 * Worded so that the planner cannot use an index of waiting rows, by which it would read all that wait for a
 * merchant.
 */
export const IS_STILL_WAITING = 'd.ended_at is null';
const IS_FREE = '(d.lease_expires_at is null or d.lease_expires_at <= now())';

/**
 * `$11`: true in the ordinary round, which sends nothing of a merchant whose test clock jumps: only the jump
 * does. From each endpoint: the first sixteen due (turn 1), sixteen postponed before the endpoint returned
 * (2), or one as the probe of its open breaker (3). With each comes the delivery of the same transaction and
 * installment that waits before it and blocks it.
 */
const LOOKED_AT = `looked_at as materialized (
     select a.merchant_id, a.endpoint, a.position, a.free_slots, a.free_slots_of_merchant, a.business_now, a.opened_until, w.delivery_number, w.due_at, w.turn,
       b.delivery_number is not null as is_blocked, b.due_at as earlier_due_at
     from allowed a
     cross join lateral (
       (select d.delivery_number, d.transaction_id, d.installment_number, d.due_at, 1 as turn from deliveries d
        where ${OF_ENDPOINT} and d.due_at <= a.business_now and ${IS_FREE}
        order by d.due_at limit 16)
       union all
       (select d.delivery_number, d.transaction_id, d.installment_number, d.due_at, 2 as turn from deliveries d
        where a.returned_at is not null and ${OF_ENDPOINT} and d.due_at > a.business_now
          and d.scheduled_at <= a.returned_at and ${IS_FREE}
        order by d.due_at limit 16)
       union all
       (select d.delivery_number, d.transaction_id, d.installment_number, d.due_at, 3 as turn from deliveries d
        where $11 and a.opened_until is not null and ${OF_ENDPOINT} and d.due_at > a.business_now and ${IS_FREE}
        order by d.due_at limit 1)
     ) w
     left join lateral (
       select e.delivery_number, e.due_at from deliveries e
       where e.merchant_id = a.merchant_id and e.endpoint = a.endpoint and ${WAITS_IN_ORDER}
         and e.transaction_id = w.transaction_id and e.installment_number = w.installment_number
         and e.delivery_number + 0 < w.delivery_number
       order by e.delivery_number + 0 desc limit 1
     ) b on true
     where a.target_at is null or not $11
   )`;

/**
 * The first delivery of each endpoint, then the second of each: none takes every slot. `$12`: deliveries at
 * most; `$13`: probes.
 */
const CHOSEN = `ranked as (
     select l.*, row_number() over (partition by l.position order by l.turn, l.due_at) as rank
     from looked_at l where not l.is_blocked
   ), counted as (
     select r.*, row_number() over (partition by r.opened_until is not null order by r.rank, r.position) as nth,
       row_number() over (partition by r.merchant_id order by r.rank, r.position) as nth_of_merchant
     from ranked r where r.rank <= r.free_slots
   ), chosen as materialized (
     select * from counted
     where (opened_until is null or nth <= $13) and nth_of_merchant <= free_slots_of_merchant order by rank, position limit $12
   )`;

/**
 * Leases the chosen rows for `$14` milliseconds. Only the process that moves the end of an open breaker sends
 * its probe. A blocked row becomes due after the row that it waits for, so that it is not read again and
 * again. `returned_at` is cleared when no postponed delivery is left. `skip locked` leaves locked rows for
 * later: no waiting here, and no deadlock between two claims.
 */
const HELD = `probed as materialized (
     select e.merchant_id, e.endpoint, c.business_now
     from chosen c join webhook_endpoints e on e.merchant_id = c.merchant_id and e.endpoint = c.endpoint
     where c.opened_until is not null and e.opened_until = c.opened_until
       and e.state = 'active'
     for no key update of e skip locked
   ), probes as (
     update webhook_endpoints e set opened_until = c.business_now + $14 * interval '1 millisecond'
     from probed c
     where e.merchant_id = c.merchant_id and e.endpoint = c.endpoint
     returning e.merchant_id, e.endpoint
   ), locked as materialized (
     select d.merchant_id, d.delivery_number, c.position, c.rank, c.turn, c.opened_until is not null as is_probe
     from chosen c left join probes p on p.merchant_id = c.merchant_id and p.endpoint = c.endpoint
       join deliveries d on d.merchant_id = c.merchant_id and d.delivery_number = c.delivery_number
     where (c.opened_until is null or p.endpoint is not null) and ${IS_STILL_WAITING} and ${IS_FREE}
     order by d.merchant_id, d.delivery_number
     for no key update of d skip locked
   ), claimed as (
     update deliveries d set fence = d.fence + 1, lease_expires_at = now() + $14 * interval '1 millisecond'
     from locked l
     where d.merchant_id = l.merchant_id and d.delivery_number = l.delivery_number
     returning d.*, l.position, l.rank, l.is_probe, l.turn > 1 as is_ahead
   ), movable as materialized (
     select d.merchant_id, d.delivery_number, l.business_now, greatest(d.due_at,
       l.earlier_due_at + interval '1 millisecond', l.business_now + interval '1 second') as later
     from looked_at l join deliveries d on d.merchant_id = l.merchant_id and d.delivery_number = l.delivery_number
     where l.is_blocked and ${IS_STILL_WAITING} and ${IS_FREE}
     for no key update of d skip locked
   ), moved as (
     update deliveries d set due_at = m.later, scheduled_at = m.business_now
     from movable m
     where d.merchant_id = m.merchant_id and d.delivery_number = m.delivery_number
   ), over as materialized (
     select e.merchant_id, e.endpoint
     from allowed a join webhook_endpoints e on e.merchant_id = a.merchant_id and e.endpoint = a.endpoint
     where a.returned_at is not null and a.opened_until is null and e.returned_at = a.returned_at
       and not exists (select from looked_at l where l.position = a.position and l.turn = 2)
       and not exists (select from deliveries d
         where ${OF_ENDPOINT} and d.due_at > a.business_now and d.scheduled_at <= a.returned_at)
     for no key update of e skip locked
   ), ended_returns as (
     update webhook_endpoints e set returned_at = null
     from over o where e.merchant_id = o.merchant_id and e.endpoint = o.endpoint
   )`;

const PAGE_END = rowCodec({
  lastMerchantId: column.text('z.merchant_id'),
  lastEndpoint: column.text('z.endpoint'),
  lastPosition: column.whole('z.position'),
});
const TURN = rowCodec(
  { isProbe: column.boolean(), isAhead: column.boolean(), position: column.whole(), rank: column.whole() },
  'd',
);

const CLAIMED = `${ALLOWED}, ${LOOKED_AT}, ${CHOSEN}, ${HELD}
   select ${PAGE_END.columns}, x.*
   from (select * from page order by position desc limit 1) z left join lateral (
     select ${SENDING.columns}, ${TURN.columns}
     from claimed d ${SENDING_JOINS}
   ) x on true`;

const CLAIM = statement('deliveries.claim_due', `${PAGE_OF_ALL}, ${CLAIMED}`);
const CLAIM_AT = statement('deliveries.claim_due_at', `${PAGE_OF_GIVEN}, ${CLAIMED}`);
const CLAIM_OF_MERCHANT = statement('deliveries.claim_due_of_merchant', `${PAGE_OF_MERCHANT}, ${CLAIMED}`);

/**
 * Claims due deliveries of all merchants at a page of endpoints, and raises their fences. A delivery is not
 * claimed while an earlier one of the same transaction and installment waits. Business time decides what is
 * due, real time whether a lease has ended.
 */
export function claimDueDeliveries(database: Database, request: ClaimRequest): Promise<ClaimedPage> {
  return claim(database, CLAIM, request);
}

export function claimDueDeliveriesOf(database: Database, request: ClaimRequest): Promise<ClaimedPage> {
  return claim(database, CLAIM_OF_MERCHANT, request);
}

export function claimDueDeliveriesAt(
  database: Database,
  places: readonly Place[],
  request: Omit<ClaimRequest, 'after'>,
): Promise<ClaimedPage> {
  return claim(database, CLAIM_AT, { ...request, after: ROUND_START }, GIVEN.values(places));
}

async function claim(
  database: Database,
  statement: Statement,
  request: ClaimRequest,
  page: readonly unknown[] = [request.after.merchantId, request.after.endpoint],
): Promise<ClaimedPage> {
  const rows = await database.query(statement, [
    ...page,
    ...pageValues(request),
    request.probesAhead,
    request.limit,
    request.probes,
    request.leaseMilliseconds,
  ]);
  const [first] = rows;
  if (first === undefined) return { deliveries: [], next: request.after, isEnd: true };
  const { lastMerchantId, lastEndpoint, lastPosition } = PAGE_END.parse(first);
  const deliveries = rows
    .filter((row) => row.delivery_number !== null)
    .map((row) => ({ ...parseDeliveryToSend(row), ...TURN.parse(row) }));
  if (deliveries.length === request.limit) return { deliveries, next: lastServed(deliveries), isEnd: false };
  const next = { merchantId: lastMerchantId, endpoint: lastEndpoint };
  return { deliveries, next, isEnd: lastPosition < ENDPOINTS_A_PAGE };
}

type Limits = Pick<ClaimRequest, 'perEndpoint' | 'busy' | 'perMerchant' | 'busyMerchants'>;

function pageValues({ perEndpoint, busy, perMerchant, busyMerchants }: Limits): unknown[] {
  return [
    ENDPOINTS_A_PAGE,
    perEndpoint,
    ...BUSY.values(busy),
    perMerchant,
    ...BUSY_MERCHANTS.values(busyMerchants),
  ];
}

/** If the limit was reached, the next page begins after the last endpoint with a claimed delivery. */
function lastServed(deliveries: readonly (Place & RowOf<typeof TURN>)[]): Place {
  const firsts = deliveries.filter(({ rank }) => rank === 1);
  const { merchantId, endpoint } = (firsts.length > 0 ? firsts : deliveries).reduce((one, other) =>
    other.position > one.position ? other : one,
  );
  return { merchantId, endpoint };
}

/**
 * Milliseconds until the first page has something to send: 0 for a probe or a postponed delivery, and if
 * there are later pages.
 */
export const EARLIEST_DELIVERY = statement(
  'deliveries.earliest_due',
  `${PAGE_OF_ALL}, ${ALLOWED}
   select case when (select max(position) from page) >= $3 then 0 else (
     select (extract(epoch from min(case
       when a.opened_until is null and a.returned_at is null then w.due_at - a.business_now
       else interval '0' end)) * 1000)::float8
     from allowed a cross join lateral (
       select d.due_at from deliveries d where ${OF_ENDPOINT} and ${IS_FREE} order by d.due_at limit 1) w
     where a.free_slots > 0 and a.target_at is null) end as milliseconds`,
);

export function earliestDeliveryValues(limits: Limits): readonly unknown[] {
  return [ROUND_START.merchantId, ROUND_START.endpoint, ...pageValues(limits)];
}

/** Rounded up from microseconds, so that a clock set to this result finds the delivery due. */
const EARLIEST_OF_MERCHANT = statement(
  'deliveries.earliest_due_of_merchant',
  `select date_trunc('milliseconds', min(greatest(w.due_at, e.opened_until)) + interval '1 millisecond' - interval '1 microsecond') as due_at
   from webhook_endpoints e cross join lateral (
     select d.due_at from deliveries d
     where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting'
     order by d.due_at limit 1) w
   where e.merchant_id = $1 and e.state = 'active'`,
);

const DUE = rowCodec({ dueAt: column.nullable(column.instant()) });

/** When a merchant's next delivery is due in business time, one being sent included; null: nothing waits. */
export async function findEarliestDueOf(database: Database, merchantId: string): Promise<Instant | null> {
  return onlyOf(await database.query(EARLIEST_OF_MERCHANT, [merchantId]), DUE.parse).dueAt;
}
