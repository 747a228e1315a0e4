import type { Sealed } from '../../keys/open-keyring.ts';
import {
  type Database,
  type Reader,
  type Row,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';

const PAIR = rowCodec({
  keyId: column.text(),
  /** The public key as SPKI in DER. */
  publicKey: column.bytes(),
  /** The private key as PKCS #8 in DER, sealed. */
  sealedPrivateKey: column.bytes(),
  dataKeyId: column.whole(),
  /** Real time, by the database's clock. */
  createdAt: column.instant(),
  retiredAt: column.nullable(column.instant()),
});

export type StoredKeyPair = ReturnType<typeof parse>;

/** Few, because every encrypted card is tried with all pairs. */
export const MOST_KEY_PAIRS = 8;

const LIST = statement(
  'cards.list_key_pairs',
  `select ${PAIR.columns}
   from card_key_pairs order by retired_at is null desc, created_at desc limit $1`,
);

/** A text that changes when a pair is made, retired, resealed or deleted. */
export const VERSION_OF_PAIRS = statement(
  'cards.version_of_key_pairs',
  `select string_agg(concat_ws(' ', key_id, xmin), ',' order by key_id) as version from card_key_pairs`,
);

/** First the pair in use, then retired ones, for cards that were encrypted before. */
export async function listKeyPairs(database: Database): Promise<StoredKeyPair[]> {
  return (await database.query(LIST, [MOST_KEY_PAIRS])).map(parse);
}

function parse(row: Row) {
  const { sealedPrivateKey, dataKeyId, ...pair } = PAIR.parse(row);
  const privateKey: Sealed = { dataKeyId, bytes: sealedPrivateKey };
  return { ...pair, privateKey, isRetired: pair.retiredAt !== null };
}

export type NewKeyPair = Pick<StoredKeyPair, 'keyId' | 'publicKey' | 'privateKey'>;

const INSERT = statement(
  'cards.insert_key_pair',
  `with key as materialized (
     select data_key_id from data_keys where data_key_id = $4 and retired_at is null for key share
   )
   insert into card_key_pairs (key_id, public_key, sealed_private_key, data_key_id)
   select $1::text, $2::bytea, $3::bytea, key.data_key_id from key
   on conflict do nothing
   returning key_id`,
);

/**
 * Writes nothing and returns no row if another process made the pair first, or if the data key was retired.
 */
export async function insertKeyPair(
  writer: Reader,
  { keyId, publicKey, privateKey }: NewKeyPair,
): Promise<boolean> {
  const values = [keyId, publicKey, privateKey.bytes, privateKey.dataKeyId];
  return (await writer.query(INSERT, values)).length === 1;
}

const RETIRE = statement(
  'cards.retire_key_pair',
  'update card_key_pairs set retired_at = now() where key_id = $1 and retired_at is null returning key_id',
);

export async function retireKeyPair(tx: Tx, keyId: string): Promise<boolean> {
  return (await tx.query(RETIRE, [keyId])).length === 1;
}

const OVERDUE = rowCodec({ keyId: column.text() });

/**
 * An encrypted card lives a day, and its clock may be a day ahead; a retired key may be served a second
 * longer.
 */
const LIST_OVERDUE = statement(
  'cards.list_overdue_pairs',
  `select ${OVERDUE.columns} from card_key_pairs where retired_at < now() - interval '48 hours 10 minutes'
   order by key_id limit $1`,
);

/** Retired pairs that no encrypted card can need any more. */
export async function listOverduePairs(database: Database, limit: number): Promise<string[]> {
  return (await database.query(LIST_OVERDUE, [limit])).map((row) => OVERDUE.parse(row).keyId);
}

const DELETE = statement(
  'cards.delete_key_pair',
  'delete from card_key_pairs where key_id = $1 and retired_at is not null returning key_id',
);

export async function deleteKeyPair(tx: Tx, keyId: string): Promise<boolean> {
  return (await tx.query(DELETE, [keyId])).length === 1;
}
