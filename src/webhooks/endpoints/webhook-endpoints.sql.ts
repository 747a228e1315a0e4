import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { KeyRetired, keepInUse } from '../../keys/data-keys.sql.ts';
import type { Sealed } from '../../keys/open-keyring.ts';
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
import { accountEndpoint, DELIVERY_MOVES } from '../deliveries/delivery.ts';
import {
  type AuditedRegistration,
  ENDPOINT_MOVES,
  ENDPOINT_STATES,
  registrationChanges,
  webhookThing,
} from './webhook-endpoint.ts';

const FOUND = rowCodec({ url: column.nullable(column.text()) }, 'e');

const FIND = statement(
  'webhooks.find_registration',
  `select ${FOUND.columns} from accounts a
   left join webhook_endpoints e on e.merchant_id = a.merchant_id and e.endpoint = $3 and e.state <> 'removed'
   where a.merchant_id = $1 and a.account_number = $2`,
);

/**
 * The webhook of an account; `url` is null when none is registered. Null: the merchant has no such
 * account.
 */
export async function findRegistration(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<{ readonly url: string | null } | null> {
  const [row] = await database.query(FIND, [merchantId, accountNumber, accountEndpoint(accountNumber)]);
  return row === undefined ? null : FOUND.parse(row);
}

/**
 * Every commit here waits for the end of the audit log's chain: more of them at once would only
 * hold connections.
 */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 200 };

export type Registration = {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly url: string;
  readonly basicAuth: Sealed | null;
  readonly registrant: MerchantActor;
};

const REGISTERED = rowCodec<AuditedRegistration>(
  { url: column.text(), hasLogin: column.boolean('e.sealed_basic_auth is not null') },
  'e',
);

const LOCK = statement(
  'webhooks.lock_registration',
  `select ${REGISTERED.columns} from webhook_endpoints e
   where e.merchant_id = $1 and e.endpoint = $2 and e.state <> 'removed' for no key update`,
);

/** What was registered until now, held for the commit that changes it. */
async function lockRegistration(
  tx: Tx,
  merchantId: string,
  endpoint: string,
): Promise<AuditedRegistration | null> {
  const [row] = await tx.query(LOCK, [merchantId, endpoint]);
  return row === undefined ? null : REGISTERED.parse(row);
}

/** `keyRetired`: sealed under a key that seals nothing more, and nothing was written. */
export type RegisterResult = 'registered' | 'keyRetired';

/**
 * Every waiting delivery is due at once, by the clock that the claims of due work read;
 * `registration` makes late results of an earlier registration recognisable.
 */
const REGISTER = statement(
  'webhooks.register',
  `insert into webhook_endpoints as e
     (merchant_id, endpoint, url, sealed_basic_auth, basic_auth_key_id, returned_at, registration, created_by)
   select $1::text, $2::text, $3::text, $4::bytea, $5::integer, clock_timestamp() + coalesce(
       (select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $1), 0) * interval '1 millisecond', 1,
     $6::text
   on conflict (merchant_id, endpoint) do update set url = excluded.url, sealed_basic_auth = excluded.sealed_basic_auth,
     basic_auth_key_id = excluded.basic_auth_key_id, state = 'active', opened_until = null, openings = 0,
     failing_since = null, returned_at = excluded.returned_at, registration = e.registration + 1, changed_at = now(),
     created_by = excluded.created_by
   where e.state in (${fromStates(ENDPOINT_MOVES, 'register')})
   returning registration`,
);

/**
 * Endpoint and audit entry in one commit. Repeated after a lost connection it registers the same
 * again, which is harmless.
 */
export function registrationsWrite(audit: Audit): BatchedWriteOptions<Registration, RegisterResult> {
  return {
    name: 'webhookRegistrations',
    isRefusal: () => false,
    key: ({ merchantId, accountNumber }) => `${merchantId}|${accountNumber}`,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    write: async ([row]) => {
      const { merchantId, accountNumber } = row as Registration;
      return new Map([[`${merchantId}|${accountNumber}`, await register(audit, row as Registration)]]);
    },
  };
}

