import { type Database, statement, type Tx } from '../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import { dataKeyNumber } from './data-key-number.ts';

const KEY_PURPOSES = ['card', 'keyPair', 'fingerprint', 'audit', 'secret', 'id'] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

const DATA_KEY = rowCodec({
  dataKeyId: column.whole(),
  purpose: column.oneOf(KEY_PURPOSES),
  environment: column.text(),
  wrappedKey: column.bytes(),
  keyEncryptionKeyId: column.text(),
  isRetired: column.boolean('retired_at is not null'),
  /** Real time, by the database's clock. */
  createdAt: column.instant(),
  retiredAt: column.nullable(column.instant()),
});

export type WrappedDataKey = RowOf<typeof DATA_KEY>;

const LIST = statement('keys.list', `select ${DATA_KEY.columns} from data_keys order by data_key_id`);

/** Changes when a key is made, retired, rewrapped or deleted. */
export const VERSION_OF_KEYS = statement(
  'keys.version',
  `select string_agg(concat_ws(' ', data_key_id, xmin), ',' order by data_key_id) as version from data_keys`,
);

export async function listDataKeys(database: Database): Promise<WrappedDataKey[]> {
  return (await database.query(LIST, [])).map(DATA_KEY.parse);
}

const INSERT = statement(
  'keys.insert',
  `insert into data_keys (data_key_id, purpose, environment, wrapped_key, key_encryption_key_id)
   overriding system value values ($1, $2, $3, $4, $5)
   on conflict do nothing returning data_key_id`,
);

const NUMBER = rowCodec({ dataKeyId: column.whole("nextval('data_keys_data_key_id_seq')::integer") });
const NEXT_ID = statement('keys.next_id', `select ${NUMBER.columns}`);

/** A new key is wrapped with this number. An unused one leaves a gap. */
export async function nextDataKeyId(database: Database, cell: string | null): Promise<number> {
  const [row = {}] = await database.query(NEXT_ID, []);
  return dataKeyNumber(cell, NUMBER.parse(row).dataKeyId);
}

export type NewDataKey = Pick<
  WrappedDataKey,
  'dataKeyId' | 'purpose' | 'environment' | 'wrappedKey' | 'keyEncryptionKeyId'
>;

/** False if another process was the first to make a key for this purpose. */
export async function insertDataKey(database: Pick<Database, 'query'>, key: NewDataKey): Promise<boolean> {
  const { dataKeyId, purpose, environment, wrappedKey, keyEncryptionKeyId } = key;
  const values = [dataKeyId, purpose, environment, wrappedKey, keyEncryptionKeyId];
  return (await database.query(INSERT, values)).length === 1;
}

/** Writers of sealed rows never pause, so a row lock alone could wait for ever. A table lock queues. */
const LOCK = statement('keys.lock', 'lock table data_keys in exclusive mode');

/**
 * `for update` keeps out writers, which lock the row `for key share`. The update of `RETIRE` alone would let
 * them pass, and they would see the key as still in use.
 */
const HOLD_FOR_ROTATION = statement(
  'keys.hold_for_rotation',
  'select data_key_id from data_keys where data_key_id = $1 and retired_at is null for update',
);

const RETIRE = statement(
  'keys.retire',
  'update data_keys set retired_at = now() where data_key_id = $1 and retired_at is null returning data_key_id',
);

/** Keeps all users of the key out until the commit. False: it is no longer in use. */
export async function holdForRotation(tx: Tx, dataKeyId: number): Promise<boolean> {
  await tx.query(LOCK, []);
  return (await tx.query(HOLD_FOR_ROTATION, [dataKeyId])).length === 1;
}

export async function retireDataKey(tx: Tx, dataKeyId: number): Promise<void> {
  await tx.query(RETIRE, [dataKeyId]);
}

const HOLD_IN_USE = statement(
  'keys.hold_in_use',
  'select data_key_id from data_keys where data_key_id = $1 and retired_at is null for key share',
);

/** The key was retired before its sealed bytes were written. Nothing was written; seal again. */
export class KeyRetired extends Error {}

/** Keeps the key from being retired until the commit. Throws `KeyRetired`. */
export async function keepInUse(tx: Tx, dataKeyId: number): Promise<void> {
  if ((await tx.query(HOLD_IN_USE, [dataKeyId])).length !== 1)
    throw new KeyRetired('the data key was retired');
}

const REWRAP = statement(
  'keys.rewrap',
  `update data_keys set wrapped_key = $3, key_encryption_key_id = $4
   where data_key_id = $1 and key_encryption_key_id = $2
   returning data_key_id`,
);

/** False: the key is no longer wrapped by `expectedKeyId`. */
export async function rewrapDataKey(
  tx: Tx,
  dataKeyId: number,
  expectedKeyId: string,
  made: { readonly keyId: string; readonly wrapped: Buffer },
): Promise<boolean> {
  return (await tx.query(REWRAP, [dataKeyId, expectedKeyId, made.wrapped, made.keyId])).length === 1;
}

/**
 * Sealing keys stay for an hour after they are retired, so that no process still reads a row as it was before
 * resealing. Fingerprints compare for 90 days, longer than any network counts tries.
 */
const LIST_OVERDUE = statement(
  'keys.list_overdue',
  `select ${DATA_KEY.columns} from data_keys
   where (purpose in ('card', 'keyPair', 'secret') and retired_at < now() - interval '1 hour')
     or (purpose = 'fingerprint' and retired_at < now() - interval '90 days')
   order by data_key_id limit $1`,
);

/** Retired keys that may be deleted, unless a row still names them. */
export async function listOverdueKeys(database: Database, limit: number): Promise<WrappedDataKey[]> {
  return (await database.query(LIST_OVERDUE, [limit])).map(DATA_KEY.parse);
}

const DELETE = statement('keys.delete', 'select delete_retired_data_key($1) as data_key_id');

/** Calls the owner's function, for overdue keys only. Fails with SQLSTATE 23503 while a row names the key. */
export async function deleteDataKey(tx: Tx, dataKeyId: number): Promise<boolean> {
  return (await tx.query(DELETE, [dataKeyId])).length === 1;
}

/** The service's role never deletes: only the owner's function deletes retired keys that nothing uses. */
export const KEY_TABLE_RIGHTS = { data_keys: 'select, insert, update' } as const;

const FIND_POWER = statement(
  'keys.find_power',
  `select current_user as role, has_table_privilege('data_keys', 'delete')
     or has_table_privilege('data_keys', 'truncate') or has_table_privilege('data_keys', 'trigger') as may_delete`,
);

/** Why the service's role could make sealed rows unreadable; null: it cannot. */
export async function keyWeakness(database: Database): Promise<string | null> {
  const [row] = await database.query(FIND_POWER, []);
  return row?.may_delete === true ? `the role ${row.role} may delete data keys` : null;
}
