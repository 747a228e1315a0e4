import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromStates } from '../../platform/postgres/state-table.ts';
import type { Day } from '../../values/instant.ts';
import { DELIVERY_MOVES } from '../deliveries/delivery.ts';
import { ENDPOINT_STATES, type EndpointKind, endpointOf } from './webhook-endpoint.ts';

const FOUND = rowCodec({ url: column.nullable(column.text()) }, 'e');

const FIND = statement(
  'webhooks.find_registration',
  `select ${FOUND.columns} from accounts a
   left join webhook_endpoints e on e.merchant_id = a.merchant_id and e.endpoint = $3 and e.state <> 'removed'
   where a.merchant_id = $1 and a.account_number = $2`,
);

/** `url` null: the account has no registration of this kind. Returns null if there is no such account. */
export async function findOfAccount(
  database: Reader,
  merchantId: string,
  kind: EndpointKind,
  accountNumber: string,
): Promise<{ readonly url: string | null } | null> {
  const [row] = await database.query(FIND, [merchantId, accountNumber, endpointOf(kind, accountNumber)]);
  return row === undefined ? null : FOUND.parse(row);
}

const GIVEN_UP = rowCodec({ dueAt: column.instant() }, 'c');

/**
 * A process that is sending one of them finds its fence outdated and records nothing. Locked rows are left
 * for a later call.
 */
const GIVE_UP = statement(
  'webhooks.give_up_of_removed',
  `with chosen as materialized (
     select d.merchant_id, d.delivery_number, d.due_at from deliveries d
     where d.merchant_id = $1 and d.endpoint = $2 and d.state in (${fromStates(DELIVERY_MOVES, 'giveUp')})
       and d.due_at >= $3::timestamptz and exists (select from webhook_endpoints e where e.merchant_id = $1 and e.endpoint = $2 and e.state = 'removed')
     order by d.due_at limit $4 for no key update of d skip locked
   )
   update deliveries d set state = 'givenUp', due_at = null, ended_at = now(), lease_expires_at = null, fence = d.fence + 1
   from chosen c where d.merchant_id = c.merchant_id and d.delivery_number = c.delivery_number
   returning ${GIVEN_UP.columns}`,
);

const BEFORE_ALL = '-infinity';

const REMOVED = rowCodec({ merchantId: column.text(), endpoint: column.text() }, 'e');

export type RemovedEndpoint = RowOf<typeof REMOVED>;

/** The inner `limit` keeps the planner from walking over the waiting deliveries of all other endpoints. */
const FIND_REMOVED = statement(
  'webhooks.find_removed_with_waiting',
  `select ${REMOVED.columns} from webhook_endpoints e
   cross join lateral (
     select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting' limit 1
   ) w
   where e.state = 'removed' and e.kind = 'webhook'
   order by e.merchant_id, e.endpoint limit $1`,
);

export async function findRemovedEndpoints(database: Database, limit: number): Promise<RemovedEndpoint[]> {
  return (await database.query(FIND_REMOVED, [limit])).map(REMOVED.parse);
}

/**
 * Gives up what waits for a removed endpoint. `from` and `last`: due times, in milliseconds of business time.
 * `from` null: begins with the first; `last` null: nothing was given up.
 */
export async function giveUpDeliveries(
  database: Database | Tx,
  { merchantId, endpoint }: RemovedEndpoint,
  from: number | null,
  limit: number,
): Promise<{ readonly count: number; readonly last: number | null }> {
  const since = from === null ? BEFORE_ALL : new Date(from).toISOString();
  const rows = await database.query(GIVE_UP, [merchantId, endpoint, since, limit]);
  const dueTimes = rows.map((row) => GIVEN_UP.parse(row).dueAt);
  return { count: rows.length, last: rows.length === 0 ? null : Math.max(...dueTimes) };
}

export type CallbackEndpoint = { readonly merchantId: string; readonly endpoint: string };

const ENDPOINTS = inputRows<CallbackEndpoint>({
  merchant_id: ['text', (row) => row.merchantId],
  endpoint: ['text', (row) => row.endpoint],
});

const INSERT_ENDPOINTS = `insert into webhook_endpoints (merchant_id, endpoint, created_by)
     select merchant_id, endpoint, 'system'`;
const IN_ORDER = `order by merchant_id, endpoint
     on conflict do nothing`;

const REMEMBER = statement(
  'webhooks.remember_callback_endpoints',
  `${INSERT_ENDPOINTS} from ${ENDPOINTS.sql} ${IN_ORDER}`,
);

/**
 * Reads the CTE `called_endpoints`. Not for a statement that writes many rows: two of them could deadlock.
 */
export const REMEMBER_ENDPOINTS = `remembered_endpoints as (
     ${INSERT_ENDPOINTS} from called_endpoints
     ${IN_ORDER}
   )`;

/** Writes the rows of callback servers; existing ones stay unchanged. */
export function callbackEndpointsWrite(database: Database): BatchedWriteOptions<CallbackEndpoint, true> {
  const key = ({ merchantId, endpoint }: CallbackEndpoint) => `${merchantId}|${endpoint}`;
  return {
    name: 'callbackEndpoints',
    isRefusal: () => false,
    key,
    merchant: ({ merchantId }) => merchantId,
    async write(rows) {
      await database.query(REMEMBER, ENDPOINTS.values(rows));
      return new Map(rows.map((row): [string, true] => [key(row), true]));
    },
  };
}

