import { MOST_COUNTED_OF_ALL } from '../../platform/pages.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';
import { inputRows, own } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import { ENDPOINT_MOVES } from '../endpoints/webhook-endpoint.ts';
import { HELD_AFTER_MILLISECONDS, OPEN_MILLISECONDS, QUIET_MILLISECONDS } from './breaker.ts';
import { IS_STILL_WAITING } from './claims.sql.ts';
import type { DeliveryToSend } from './delivery.ts';

/**
 * The endpoint of a try, with the registration that was tried. If there is a newer one, nothing is changed.
 */
export type EndpointTried = Pick<DeliveryToSend, 'merchantId' | 'endpoint' | 'registration'>;

const BUSINESS_NOW = `select now() + coalesce(
       (select shift_milliseconds from merchant_clocks where merchant_id = $1), 0) * interval '1 millisecond' as business_now`;

/** How often the breaker opened in a row. The count starts again after `$9` milliseconds without a change. */
const EARLIER_OPENINGS = `case when e.changed_at > now() - $9 * interval '1 millisecond' then least(e.openings, 1000) else 0 end`;

/**
 * Only the webhook of an account is disabled, because it can be enabled again. A callback server has only its
 * breaker.
 */
const CAN_BE_DISABLED = `e.endpoint like 'account:%'`;

const FAILED = rowCodec(
  {
    isDisabled: column.boolean("e.state = 'disabled'"),
    openings: column.whole(),
    openMilliseconds: column.nullable(
      column.real('(extract(epoch from e.opened_until - k.business_now) * 1000)::float8'),
    ),
  },
  'e',
);

export type FailedEndpoint = RowOf<typeof FAILED>;

const FAIL = statement(
  'webhooks.fail_endpoint',
  `with clock as (${BUSINESS_NOW})
   update webhook_endpoints e set
     failing_since = coalesce(e.failing_since, k.business_now),
     state = case when ${CAN_BE_DISABLED} and e.failing_since <= k.business_now - $8 * interval '1 millisecond' then 'disabled'
       else e.state end,
     openings = ${EARLIER_OPENINGS} + $4::boolean::integer,
     opened_until = case when $4 then k.business_now + interval '1 millisecond'
       * greatest(($7::integer[])[least(${EARLIER_OPENINGS} + 1, cardinality($7::integer[]))], $6::integer)
       else e.opened_until end,
     changed_at = now()
   from clock k
   where e.merchant_id = $1 and e.endpoint = $2 and e.registration = $3
     and e.state in (${fromStates(ENDPOINT_MOVES, 'disable')})
     and (case when $4 then (e.opened_until is not null) = $5
       else e.failing_since is null
         or (${CAN_BE_DISABLED} and e.failing_since <= k.business_now - $8 * interval '1 millisecond') end)
   returning ${FAILED.columns}`,
);

export type EndpointFailure = {
  readonly opens: boolean;
  readonly isProbe: boolean;
  /** From `Retry-After`; 0: the endpoint asked for no pause. */
  readonly askedMilliseconds: number;
};

/**
 * Marks an endpoint as failing, opens its breaker if `opens`, and disables it after five days without a
 * success. null: nothing changed, because another process came first.
 */
export async function failEndpoint(
  database: Database,
  { merchantId, endpoint, registration }: EndpointTried,
  { opens, isProbe, askedMilliseconds }: EndpointFailure,
): Promise<FailedEndpoint | null> {
  const [row] = await database.query(FAIL, [
    merchantId,
    endpoint,
    registration,
    opens,
    isProbe,
    askedMilliseconds,
    OPEN_MILLISECONDS,
    HELD_AFTER_MILLISECONDS,
    QUIET_MILLISECONDS,
  ]);
  return row === undefined ? null : FAILED.parse(row);
}

const RETURN = statement(
  'webhooks.enable_endpoint',
  `with clock as (${BUSINESS_NOW})
   update webhook_endpoints e set failing_since = null, opened_until = null, returned_at = k.business_now, changed_at = now()
   from clock k
   where e.merchant_id = $1 and e.endpoint = $2 and e.registration = $3 and e.state = 'active'
     and (e.failing_since is not null or e.opened_until is not null)
   returning e.endpoint`,
);

/** Ends the failing of an endpoint, so that postponed deliveries become due. False if it was not failing. */
export async function enableEndpoint(database: Database, tried: EndpointTried): Promise<boolean> {
  const { merchantId, endpoint, registration } = tried;
  return (await database.query(RETURN, [merchantId, endpoint, registration])).length === 1;
}

