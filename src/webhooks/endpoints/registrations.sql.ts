import type { Audit, AuditedTx, MerchantActor } from '../../audit/audit-event.ts';
import type { KeyedRequest } from '../../idempotency/idempotency-key.ts';
import { isKeyTaken, keyValues, REMEMBER_KEYS } from '../../idempotency/idempotency-keys.sql.ts';
import { KeyRetired, keepInUse } from '../../keys/data-keys.sql.ts';
import type { Sealed } from '../../keys/open-keyring.ts';
import { type BatchedWriteOptions, oneByOne } from '../../platform/postgres/batched-writes.ts';
import { statement, type Tx } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { fromOtherStates, fromStates } from '../../platform/postgres/state-table.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import { callbackEndpoint } from '../deliveries/delivery.ts';
import {
  type AuditedEndpoint,
  ENDPOINT_MOVES,
  ENDPOINT_STATES,
  type EndpointDescription,
  type EndpointKind,
  endpointOf,
} from './webhook-endpoint.ts';
import { giveUpDeliveries, REMEMBER_ENDPOINTS } from './webhook-endpoints.sql.ts';

/** Commits wait for the end of the audit log's chain, so more at once would only hold connections. */
const LIMITS = { statementsInFlight: 2, waitingCallers: 200 };

export type Registration = {
  readonly event: 'register';
  readonly url: string;
  readonly basicAuth: Sealed | null;
  readonly description: EndpointDescription | null;
  readonly request: KeyedRequest | null;
};

/** A change that a user requested. `at` is business time. */
export type EndpointChange = {
  readonly kind: EndpointKind;
  /** The account number, or the id in lower case. */
  readonly of: string;
  readonly actor: MerchantActor;
  readonly at: Instant;
  readonly wanted: Registration | { readonly event: 'remove' | 'restore' };
};

/**
 * `keyRetired`: the data key that sealed the login was retired, so seal it again. `keyUsed`: the idempotency
 * key was used before. Only `done` has written something.
 */
export type EndpointChangeResult = 'done' | 'notFound' | 'tooManyActive' | 'keyRetired' | 'keyUsed';

/** A write may be repeated after a lost connection. */
export function endpointChangesWrite(
  audit: Audit,
): BatchedWriteOptions<EndpointChange, EndpointChangeResult> {
  return oneByOne({
    name: 'webhookEndpoints',
    isRefusal: (result) => result === 'notFound' || result === 'tooManyActive',
    key: ({ kind, of, actor }) => `${actor.merchantId}|${endpointOf(kind, of)}`,
    merchant: ({ actor }) => actor.merchantId,
    limits: LIMITS,
    write: (row) => writeChange(audit, row),
  });
}

async function writeChange(audit: Audit, change: EndpointChange): Promise<EndpointChangeResult> {
  try {
    return await audit.transaction((tx) => changeEndpoint(tx, change), {
      merchantId: change.actor.merchantId,
    });
  } catch (error) {
    if (error instanceof KeyRetired) return 'keyRetired';
    if (isKeyTaken(error)) return 'keyUsed';
    throw error;
  }
}

/**
 * Only one transaction of a merchant runs at a time, so that its count of endpoints sees all earlier changes.
 */
const TAKE_TURN = statement(
  'webhooks.take_turn',
  `select pg_advisory_xact_lock(hashtextextended('notifiers|' || $1::text, 0))`,
);

const LOCKED = rowCodec(
  {
    url: column.text(),
    hasLogin: column.boolean('e.sealed_basic_auth is not null'),
    state: column.oneOf(ENDPOINT_STATES),
  },
  'e',
);

const LOCK = statement(
  'webhooks.lock_registration',
  `select ${LOCKED.columns} from webhook_endpoints e
   where e.merchant_id = $1 and e.endpoint = $2 for no key update`,
);

async function changeEndpoint(tx: AuditedTx, change: EndpointChange): Promise<EndpointChangeResult> {
  const { kind, of, actor, wanted } = change;
  if (wanted.event === 'register' && wanted.basicAuth !== null)
    await keepInUse(tx, wanted.basicAuth.dataKeyId);
  const key = [actor.merchantId, endpointOf(kind, of)];
  if (kind.mostActive !== null) await tx.query(TAKE_TURN, [actor.merchantId]);
  const [before] = (await tx.query(LOCK, key)).map(LOCKED.parse);
  if (wanted.event === 'register') return register(tx, change, wanted, before);
  if (before === undefined) return 'notFound';
  const isRemoved = before.state === 'removed';
  const audited = { url: before.url, hasLogin: before.hasLogin, description: null };
  if (wanted.event === 'remove') {
    if (isRemoved) return 'done';
    await remove(tx, change);
    tx.record(kind.audited({ event: 'remove', actor, of, before: audited, after: null }));
    return 'done';
  }
  if (!isRemoved) return 'done';
  if (await areTooManyActive(tx, change)) return 'tooManyActive';
  await tx.query(RESTORE, [...key, actor.userName, utcText(change.at)]);
  tx.record(kind.audited({ event: 'restore', actor, of, before: null, after: audited }));
  return 'done';
}

const OTHERS = rowCodec({ active: column.whole() });

