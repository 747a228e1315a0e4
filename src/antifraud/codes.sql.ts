import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { KEY_COLUMNS, REMEMBER_KEYS, racingForKeys } from '../idempotency/idempotency-keys.sql.ts';
import type { BatchedReadOptions } from '../platform/postgres/batched-reads.ts';
import type { BatchedWriteOptions } from '../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../platform/postgres/database.ts';
import { forgetting } from '../platform/postgres/forgetting.ts';
import { inputRows } from '../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../platform/postgres/row-codec.ts';
import type { CodeFingerprints, Fingerprints } from './anti-fraud.ts';

export type CodeKey = { readonly merchantId: string; readonly code: string };
export type CodeRow = CodeKey &
  CodeFingerprints & {
    readonly lifetimeMilliseconds: number;
    /** null: the request had no idempotency key. */
    readonly request: KeyedRequest | null;
  };

/** `keyUsed`: another code was made under the idempotency key; nothing was written. */
export type CodeResult = 'written' | 'keyUsed';

const INPUT = inputRows<CodeRow>({
  merchant_id: ['text', (row) => row.merchantId],
  code: ['uuid', (row) => row.code],
  address_fingerprints: ['bytea', (row) => bytesOf(row.addressFingerprints)],
  device_fingerprints: ['bytea', (row) => bytesOf(row.deviceFingerprints)],
  lifetime: ['integer', (row) => row.lifetimeMilliseconds],
  ...KEY_COLUMNS,
});

const CODE = rowCodec({ code: column.text() });

const INSERT = statement(
  'antifraud.insert_codes',
  `with input as (
     select * from ${INPUT.sql}
   ), one_for_each_key as (
     select distinct on (i.merchant_id, i.key_hash) i.code from input i left join lateral (
       select true as is_taken from idempotency_keys o
       where o.merchant_id = i.merchant_id and o.key_hash = i.key_hash limit 1
     ) k on true
     where i.key_hash is not null and k.is_taken is null
     order by i.merchant_id, i.key_hash, i.code
   ), written as (
     insert into anti_fraud_codes (merchant_id, code, address_fingerprints, device_fingerprints, expires_at)
     select i.merchant_id, i.code, i.address_fingerprints, i.device_fingerprints, now() + i.lifetime * interval '1 millisecond'
     from input i left join one_for_each_key o using (code)
     where i.key_hash is null or o.code is not null
     on conflict do nothing
     returning code
   ), keyed as (
     select i.*, i.code as resource_id from input i join written w using (code)
   ), ${REMEMBER_KEYS}
   select ${CODE.columns} from written`,
);

const KEYS = inputRows<CodeKey>({
  merchant_id: ['text', (row) => row.merchantId],
  code: ['uuid', (row) => row.code],
});

const FIND_WRITTEN = statement(
  'antifraud.find_written',
  `select ${CODE.columnsOf('c')} from ${KEYS.sql}
   join anti_fraud_codes c on c.merchant_id = i.merchant_id and c.code = i.code`,
);

/**
 * Each caller brings a new code, so one that is there already was written by its own try, before a lost
 * connection.
 */
export function codesWrite(database: Database): BatchedWriteOptions<CodeRow, CodeResult> {
  return {
    name: 'antiFraudCodes',
    isRefusal: () => false,
    key: (row) => row.code,
    merchant: (row) => row.merchantId,
    async write(rows) {
      const returned = await racingForKeys(() => database.query(INSERT, INPUT.values(rows)));
      const written = new Set(returned.map((row) => CODE.parse(row).code));
      const missing = rows.filter((row) => !written.has(row.code));
      for (const code of await findWritten(database, missing)) written.add(code);
      return new Map(rows.map((row) => [row.code, written.has(row.code) ? 'written' : 'keyUsed']));
    },
  };
}

async function findWritten(database: Database, rows: readonly CodeRow[]): Promise<string[]> {
  if (rows.length === 0) return [];
  return (await database.query(FIND_WRITTEN, KEYS.values(rows))).map((row) => CODE.parse(row).code);
}

const FOUND = rowCodec<CodeKey & CodeFingerprints>(
  {
    merchantId: column.text(),
    code: column.text(),
    addressFingerprints: column.parsedBy(parseFingerprints),
    deviceFingerprints: column.parsedBy(parseFingerprints),
  },
  'c',
);

const FIND = statement(
  'antifraud.find_codes',
  `select ${FOUND.columns}
   from ${KEYS.sql}
   join anti_fraud_codes c on c.merchant_id = i.merchant_id and c.code = i.code
   where c.expires_at > now() and c.transaction_id is null`,
);

export function codesRead(database: Database): BatchedReadOptions<CodeKey, CodeFingerprints> {
  // PostgreSQL writes UUIDs in lower case.
  const textOf = ({ merchantId, code }: CodeKey) => `${merchantId}|${code.toLowerCase()}`;
  return {
    name: 'anti-fraud codes',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND, KEYS.values(keys));
      return new Map(
        rows
          .map(FOUND.parse)
          .map(({ merchantId, code, ...prints }) => [textOf({ merchantId, code }), prints]),
      );
    },
  };
}

const PRINT_BYTES = 32;

/** In one value: a batch is sent as arrays, and PostgreSQL takes nested arrays of equal length only. */
function bytesOf(prints: Fingerprints): Buffer | null {
  return prints.length === 0 ? null : Buffer.concat(prints);
}

function parseFingerprints(bytes: unknown): Fingerprints | undefined {
  if (bytes === null) return [];
  if (!(bytes instanceof Buffer)) return undefined;
  return Array.from({ length: bytes.length / PRINT_BYTES }, (_, index) =>
    bytes.subarray(index * PRINT_BYTES, (index + 1) * PRINT_BYTES),
  );
}

/**
 * Locks codes in the order of their keys, so that two statements cannot deadlock. Reads CTE `fresh`:
 * merchant_id, code, transaction_id.
 */
export const HOLD_CODES = `one_for_each_code as (
     select distinct on (merchant_id, code) merchant_id, code, transaction_id from fresh where code is not null
     order by merchant_id, code, transaction_id
   ), held_codes as materialized (
     select c.merchant_id, c.code, o.transaction_id
     from one_for_each_code o join anti_fraud_codes c on c.merchant_id = o.merchant_id and c.code = o.code
     where c.transaction_id is null and c.expires_at > now()
     order by c.merchant_id, c.code
     for no key update of c
   )`;

export const TAKE_CODES = `taken_codes as (
     update anti_fraud_codes c set transaction_id = h.transaction_id
     from held_codes h join admitted using (transaction_id)
     where c.merchant_id = h.merchant_id and c.code = h.code
   )`;

/** Releases codes. Reads CTE `given_back`: merchant_id, anti_fraud_code and transaction_id. */
export const FREE_CODES = `freed_codes as (
     update anti_fraud_codes c set transaction_id = null from given_back g
     where c.merchant_id = g.merchant_id and c.code = g.anti_fraud_code and c.transaction_id = g.transaction_id
   )`;

/** A deleted code cannot be used again. */
export const deleteExpiredCodes = forgetting({
  table: 'anti_fraud_codes',
  by: 'expires_at',
  over: "expires_at < now() - interval '1 minute'",
});
