import type { Sealed } from '../../keys/open-keyring.ts';
import type { BatchedReadOptions } from '../../platform/postgres/batched-reads.ts';
import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Database, statement } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { CardSource } from '../card.ts';

export type CardTokenRow = {
  readonly merchantId: string;
  readonly tokenHash: Buffer;
  readonly number: Sealed;
  readonly lifetimeMilliseconds: number;
  /** The encrypted card that the token was made from; null: the token is its own card source. */
  readonly madeFrom: CardSource | null;
};

const INPUT = inputRows<CardTokenRow>({
  merchant_id: ['text', (row) => row.merchantId],
  token_hash: ['bytea', (row) => row.tokenHash],
  sealed_number: ['bytea', (row) => row.number.bytes],
  data_key_id: ['integer', (row) => row.number.dataKeyId],
  lifetime: ['integer', (row) => row.lifetimeMilliseconds],
  source_hash: ['bytea', (row) => row.madeFrom?.hash ?? null],
  source_expires_at: [
    'timestamptz',
    (row) => (row.madeFrom === null ? null : new Date(row.madeFrom.expiresAt).toISOString()),
  ],
});

const KEY_IN_USE = rowCodec({ dataKeyId: column.whole() });

/** Locks the keys: a rotation waits, or has retired the key, and then nothing is written. */
const INSERT = statement(
  'cards.insert_tokens',
  `with input as (
     select * from ${INPUT.sql}
   ), keys as materialized (
     select data_key_id from data_keys where data_key_id = any($4) and retired_at is null for key share
   ), written as (
     insert into card_tokens (merchant_id, token_hash, sealed_number, data_key_id, expires_at, source_hash,
       source_expires_at)
     select i.merchant_id, i.token_hash, i.sealed_number, i.data_key_id, now() + i.lifetime * interval '1 millisecond',
       coalesce(i.source_hash, i.token_hash),
       coalesce(i.source_expires_at, now() + i.lifetime * interval '1 millisecond')
     from input i join keys using (data_key_id)
     on conflict do nothing
   )
   select ${KEY_IN_USE.columns} from keys`,
);

export type TokenResult = 'written' | 'keyRetired';

/**
 * Rows are known by a hash of 122 random bits: one that is there already was written before a lost
 * connection.
 */
export function cardTokensWrite(database: Database): BatchedWriteOptions<CardTokenRow, TokenResult> {
  return {
    name: 'cardTokens',
    isRefusal: () => false,
    key: (row) => row.tokenHash.toString('hex'),
    merchant: (row) => row.merchantId,
    write: async (rows) => {
      const inUse = await database.query(INSERT, INPUT.values(rows));
      const keys = new Set(inUse.map((row) => KEY_IN_USE.parse(row).dataKeyId));
      return new Map(
        rows.map(({ tokenHash, number }) => [
          tokenHash.toString('hex'),
          keys.has(number.dataKeyId) ? 'written' : 'keyRetired',
        ]),
      );
    },
  };
}

export type CardTokenKey = { readonly merchantId: string; readonly tokenHash: Buffer };

const KEYS = inputRows<CardTokenKey>({
  merchant_id: ['text', (key) => key.merchantId],
  token_hash: ['bytea', (key) => key.tokenHash],
});

const TOKEN = rowCodec(
  {
    merchantId: column.text(),
    tokenHash: column.bytes(),
    sealedNumber: column.bytes(),
    dataKeyId: column.whole(),
    sourceHash: column.bytes(),
    sourceExpiresAt: column.instant(),
    isUsed: column.boolean(`exists (
       select 1 from card_source_locks c where c.merchant_id = t.merchant_id and c.source_hash = t.source_hash
     )`),
  },
  't',
);

const FIND = statement(
  'cards.find_tokens',
  `select ${TOKEN.columns}
   from ${KEYS.sql}
   join card_tokens t on t.merchant_id = i.merchant_id and t.token_hash = i.token_hash
   where t.expires_at > now()`,
);

/** `isUsed`: the caller gets the answer of an unknown token. */
export type LiveCardToken = {
  readonly number: Sealed;
  readonly cardSource: CardSource;
  readonly isUsed: boolean;
};

/**
 * Reads tokens that have not expired, each for one merchant. Of two concurrent uses the lock of the card
 * source lets one through.
 */
export function cardTokensRead(database: Database): BatchedReadOptions<CardTokenKey, LiveCardToken> {
  return {
    name: 'card tokens',
    textOf,
    async read(keys) {
      const rows = await database.query(FIND, KEYS.values(keys));
      return new Map(rows.map(TOKEN.parse).map((token) => [textOf(token), liveToken(token)]));
    },
  };
}

function textOf({ merchantId, tokenHash }: CardTokenKey): string {
  return `${merchantId}|${tokenHash.toString('hex')}`;
}

function liveToken(token: RowOf<typeof TOKEN>): LiveCardToken {
  const { sealedNumber, dataKeyId, sourceHash, sourceExpiresAt, isUsed } = token;
  return {
    number: { dataKeyId, bytes: sealedNumber },
    cardSource: { hash: sourceHash, expiresAt: sourceExpiresAt },
    isUsed,
  };
}

export const deleteExpiredTokens = forgetting({
  table: 'card_tokens',
  by: 'expires_at',
  over: "expires_at < now() - interval '1 minute'",
});

/**
 * A CTE `locked_sources` that locks card sources. Reads the CTE `wanted_sources`: merchant_id, source_hash,
 * transaction_id, source_expires_at. Returns the transactions that have their lock.
 */
export const LOCK_CARD_SOURCES = `locked_sources as (
     insert into card_source_locks (merchant_id, source_hash, transaction_id, expires_at)
     select merchant_id, source_hash, transaction_id, source_expires_at from wanted_sources
     order by merchant_id, source_hash
     on conflict do nothing
     returning transaction_id
   )`;

/** A CTE that deletes locks. Reads the CTE `given_back`: merchant_id, source_hash and transaction_id. */
export const FREE_CARD_SOURCES = `freed_sources as (
     delete from card_source_locks c using given_back g
     where c.merchant_id = g.merchant_id and c.source_hash = g.source_hash and c.transaction_id = g.transaction_id
   )`;

/** A lock lives a day longer than its source, because clocks may be late. */
export const deleteExpiredLocks = forgetting({
  table: 'card_source_locks',
  by: 'expires_at',
  over: "expires_at < now() - interval '1 day'",
});