/** Counts other active endpoints of the merchant, up to the limit. Only the kind `alerts` has a limit. */
const COUNT_OTHERS = statement(
  'webhooks.count_other_alert_endpoints',
  `select count(*) as active from (
     select alert_endpoint_id from webhook_endpoints
     where merchant_id = $1 and kind = 'alerts' and state = 'active' and alert_endpoint_id <> $2
     order by alert_endpoint_id limit $3
   ) others`,
);

async function areTooManyActive(tx: Tx, { kind, of, actor }: EndpointChange): Promise<boolean> {
  if (kind.mostActive === null) return false;
  const [others] = await tx.query(COUNT_OTHERS, [actor.merchantId, of, kind.mostActive]);
  return others !== undefined && OTHERS.parse(others).active >= kind.mostActive;
}

/**
 * `returned_at` makes every waiting delivery due at once, by the clock that claims read. A try of an earlier
 * registration is known by its lower `registration` number. `server` gets its row too, if deliveries of this
 * kind wait for the server: without it they would wait for ever.
 */
const REGISTER = statement(
  'webhooks.register',
  `with written as (
     insert into webhook_endpoints as e (merchant_id, endpoint, url, sealed_basic_auth, basic_auth_key_id, server, name,
       description, search_name, events, created_by, created_at, returned_at, registration)
     select $1::text, $2::text, $3::text, $4::bytea, $5::integer, $6::text, $7::text,
       $8::text, $9::text, $10::text[], $11::text, $12::timestamptz, clock_timestamp() + coalesce(
         (select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $1), 0) * interval '1 millisecond', 1
     on conflict (merchant_id, endpoint) do update set url = excluded.url, server = excluded.server,
       sealed_basic_auth = excluded.sealed_basic_auth, basic_auth_key_id = excluded.basic_auth_key_id,
       state = 'active', opened_until = null, openings = 0, failing_since = null, returned_at = excluded.returned_at,
       registration = e.registration + 1, changed_at = now(), created_by = excluded.created_by,
       created_at = excluded.created_at, modified_by = null, modified_at = null
     where e.state in (${fromStates(ENDPOINT_MOVES, 'register')})
     returning merchant_id, alert_endpoint_id, server
   ), called_endpoints as (
     select merchant_id, server as endpoint from written where server is not null
   ), ${REMEMBER_ENDPOINTS}, keyed as (
     select $13::bytea as key_hash, $14::bytea as body_fingerprint, $15::integer as body_fingerprint_key_id,
       merchant_id, alert_endpoint_id as resource_id from written
   ), ${REMEMBER_KEYS}
   select merchant_id from written`,
);

async function register(
  tx: AuditedTx,
  change: EndpointChange,
  { url, basicAuth, description, request }: Registration,
  before: RowOf<typeof LOCKED> | undefined,
): Promise<EndpointChangeResult> {
  const { kind, of, actor, at } = change;
  // The id is new for each caller: an earlier attempt of this call wrote the row and lost its connection.
  if (kind.mostActive !== null && before !== undefined) return 'done';
  if (await areTooManyActive(tx, change)) return 'tooManyActive';
  const sealed = [basicAuth?.bytes ?? null, basicAuth?.dataKeyId ?? null];
  const server = kind.isSentToServer ? callbackEndpoint(url) : null;
  const described = [
    description?.name,
    description?.description,
    description?.searchName,
    description?.events,
  ];
  await tx.query(REGISTER, [
    ...[actor.merchantId, endpointOf(kind, of), url, ...sealed, server],
    ...described.map((value) => value ?? null),
    ...[actor.userName, utcText(at), ...keyValues(request)],
  ]);
  const was: AuditedEndpoint | null =
    before === undefined || before.state === 'removed' ? null : { ...before, description: null };
  const after = { url, hasLogin: basicAuth !== null, description };
  tx.record(kind.audited({ event: 'register', actor, of, before: was, after }));
  return 'done';
}

const GIVEN_UP_AT_ONCE = 500;

/** A removed endpoint keeps its row, but not its login. */
const REMOVE = statement(
  'webhooks.remove',
  `update webhook_endpoints set state = 'removed', sealed_basic_auth = null, basic_auth_key_id = null, opened_until = null,
     openings = 0, failing_since = null, registration = registration + 1, changed_at = now(), modified_by = $3,
     modified_at = $4, alerted_on = null
   where merchant_id = $1 and endpoint = $2 and state in (${fromStates(ENDPOINT_MOVES, 'remove')})
   returning registration`,
);

/**
 * Gives up what waits for the endpoint. Deliveries that wait for the server behind its URL are still sent.
 */
async function remove(tx: Tx, { kind, of, actor, at }: EndpointChange): Promise<void> {
  const removed = { merchantId: actor.merchantId, endpoint: endpointOf(kind, of) };
  await tx.query(REMOVE, [removed.merchantId, removed.endpoint, actor.userName, utcText(at)]);
  if (!kind.isSentToServer) await giveUpDeliveries(tx, removed, null, GIVEN_UP_AT_ONCE);
}

/** `alerted_on` null: a restored endpoint is alerted at once, also about what it missed. */
const RESTORE = statement(
  'webhooks.restore',
  `update webhook_endpoints set state = 'active', registration = registration + 1, changed_at = now(), modified_by = $3,
     modified_at = $4, alerted_on = null
   where merchant_id = $1 and endpoint = $2 and state in (${fromOtherStates(ENDPOINT_MOVES, 'register')})`,
);