async function register(audit: Audit, registration: Registration): Promise<RegisterResult> {
  const { merchantId, accountNumber, url, basicAuth, registrant } = registration;
  const keyId = basicAuth?.dataKeyId ?? null;
  const endpoint = accountEndpoint(accountNumber);
  const values = [merchantId, endpoint, url, basicAuth?.bytes ?? null, keyId, registrant.userName];
  try {
    await audit.transaction(
      async (tx) => {
        if (keyId !== null) await keepInUse(tx, keyId);
        const before = await lockRegistration(tx, merchantId, endpoint);
        await tx.query(REGISTER, values);
        const changes = registrationChanges(before, { url, hasLogin: keyId !== null });
        tx.record(merchantEvent('webhook.register', registrant, webhookThing(accountNumber), changes));
      },
      { merchantId },
    );
    return 'registered';
  } catch (error) {
    if (error instanceof KeyRetired) return 'keyRetired';
    throw error;
  }
}

/** Given up in the commit of the removal; the work does the rest. */
const GIVEN_UP_AT_ONCE = 500;

export type Removal = Pick<Registration, 'merchantId' | 'accountNumber' | 'registrant'>;
export type RemoveResult = 'removed' | 'notFound';

/** The login is removed with it: nothing is kept that could still be used. */
const REMOVE = statement(
  'webhooks.remove',
  `update webhook_endpoints set state = 'removed', sealed_basic_auth = null, basic_auth_key_id = null, opened_until = null,
     openings = 0, failing_since = null, registration = registration + 1, changed_at = now()
   where merchant_id = $1 and endpoint = $2 and state in (${fromStates(ENDPOINT_MOVES, 'remove')})
   returning registration`,
);

const GIVEN_UP = rowCodec({ dueAt: column.instant() }, 'c');

/**
 * A process that is sending one of them now finds its fence outdated, and records nothing. Locked
 * ones come later.
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

/** Removed, its first deliveries given up, and audited, in one commit. */
export function removalsWrite(audit: Audit): BatchedWriteOptions<Removal, RemoveResult> {
  const tried = new WeakSet<Removal>();
  return {
    name: 'webhookRemovals',
    isRefusal: (result) => result !== 'removed',
    key: ({ merchantId, accountNumber }) => `${merchantId}|${accountNumber}`,
    merchant: ({ merchantId }) => merchantId,
    limits: LIMITS,
    async write([row]) {
      const removal = row as Removal;
      const { merchantId, accountNumber } = removal;
      // After a lost connection an earlier try may have removed it: the request is done.
      const whenAbsent = tried.has(removal) ? 'removed' : 'notFound';
      tried.add(removal);
      const isRemoved = await remove(audit, removal);
      return new Map([[`${merchantId}|${accountNumber}`, isRemoved ? 'removed' : whenAbsent]]);
    },
  };
}

function remove(audit: Audit, { merchantId, accountNumber, registrant }: Removal): Promise<boolean> {
  const endpoint = accountEndpoint(accountNumber);
  return audit.transaction(
    async (tx) => {
      const before = await lockRegistration(tx, merchantId, endpoint);
      const isRemoved = (await tx.query(REMOVE, [merchantId, endpoint])).length === 1;
      await tx.query(GIVE_UP, [merchantId, endpoint, BEFORE_ALL, GIVEN_UP_AT_ONCE]);
      const changes = registrationChanges(before, null);
      if (isRemoved)
        tx.record(merchantEvent('webhook.remove', registrant, webhookThing(accountNumber), changes));
      return isRemoved;
    },
    { merchantId },
  );
}

const REMOVED = rowCodec({ merchantId: column.text(), endpoint: column.text() }, 'e');

export type RemovedEndpoint = RowOf<typeof REMOVED>;

/**
 * With a limit inside, for otherwise the planner might walk over what waits for all other
 * endpoints.
 */
const FIND_REMOVED = statement(
  'webhooks.find_removed_with_waiting',
  `select ${REMOVED.columns} from webhook_endpoints e
   cross join lateral (
     select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting' limit 1
   ) w
   where e.state = 'removed'
   order by e.merchant_id, e.endpoint limit $1`,
);

/** Removed endpoints with waiting deliveries. */
export async function findRemovedEndpoints(database: Database, limit: number): Promise<RemovedEndpoint[]> {
  return (await database.query(FIND_REMOVED, [limit])).map(REMOVED.parse);
}

/**
 * Gives up the next deliveries of a removed endpoint, from a due time on (business time,
 * milliseconds; null: from the first). Returns how many, and the last due time.
 */