const HOLD = statement(
  'webhooks.disable_endpoint',
  `update webhook_endpoints e set state = 'disabled', changed_at = now()
   where e.merchant_id = $1 and e.endpoint = $2 and e.registration = $3
     and e.state in (${fromStates(ENDPOINT_MOVES, 'disable')}) and ${CAN_BE_DISABLED}
   returning e.endpoint`,
);

/**
 * Until a good test or a new registration nothing is sent there. False if it was disabled or replaced before.
 */
export async function disableEndpoint(database: Database, tried: EndpointTried): Promise<boolean> {
  const { merchantId, endpoint, registration } = tried;
  return (await database.query(HOLD, [merchantId, endpoint, registration])).length === 1;
}

const WAITING = rowCodec({
  waiting: column.whole('count(*)'),
  /** Seconds; 0: nothing waits. */
  oldestAge: column.real('coalesce(extract(epoch from now() - min(created_at)), 0)::float8'),
});

const COUNT_WAITING = statement(
  'deliveries.count_waiting',
  `select ${WAITING.columns} from (
     select created_at from deliveries where state = 'waiting' order by merchant_id, endpoint, due_at limit $1) as waiting`,
);

const LAG = rowCodec({
  /** Seconds by which a delivery that could be sent is late; 0: none is. */
  lag: column.real('coalesce(max(extract(epoch from now() - d.due_at)), 0)::float8'),
});

/** Looks at endpoints that accept deliveries only: a delay by a merchant's own system does not count. */
const FIND_LAG = statement(
  'deliveries.find_lag',
  `select ${LAG.columns} from (
     select merchant_id, endpoint from webhook_endpoints where state = 'active' and opened_until is null
     order by merchant_id, endpoint limit $1
   ) e cross join lateral (
     select due_at from deliveries where merchant_id = e.merchant_id and endpoint = e.endpoint
       and state = 'waiting' and due_at <= now() order by due_at limit 1
   ) d`,
);

const ENDPOINTS = rowCodec({
  working: column.whole("count(*) filter (where state = 'active' and opened_until is null)"),
  open: column.whole("count(*) filter (where state = 'active' and opened_until is not null)"),
  held: column.whole("count(*) filter (where state = 'disabled')"),
});

const COUNT_ENDPOINTS = statement(
  'webhooks.count_endpoints',
  `select ${ENDPOINTS.columns}
   from (
     select state, opened_until from webhook_endpoints where server is null order by merchant_id, endpoint limit $1
   ) as endpoints`,
);

export type DeliveryCounts = RowOf<typeof WAITING> &
  RowOf<typeof LAG> & { readonly endpoints: RowOf<typeof ENDPOINTS> };

export async function countDeliveries(database: Database): Promise<DeliveryCounts> {
  const [waiting] = await database.query(COUNT_WAITING, [MOST_COUNTED_OF_ALL]);
  const [lag] = await database.query(FIND_LAG, [MOST_COUNTED_OF_ALL]);
  const [endpoints] = await database.query(COUNT_ENDPOINTS, [MOST_COUNTED_OF_ALL]);
  return {
    ...WAITING.parse(waiting as Row),
    ...LAG.parse(lag as Row),
    endpoints: ENDPOINTS.parse(endpoints as Row),
  };
}

const TO_RELEASE = inputRows<Pick<DeliveryToSend, 'merchantId' | 'deliveryNumber' | 'fence'>>({
  ...own({ merchantId: 'text', deliveryNumber: 'bigint', fence: 'integer' }),
});

const RELEASE = statement(
  'deliveries.release_leases',
  `with held as materialized (
     select d.merchant_id, d.delivery_number
     from ${TO_RELEASE.sql}
     join deliveries d on d.merchant_id = i.merchant_id and d.delivery_number = i.delivery_number
     where ${IS_STILL_WAITING} and d.fence = i.fence
     order by d.merchant_id, d.delivery_number
     for no key update of d skip locked
   )
   update deliveries d set lease_expires_at = null from held h
   where d.merchant_id = h.merchant_id and d.delivery_number = h.delivery_number`,
);

/**
 * Ends the leases of deliveries that this process does not send. One that was claimed again keeps its lease.
 */
export async function releaseDeliveries(
  database: Database,
  deliveries: readonly Pick<DeliveryToSend, 'merchantId' | 'deliveryNumber' | 'fence'>[],
): Promise<void> {
  await database.query(RELEASE, TO_RELEASE.values(deliveries));
}
