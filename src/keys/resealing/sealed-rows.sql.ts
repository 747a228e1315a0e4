import {
  type Database,
  type Row,
  type Statement,
  statement,
  type Tx,
} from '../../platform/postgres/database.ts';
import { type InputRows, inputRows } from '../../platform/postgres/input-rows.ts';
import { column, columnName, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Sealed, SealingPurpose } from '../open-keyring.ts';

export type SealedRow = {
  readonly key: readonly unknown[];
  readonly record: string;
  readonly sealed: Sealed;
};

export type ResealedRow = SealedRow & { readonly bytes: Buffer };

/** `first` comes before every value of the type. */
const KEY_TYPES = {
  text: { first: '', read: column.text() },
  uuid: { first: '00000000-0000-0000-0000-000000000000', read: column.text() },
  bytea: { first: Buffer.alloc(0), read: column.bytes() },
} as const;

type KeyType = keyof typeof KEY_TYPES;
type Key = Readonly<Record<string, KeyType>>;
type KeyOf<K extends Key> = { readonly [Part in keyof K]: K[Part] extends 'bytea' ? Buffer : string };

/** A table with two sealed columns is described twice. */
export type SealedColumn<K extends Key = Key> = {
  /** Begins the names of its statements. */
  readonly name: string;
  readonly table: string;
  readonly sealed: string;
  readonly keyId: string;
  readonly purpose: SealingPurpose;
  /** In the order of the primary key. */
  readonly key: K;
  /** The record that the sealed bytes are bound to. */
  readonly record: (key: KeyOf<K>) => string;
};

export type SealedTable = {
  readonly purpose: SealingPurpose;
  readonly firstKey: readonly unknown[];
  /**
   * `$1` data keys, `$2` most rows, then the primary key to start after. Returns the primary key, `sealed`
   * and `data_key_id`.
   */
  readonly hold: Statement;
  /** `$1` the new data key, then the rows. */
  readonly change: Statement;
  readonly rows: InputRows<ResealedRow>;
  /** `$1` data keys; returns `data_key_id` and `sealed_rows`. */
  readonly count: Statement;
  readonly readKey: (row: Row) => Pick<SealedRow, 'key' | 'record'>;
};

function inputOf(key: Key): InputRows<ResealedRow> {
  const parts = Object.values(key).map((type, at) => [type, (row: ResealedRow) => row.key[at] as never]);
  const names = Object.keys(key).map(columnName);
  return inputRows<ResealedRow>(
    {
      sealed: ['bytea', (row) => row.bytes],
      expected: ['integer', (row) => row.sealed.dataKeyId],
      ...Object.fromEntries(names.map((name, at) => [name, parts[at] as ['text', () => never]])),
    },
    { after: 1 },
  );
}

/** Texts of a table's statements, by what their names end with. */
export function sealedTexts({ table, sealed, keyId, key }: Omit<SealedColumn, 'record'>) {
  const names = Object.keys(key).map(columnName);
  const columns = names.join(', ');
  const after = Object.values(key).map((type, at) => `$${at + 3}::${type}`);
  return {
    hold_sealed: `select ${columns}, ${sealed} as sealed, ${keyId} as data_key_id from ${table}
     where ${keyId} = any($1::integer[]) and (${columns}) > (${after.join(', ')})
     order by ${columns} limit $2 for no key update skip locked`,
    reseal: `update ${table} t set ${sealed} = i.sealed, ${keyId} = $1
     from ${inputOf(key).sql}
     where ${names.map((name) => `t.${name} = i.${name}`).join(' and ')} and t.${keyId} = i.expected
     returning 1`,
    count_sealed: `select ${keyId} as data_key_id, count(*) as sealed_rows from ${table}
     where ${keyId} = any($1::integer[]) group by ${keyId}`,
  } as const;
}

export function sealedTable<const K extends Key>(described: SealedColumn<K>): SealedTable {
  const { name, purpose, key, record } = described;
  const texts = sealedTexts(described);
  const declared = (end: keyof typeof texts) => statement(`${name}.${end}`, texts[end]);
  const parts = Object.entries(key).map(([part, type]) => [part, KEY_TYPES[type].read] as const);
  const codec = rowCodec<KeyOf<K>>(Object.fromEntries(parts) as Parameters<typeof rowCodec<KeyOf<K>>>[0]);
  return {
    purpose,
    firstKey: Object.values(key).map((type) => KEY_TYPES[type].first),
    hold: declared('hold_sealed'),
    change: declared('reseal'),
    rows: inputOf(key),
    count: declared('count_sealed'),
    readKey(row) {
      const read = codec.parse(row);
      return { key: Object.values(read), record: record(read) };
    },
  };
}

const SEALED = rowCodec({ dataKeyId: column.whole(), sealed: column.bytes() });
const COUNTED = rowCodec({ dataKeyId: column.whole(), sealedRows: column.whole() });

/** Locks the next rows sealed under one of the keys. Skips rows locked elsewhere. */
export async function holdSealedRows(
  tx: Tx,
  table: SealedTable,
  dataKeyIds: readonly number[],
  after: readonly unknown[],
  limit: number,
): Promise<SealedRow[]> {
  const rows = await tx.query(table.hold, [dataKeyIds, limit, ...after]);
  return rows.map((row) => {
    const { dataKeyId, sealed } = SEALED.parse(row);
    return {
      ...table.readKey(row),
      sealed: { dataKeyId, bytes: sealed },
    };
  });
}

/** Writes rows still under their former key; returns how many. */
export async function resealHeldRows(
  tx: Tx,
  table: SealedTable,
  dataKeyId: number,
  rows: readonly ResealedRow[],
): Promise<number> {
  return (await tx.query(table.change, [dataKeyId, ...table.rows.values(rows)])).length;
}

/** Counts rows by data key, over all tables. A key without rows has no entry. */
export async function countSealedRows(
  database: Database,
  tables: readonly SealedTable[],
  dataKeyIds: readonly number[],
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { count } of tables) {
    for (const row of await database.query(count, [dataKeyIds])) {
      const { dataKeyId, sealedRows } = COUNTED.parse(row);
      counts.set(dataKeyId, (counts.get(dataKeyId) ?? 0) + sealedRows);
    }
  }
  return counts;
}