const ALERTED = statement(
  'webhooks.finish_alert_day',
  `update webhook_endpoints set alerted_on = $3::date
   where merchant_id = $1 and endpoint = 'alerts:' || $2::text
     and coalesce(alerted_on, '-infinity'::date) < $3::date`,
);

/** Records that the endpoint was alerted about everything of this day. */
export async function finishAlertDay(
  database: Database,
  { merchantId, alertEndpointId }: { readonly merchantId: string; readonly alertEndpointId: string },
  day: Day,
): Promise<void> {
  await database.query(ALERTED, [merchantId, alertEndpointId, day]);
}

const LATEST_ENDPOINT = rowCodec({ merchantId: column.text(), url: column.text() });

const LATEST = statement(
  'webhooks.list_latest_endpoints',
  `select ${LATEST_ENDPOINT.columns} from webhook_endpoints where url is not null and state <> 'removed'
   order by changed_at desc limit $1`,
);

/**
 * The endpoints of all merchants that changed last: with them the operator checks whether this machine can
 * connect to the internet.
 */
export async function listLatestEndpoints(
  database: Reader,
  limit: number,
): Promise<RowOf<typeof LATEST_ENDPOINT>[]> {
  return (await database.query(LATEST, [limit])).map(LATEST_ENDPOINT.parse);
}

/**
 * The newest failure is looked for in so many waiting deliveries: the last by due time, among which are those
 * tried already.
 */
const MOST_LOOKED_AT = 100;

const LISTED = rowCodec(
  {
    merchantId: column.text(),
    /** `account:2000001`, `origin:https://…` for callbacks, `alerts:` with an id, or `exceptions:2000001`. */
    endpoint: column.text(),
    /** null for callbacks, which bring their own URL. */
    url: column.nullable(column.text()),
    state: column.oneOf(ENDPOINT_STATES),
    failingSince: column.nullable(column.instant()),
    openedUntil: column.nullable(column.instant()),
    /** How many deliveries wait; for `alerts` and `exceptions`: at the server of their URL. */
    waiting: column.whole(`(select count(*)::int from (
       select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = coalesce(e.server, e.endpoint) and d.state = 'waiting' limit $2
     ) w)`),
    /** `triedAt` to `answer` are of the newest failed try of a waiting delivery; null: none failed. */
    triedAt: column.nullable(column.instant('l.tried_at')),
    failure: column.nullable(column.text('l.failure')),
    /** Also null if no answer came. */
    status: column.nullable(column.whole('l.status')),
    answer: column.nullable(column.text('l.answer')),
  },
  'e',
);

export type ListedEndpoint = ReturnType<typeof parse>;

const LIST = `select ${LISTED.columns}
   from webhook_endpoints e left join lateral (
     select t.* from (
       select delivery_number from deliveries d where d.merchant_id = e.merchant_id
         and d.endpoint = coalesce(e.server, e.endpoint) and d.state = 'waiting' and d.tries > 0 order by d.due_at desc limit $4
     ) d cross join lateral (
       select tried_at, failure, status, answer from delivery_tries
       where merchant_id = e.merchant_id and delivery_number = d.delivery_number and failure is not null
       order by try_number desc limit 1
     ) t order by t.tried_at desc limit 1
   ) l on true
   where e.merchant_id = $1 and e.state <> 'removed'`;
const IN_LIST = 'order by e.endpoint limit $3';

const OF_MERCHANT = statement('webhooks.list_endpoints_of_merchant', `${LIST} ${IN_LIST}`);

/** The row of a server stays for ever, so a server is listed only while something waits for it. */
const FAILING = statement(
  'webhooks.list_failing_endpoints',
  `${LIST} and (e.state = 'disabled' or e.opened_until is not null) and (e.kind = 'webhook' or exists (
     select from deliveries d where d.merchant_id = $1 and d.endpoint = coalesce(e.server, e.endpoint) and d.state = 'waiting'
   )) ${IN_LIST}`,
);

type Bounds = { readonly mostCounted: number; readonly limit: number };

/** `mostCounted`: a backlog is counted up to this number. */
export async function listEndpointsOf(
  database: Reader,
  merchantId: string,
  { mostCounted, limit }: Bounds,
): Promise<ListedEndpoint[]> {
  return (await database.query(OF_MERCHANT, [merchantId, mostCounted, limit, MOST_LOOKED_AT])).map(parse);
}

/**
 * Lists endpoints to which nothing, or only a probe, is sent now; a server only if something waits for it.
 */
export async function listFailingEndpoints(
  database: Reader,
  merchantId: string,
  { mostCounted, limit }: Bounds,
): Promise<ListedEndpoint[]> {
  return (await database.query(FAILING, [merchantId, mostCounted, limit, MOST_LOOKED_AT])).map(parse);
}

function parse(row: Row) {
  const { triedAt: at, failure, status, answer, ...listed } = LISTED.parse(row);
  return { ...listed, lastFailure: at === null || failure === null ? null : { at, failure, status, answer } };
}
