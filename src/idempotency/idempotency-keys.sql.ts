import type { BatchedReadOptions } from '../platform/postgres/batched-reads.ts';
import { type Database, type Reader, statement } from '../platform/postgres/database.ts';
import { hasSqlState, SQL_STATE } from '../platform/postgres/database-errors.ts';
import { forgetting } from '../platform/postgres/forgetting.ts';
import { type InputColumns, inputRows } from '../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import type { KeyedRequest, RecordedRequest } from './idempotency-key.ts';

export type RequestKey = { readonly merchantId: string; readonly keyHash: Buffer };

const KEYS = inputRows<RequestKey>({
  merchant_id: ['text', (key) => key.merchantId],
  key_hash: ['bytea', (key) => key.keyHash],
});

/** Reads the row of `REQUEST_OF_KEY`, which the statement names `k`. */
export const RECORDED = rowCodec<RecordedRequest & RequestKey>(
  {
    merchantId: column.text(),
    keyHash: column.bytes(),
    bodyFingerprint: column.bytes(),
    bodyFingerprintKeyId: column.whole(),
    resourceId: column.text(),
    isDone: column.boolean(),
    ageMilliseconds: column.real('(extract(epoch from now() - k.created_at) * 1000)::float8'),
  },
  'k',
);

/** The recorded request of the input row `i`'s key. */
export const REQUEST_OF_KEY =
  'select * from idempotency_keys o where o.merchant_id = i.merchant_id and o.key_hash = i.key_hash limit 1';

const FIND = statement(
  'idempotency.find',
  `select ${RECORDED.columns}
   from ${KEYS.sql}, lateral (
     ${REQUEST_OF_KEY}
   ) k`,
);

export function requestsRead(database: Database): BatchedReadOptions<RequestKey, RecordedRequest> {
  const textOf = ({ merchantId, keyHash }: RequestKey) => `${merchantId}|${keyHash.toString('hex')}`;
  return {
    name: 'idempotency keys',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND, KEYS.values(keys));
      return new Map(rows.map(RECORDED.parse).map((recorded) => [textOf(recorded), recorded]));
    },
  };
}

/** Columns of a request that is written with its resource: the key is committed with it, or not at all. */
export const KEY_COLUMNS = {
  key_hash: ['bytea', ({ request }) => request?.keyHash ?? null],
  body_fingerprint: ['bytea', ({ request }) => request?.bodyFingerprints[0].print ?? null],
  body_fingerprint_key_id: ['integer', ({ request }) => request?.bodyFingerprints[0].keyId ?? null],
} as const satisfies InputColumns<{ readonly request: KeyedRequest | null }>;

export function keyValues(request: KeyedRequest | null): unknown[] {
  return Object.values(KEY_COLUMNS).map(([, value]) => value({ request }));
}

export const IS_KEY_USED =
  'exists (select from idempotency_keys k where k.merchant_id = i.merchant_id and k.key_hash = i.key_hash)';

const INSERT_KEYS = `insert into idempotency_keys (merchant_id, key_hash, body_fingerprint, body_fingerprint_key_id,
       resource_id, is_done)
     select merchant_id, key_hash, body_fingerprint, body_fingerprint_key_id, resource_id`;

/**
 * Writes keys with their resources, as the last writing CTE. Reads the CTE `keyed`: merchant_id,
 * `KEY_COLUMNS` and resource_id. No `on conflict`: see `racingForKeys`.
 */
export const REMEMBER_KEYS = `remembered as (
     ${INSERT_KEYS}, true from keyed where key_hash is not null
     order by merchant_id, key_hash
   )`;

/** Writes keys whose resources are still to be made. Reads the CTE `keyed`. */
export const RESERVE_KEYS = `reserved as (
     ${INSERT_KEYS}, false from keyed where key_hash is not null
     order by merchant_id, key_hash
   )`;

/** Deletes keys. Reads the CTE `unkeyed`: merchant_id, key_hash and resource_id. */
export const FREE_KEYS = `freed as (
     delete from idempotency_keys k using unkeyed u
     where k.merchant_id = u.merchant_id and k.key_hash = u.key_hash and k.resource_id = u.resource_id
   )`;

/** Deletes only keys that were reserved after `unkeyed.reserved_after`: older ones count as lost. */
export const FREE_RESERVED_KEYS = `freed as (
     delete from idempotency_keys k using unkeyed u
     where k.merchant_id = u.merchant_id and k.key_hash = u.key_hash and k.resource_id = u.resource_id
       and not k.is_done and k.created_at > u.reserved_after
   )`;

/** Marks reserved keys as done. Reads the CTE `made`: merchant_id, key_hash and resource_id. */
export const FINISH_KEYS = `finished as (
     update idempotency_keys k set is_done = true from made m
     where k.merchant_id = m.merchant_id and k.key_hash = m.key_hash and k.resource_id = m.resource_id
   )`;

/** The repeated statement sees the key that won, so a second loss is one of another key. */
const MOST_RACES = 5;

/**
 * Repeats a statement that checks and inserts keys: if another process commits a key in between, the
 * repetition sees it.
 */
export async function racingForKeys<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let race = 1; ; race += 1) {
    try {
      return await write();
    } catch (error) {
      if (race === MOST_RACES || !isKeyTaken(error)) throw error;
    }
  }
}

/** The statement was rolled back. */
export function isKeyTaken(error: unknown): boolean {
  const { constraint } = error as { constraint?: string };
  return hasSqlState(error, SQL_STATE.uniqueViolation) && constraint === 'idempotency_keys_pkey';
}

/** `$2`: keys older than so many days are deleted. */
export const deleteOldKeys = forgetting<[number]>({
  table: 'idempotency_keys',
  by: 'created_at',
  over: "created_at < now() - $2 * interval '1 day'",
});

const LOOK = rowCodec({
  resourceId: column.text(),
  /** Real time. */
  createdAt: column.instant(),
  isDone: column.boolean(),
});

/** A keyed request, without its key, of which only a hash is stored. */
export type KeyedRequestLook = RowOf<typeof LOOK>;

/** Uses the index of keys by age: the bounds of time keep the range short. */
const LIST = statement(
  'idempotency.list_of_resources',
  `select ${LOOK.columns} from idempotency_keys
   where created_at >= timestamptz 'epoch' + $3::bigint * interval '1 millisecond'
     and created_at < timestamptz 'epoch' + $4::bigint * interval '1 millisecond'
     and merchant_id = $1 and resource_id = any ($2::uuid[])
   order by created_at limit 100`,
);

/** The requests that made these resources, within a span of real time. */
export async function listKeyedRequests(
  database: Reader,
  merchantId: string,
  resourceIds: readonly string[],
  span: { readonly from: number; readonly to: number },
): Promise<KeyedRequestLook[]> {
  return (await database.query(LIST, [merchantId, resourceIds, span.from, span.to])).map(LOOK.parse);
}