export async function giveUpDeliveries(
  database: Database,
  { merchantId, endpoint }: RemovedEndpoint,
  from: number | null,
  limit: number,
): Promise<{ readonly count: number; readonly last: number | null }> {
  const since = from === null ? BEFORE_ALL : new Date(from).toISOString();
  const rows = await database.query(GIVE_UP, [merchantId, endpoint, since, limit]);
  const dueTimes = rows.map((row) => GIVEN_UP.parse(row).dueAt);
  return { count: rows.length, last: rows.length === 0 ? null : Math.max(...dueTimes) };
}

/** The server behind the callback addresses of payments. */
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
 * A statement's part that remembers those of its part `called_endpoints` (merchant_id, endpoint). Not
 * for statements that write many: two of them could wait for each other.
 */
export const REMEMBER_ENDPOINTS = `remembered_endpoints as (
     ${INSERT_ENDPOINTS} from called_endpoints
     ${IN_ORDER}
   )`;

/** Rows that are there already stay as they are. */
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

const LATEST_ENDPOINT = rowCodec({ merchantId: column.text(), url: column.text() });

const LATEST = statement(
  'webhooks.list_latest_endpoints',
  `select ${LATEST_ENDPOINT.columns} from webhook_endpoints where url is not null and state <> 'removed'
   order by changed_at desc limit $1`,
);

/** Over all merchants: for the operator who looks whether this machine gets out. */
export async function listLatestEndpoints(
  database: Reader,
  limit: number,
): Promise<RowOf<typeof LATEST_ENDPOINT>[]> {
  return (await database.query(LATEST, [limit])).map(LATEST_ENDPOINT.parse);
}

/** Along deliveries_waiting from its end, where those stand that were tried; their tries by their keys. */
const MOST_LOOKED_AT = 100;

const LISTED = rowCodec(
  {
    merchantId: column.text(),
    /** `account:2000001`, or `origin:https://…` of callbacks. */
    endpoint: column.text(),
    /** Null: callbacks bring their own. */
    url: column.nullable(column.text()),
    state: column.oneOf(ENDPOINT_STATES),
    failingSince: column.nullable(column.instant()),
    openedUntil: column.nullable(column.instant()),
    /** Deliveries that are not made yet. */
    waiting: column.whole(`(select count(*)::int from (
       select from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint and d.state = 'waiting' limit $2
     ) w)`),
    /** Of the newest try of those that wait, as the three behind it; null: none failed. */
    triedAt: column.nullable(column.instant('l.tried_at')),
    failure: column.nullable(column.text('l.failure')),
    /** Null: no answer came. */
    status: column.nullable(column.whole('l.status')),
    answer: column.nullable(column.text('l.answer')),
  },
  'e',
);

/** A webhook as the operator sees it. */
export type ListedEndpoint = ReturnType<typeof parse>;

const OF_MERCHANT = statement(
  'webhooks.list_endpoints_of_merchant',
  `select ${LISTED.columns}
   from webhook_endpoints e left join lateral (
     select t.* from (
       select delivery_number from deliveries d where d.merchant_id = e.merchant_id and d.endpoint = e.endpoint
         and d.state = 'waiting' and d.tries > 0 order by d.due_at desc limit $4
     ) d cross join lateral (
       select tried_at, failure, status, answer from delivery_tries
       where merchant_id = e.merchant_id and delivery_number = d.delivery_number and failure is not null
       order by try_number desc limit 1
     ) t order by t.tried_at desc limit 1
   ) l on true
   where e.merchant_id = $1 and e.state <> 'removed' order by e.endpoint limit $3`,
);

/** `mostCounted`: a backlog is counted up to so many. */
export async function listEndpointsOf(
  database: Reader,
  merchantId: string,
  { mostCounted, limit }: { readonly mostCounted: number; readonly limit: number },
): Promise<ListedEndpoint[]> {
  return (await database.query(OF_MERCHANT, [merchantId, mostCounted, limit, MOST_LOOKED_AT])).map(parse);
}

function parse(row: Row) {
  const { triedAt: at, failure, status, answer, ...listed } = LISTED.parse(row);
  return { ...listed, lastFailure: at === null || failure === null ? null : { at, failure, status, answer } };
}
