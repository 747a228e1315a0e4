import type { Sealed } from '../keys/open-keyring.ts';
import {
  type Database,
  type Row,
  type Statement,
  type Step,
  statement,
} from '../platform/postgres/database.ts';
import { cardTokenRecord } from './card.ts';
import { vaultCardRecord } from './vault/vault-card.ts';

/** A row that holds something sealed, by its primary key. */
export type SealedRow = {
  readonly key: readonly unknown[];
  readonly record: string;
  readonly sealed: Sealed;
};

/** A table with sealed rows: how those under some keys are held in order of their primary key, changed and counted. */
export type SealedTable = {
  readonly purpose: 'card' | 'keyPair';
  readonly name: string;
  /** Comes before every primary key. */
  readonly firstKey: readonly unknown[];
  readonly hold: Statement;
  readonly change: Statement;
  readonly count: Statement;
  readonly recordOf: (row: Row) => string;
  readonly keyOf: (row: Row) => readonly unknown[];
};

const CARD_TOKENS: SealedTable = {
  purpose: 'card',
  name: 'card tokens',
  firstKey: ['', Buffer.alloc(0)],
  hold: statement(
    'cards.hold_sealed_tokens',
    `select merchant_id, token_hash, sealed_number as sealed, data_key_id from card_tokens
     where data_key_id = any($1::integer[]) and (merchant_id, token_hash) > ($3::text, $4::bytea)
     order by merchant_id, token_hash limit $2 for no key update skip locked`,
  ),
  change: statement(
    'cards.reseal_tokens',
    `update card_tokens t set sealed_number = i.sealed, data_key_id = $1
     from unnest($2::bytea[], $3::integer[], $4::text[], $5::bytea[]) as i (sealed, expected, merchant_id, token_hash)
     where t.merchant_id = i.merchant_id and t.token_hash = i.token_hash and t.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'cards.count_sealed_tokens',
    `select data_key_id, count(*) as sealed_rows from card_tokens where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf: (row) => cardTokenRecord(row.merchant_id as string, row.token_hash as Buffer),
  keyOf: (row) => [row.merchant_id, row.token_hash],
};

const VAULT_CARDS: SealedTable = {
  purpose: 'card',
  name: 'stored cards',
  firstKey: ['', '00000000-0000-0000-0000-000000000000'],
  hold: statement(
    'vault.hold_sealed_cards',
    `select merchant_id, vault_id, sealed_number as sealed, data_key_id from vault_cards
     where data_key_id = any($1::integer[]) and (merchant_id, vault_id) > ($3::text, $4::uuid)
     order by merchant_id, vault_id limit $2 for no key update skip locked`,
  ),
  change: statement(
    'vault.reseal_cards',
    `update vault_cards v set sealed_number = i.sealed, data_key_id = $1
     from unnest($2::bytea[], $3::integer[], $4::text[], $5::uuid[]) as i (sealed, expected, merchant_id, vault_id)
     where v.merchant_id = i.merchant_id and v.vault_id = i.vault_id and v.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'vault.count_sealed_cards',
    `select data_key_id, count(*) as sealed_rows from vault_cards where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf: (row) => vaultCardRecord(row.merchant_id as string, row.vault_id as string),
  keyOf: (row) => [row.merchant_id, row.vault_id],
};

const KEY_PAIRS: SealedTable = {
  purpose: 'keyPair',
  name: 'key pairs',
  firstKey: [''],
  hold: statement(
    'cards.hold_sealed_pairs',
    `select key_id, sealed_private_key as sealed, data_key_id from card_key_pairs
     where data_key_id = any($1::integer[]) and key_id > $3::text
     order by key_id limit $2 for no key update skip locked`,
  ),
  change: statement(
    'cards.reseal_pairs',
    `update card_key_pairs p set sealed_private_key = i.sealed, data_key_id = $1
     from unnest($2::bytea[], $3::integer[], $4::text[]) as i (sealed, expected, key_id)
     where p.key_id = i.key_id and p.data_key_id = i.expected
     returning 1`,
  ),
  count: statement(
    'cards.count_sealed_pairs',
    `select data_key_id, count(*) as sealed_rows from card_key_pairs where data_key_id = any($1::integer[])
     group by data_key_id`,
  ),
  recordOf: (row) => row.key_id as string,
  keyOf: (row) => [row.key_id],
};

export const SEALED_TABLES: readonly SealedTable[] = [CARD_TOKENS, VAULT_CARDS, KEY_PAIRS];

/** Holds the next rows, behind a primary key, that were sealed under one of the keys; rows held elsewhere are left out. */
export function holdSealedRows(
  table: SealedTable,
  dataKeyIds: readonly number[],
  after: readonly unknown[],
  limit: number,
): Step {
  return { statement: table.hold, values: [dataKeyIds, limit, ...after] };
}

export function parseSealedRow(table: SealedTable, row: Row): SealedRow {
  const sealed = { dataKeyId: row.data_key_id as number, bytes: row.sealed as Buffer };
  return { key: table.keyOf(row), record: table.recordOf(row), sealed };
}

/** Writes the rows, each still under the key that it had, as they were sealed under `dataKeyId`. */
export function resealing(
  table: SealedTable,
  dataKeyId: number,
  rows: readonly (SealedRow & { readonly bytes: Buffer })[],
): Step {
  const keyColumns = table.firstKey.map((_, index) => rows.map((row) => row.key[index]));
  const expected = rows.map((row) => row.sealed.dataKeyId);
  return {
    statement: table.change,
    values: [dataKeyId, rows.map((row) => row.bytes), expected, ...keyColumns],
  };
}

/** How many rows each of the data keys has sealed, over all tables; one that sealed none has no entry. */
export async function countSealedRows(
  database: Database,
  dataKeyIds: readonly number[],
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { count } of SEALED_TABLES) {
    for (const row of await database.query(count, [dataKeyIds])) {
      const dataKeyId = row.data_key_id as number;
      counts.set(dataKeyId, (counts.get(dataKeyId) ?? 0) + (row.sealed_rows as number));
    }
  }
  return counts;
}
