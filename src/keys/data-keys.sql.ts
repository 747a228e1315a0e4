import {
  type CommitStep,
  type Database,
  type Row,
  type Step,
  statement,
} from '../platform/postgres/database.ts';
import type { Instant } from '../values/instant.ts';
import { dataKeyNumber } from './data-key-number.ts';

export type KeyPurpose = 'card' | 'keyPair' | 'fingerprint' | 'audit' | 'secret' | 'id';

export type WrappedDataKey = {
  readonly dataKeyId: number;
  readonly purpose: KeyPurpose;
  readonly environment: string;
  readonly wrappedKey: Buffer;
  readonly keyEncryptionKeyId: string;
  readonly isRetired: boolean;
  /** Real time, by the database's clock. */
  readonly createdAt: Instant;
  readonly retiredAt: Instant | null;
};

const LIST = statement(
  'keys.list',
  `select data_key_id, purpose, environment, wrapped_key, key_encryption_key_id, created_at, retired_at
   from data_keys order by data_key_id`,
);

/** Another one when a key was made, retired, wrapped anew or deleted. */
export const VERSION_OF_KEYS = statement(
  'keys.version',
  `select string_agg(concat_ws(' ', data_key_id, xmin), ',' order by data_key_id) as version from data_keys`,
);

export async function listDataKeys(database: Database): Promise<WrappedDataKey[]> {
  return (await database.query(LIST, [])).map(parse);
}

function parse(row: Row): WrappedDataKey {
  return {
    dataKeyId: row.data_key_id as number,
    purpose: row.purpose as KeyPurpose,
    environment: row.environment as string,
    wrappedKey: row.wrapped_key as Buffer,
    keyEncryptionKeyId: row.key_encryption_key_id as string,
    isRetired: row.retired_at !== null,
    createdAt: row.created_at as Instant,
    retiredAt: row.retired_at as Instant | null,
  };
}

const INSERT = statement(
  'keys.insert',
  `insert into data_keys (data_key_id, purpose, environment, wrapped_key, key_encryption_key_id)
   overriding system value values ($1, $2, $3, $4, $5)
   on conflict do nothing returning data_key_id`,
);

const NEXT_ID = statement(
  'keys.next_id',
  `select nextval('data_keys_data_key_id_seq')::integer as data_key_id`,
);

/** The number of a future key: it is wrapped together with it. An unused one leaves a hole. */
export async function nextDataKeyId(database: Database, cell: string | null): Promise<number> {
  const [row] = await database.query(NEXT_ID, []);
  return dataKeyNumber(cell, (row as Row).data_key_id as number);
}

export type NewDataKey = Pick<
  WrappedDataKey,
  'dataKeyId' | 'purpose' | 'environment' | 'wrappedKey' | 'keyEncryptionKeyId'
>;

/** False when another process made the key in use for this purpose first. */
export async function insertDataKey(database: Database, key: NewDataKey): Promise<boolean> {
  const { statement: insert, values } = insertion(key);
  return (await database.query(insert, values)).length === 1;
}

/** Returns the number of the key. */
export function insertion(key: NewDataKey): Step {
  return {
    statement: INSERT,
    values: [key.dataKeyId, key.purpose, key.environment, key.wrappedKey, key.keyEncryptionKeyId],
  };
}

/**
 * Writers of sealed rows come and go without a gap and would keep a lock of the row alone waiting
 * for ever; the lock of the table queues with them.
 */
const LOCK = statement('keys.lock', 'lock table data_keys in exclusive mode');

/**
 * `for update`, because the update alone lets writers pass that hold the row in share mode, and
 * those with an older snapshot.
 */
const HOLD_FOR_ROTATION = statement(
  'keys.hold_for_rotation',
  'select data_key_id from data_keys where data_key_id = $1 and retired_at is null for update',
);

const RETIRE = statement(
  'keys.retire',
  'update data_keys set retired_at = now() where data_key_id = $1 and retired_at is null returning data_key_id',
);

export const lockDataKeys: Step = { statement: LOCK, values: [] };

/** Returns a row while the key is in use, and keeps all its users out until the commit. */
export function holdForRotation(dataKeyId: number): Step {
  return { statement: HOLD_FOR_ROTATION, values: [dataKeyId] };
}

export function retirement(dataKeyId: number): Step {
  return { statement: RETIRE, values: [dataKeyId] };
}

const HOLD_IN_USE = statement(
  'keys.hold_in_use',
  'select data_key_id from data_keys where data_key_id = $1 and retired_at is null for key share',
);

/**
 * Returns a row while the key is in use, and keeps it so until the commit: what is sealed under it
 * may be written.
 */
export function holdInUse(dataKeyId: number): Step {
  return { statement: HOLD_IN_USE, values: [dataKeyId] };
}

/** The key was retired before its sealed bytes were written: nothing was written, seal again. */
export class KeyRetired extends Error {}

/**
 * A step behind `holdInUse`, which is the first of its commit. Throws `KeyRetired` when the key is
 * not in use any more.
 */
export function onceHeld(step: CommitStep): CommitStep {
  return (rows) => {
    if (rows[0]?.length !== 1) throw new KeyRetired('the data key was retired');
    return typeof step === 'function' ? step(rows) : step;
  };
}

const REWRAP = statement(
  'keys.rewrap',
  `update data_keys set wrapped_key = $3, key_encryption_key_id = $4
   where data_key_id = $1 and key_encryption_key_id = $2
   returning data_key_id`,
);

/** Returns a row when the key was still wrapped by `expectedKeyId`. */
export function rewrapping(
  dataKeyId: number,
  expectedKeyId: string,
  made: { readonly keyId: string; readonly wrapped: Buffer },
): Step {
  return { statement: REWRAP, values: [dataKeyId, expectedKeyId, made.wrapped, made.keyId] };
}

/**
 * An hour, so that no process still reads a row as it was before it was sealed again. Fingerprints
 * of a key compare for 90 days, longer than any network counts tries.
 */
const LIST_OVERDUE = statement(
  'keys.list_overdue',
  `select data_key_id, purpose, environment, wrapped_key, key_encryption_key_id, created_at, retired_at from data_keys
   where (purpose in ('card', 'keyPair', 'secret') and retired_at < now() - interval '1 hour')
     or (purpose = 'fingerprint' and retired_at < now() - interval '90 days')
   order by data_key_id limit $1`,
);

/** Retired keys that may be deleted, unless a row still names them. */
export async function listOverdueKeys(database: Database, limit: number): Promise<WrappedDataKey[]> {
  return (await database.query(LIST_OVERDUE, [limit])).map(parse);
}

const DELETE = statement('keys.delete', 'select delete_retired_data_key($1) as data_key_id');

/**
 * Returns a row when the key could be deleted: the owner's function, which the run-time role may
 * call, deletes only overdue ones. Fails with SQLSTATE 23503 while a row names the key.
 */
export function deletion(dataKeyId: number): Step {
  return { statement: DELETE, values: [dataKeyId] };
}
