import type { Database, Row, Statement, Step } from '../../platform/postgres/database.ts';
import type { Sealed, SealingPurpose } from '../open-keyring.ts';

/** A row with sealed bytes, by its primary key. */
export type SealedRow = {
  readonly key: readonly unknown[];
  readonly record: string;
  readonly sealed: Sealed;
};

/**
 * A sealed column of a table, as its module declares it: how rows under some keys are locked in
 * order of their primary key, changed and counted. A table with two such columns is declared twice.
 */
export type SealedTable = {
  readonly purpose: SealingPurpose;
  /** Comes before every primary key. */
  readonly firstKey: readonly unknown[];
  /**
   * `$1` keys, `$2` most rows, then the primary key behind which they stand; returns it, `sealed`
   * and `data_key_id`.
   */
  readonly hold: Statement;
  /**
   * `$1` the new key, then lists: sealed bytes, the key that is expected, the parts of the primary
   * key.
   */
  readonly change: Statement;
  /** `$1` keys; returns `data_key_id` and `sealed_rows`. */
  readonly count: Statement;
  readonly recordOf: (row: Row) => string;
  readonly keyOf: (row: Row) => readonly unknown[];
};

/**
 * Locks the next rows, behind a primary key, that were sealed under one of the keys; rows locked
 * elsewhere are left out.
 */
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

/**
 * How many rows each of the data keys has sealed, over the tables; one that sealed none has no
 * entry.
 */
export async function countSealedRows(
  database: Database,
  tables: readonly SealedTable[],
  dataKeyIds: readonly number[],
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { count } of tables) {
    for (const row of await database.query(count, [dataKeyIds])) {
      const dataKeyId = row.data_key_id as number;
      counts.set(dataKeyId, (counts.get(dataKeyId) ?? 0) + (row.sealed_rows as number));
    }
  }
  return counts;
}
