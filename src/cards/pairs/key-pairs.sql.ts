import type { Sealed } from '../../keys/open-keyring.ts';
import { type Database, type Row, statement } from '../../platform/postgres/database.ts';

export type StoredKeyPair = {
  readonly keyId: string;
  /** SPKI, DER. */
  readonly publicKey: Buffer;
  /** PKCS #8, DER, sealed. */
  readonly privateKey: Sealed;
  readonly isRetired: boolean;
};

const LIST = statement(
  'cards.list_key_pairs',
  `select key_id, public_key, sealed_private_key, data_key_id, retired_at is not null as is_retired
   from card_key_pairs order by created_at desc limit 10`,
);

/** The newest first: the one in use, then those that may still open what is on its way. */
export async function listKeyPairs(database: Database): Promise<StoredKeyPair[]> {
  return (await database.query(LIST, [])).map(parse);
}

function parse(row: Row): StoredKeyPair {
  return {
    keyId: row.key_id as string,
    publicKey: row.public_key as Buffer,
    privateKey: { dataKeyId: row.data_key_id as number, bytes: row.sealed_private_key as Buffer },
    isRetired: row.is_retired as boolean,
  };
}

const INSERT = statement(
  'cards.insert_key_pair',
  `insert into card_key_pairs (key_id, public_key, sealed_private_key, data_key_id) values ($1, $2, $3, $4)
   on conflict do nothing`,
);

/** Does nothing when another process made the pair in use first. */
export async function insertKeyPair(
  database: Database,
  pair: Omit<StoredKeyPair, 'isRetired'>,
): Promise<void> {
  await database.query(INSERT, [
    pair.keyId,
    pair.publicKey,
    pair.privateKey.bytes,
    pair.privateKey.dataKeyId,
  ]);
}
