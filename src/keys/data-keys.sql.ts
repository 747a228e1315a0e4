import { type Database, type Row, statement } from '../platform/postgres/database.ts';

export type KeyPurpose = 'card' | 'keyPair' | 'fingerprint';

export type WrappedDataKey = {
  readonly dataKeyId: number;
  readonly purpose: KeyPurpose;
  readonly environment: string;
  readonly wrappedKey: Buffer;
  readonly keyEncryptionKeyId: string;
  readonly isRetired: boolean;
};

const LIST = statement(
  'keys.list',
  `select data_key_id, purpose, environment, wrapped_key, key_encryption_key_id, retired_at is not null as is_retired
   from data_keys order by data_key_id`,
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
    isRetired: row.is_retired as boolean,
  };
}

const INSERT = statement(
  'keys.insert',
  `insert into data_keys (purpose, environment, wrapped_key, key_encryption_key_id) values ($1, $2, $3, $4)
   on conflict do nothing`,
);

/** Does nothing when another process made the key in use for this purpose first. */
export async function insertDataKey(
  database: Database,
  key: Pick<WrappedDataKey, 'purpose' | 'environment' | 'wrappedKey' | 'keyEncryptionKeyId'>,
): Promise<void> {
  await database.query(INSERT, [key.purpose, key.environment, key.wrappedKey, key.keyEncryptionKeyId]);
}
