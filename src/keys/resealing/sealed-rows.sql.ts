import type { Database, Row, Statement, Step } from '../../platform/postgres/database.ts';
import type { InputColumns, InputRows } from '../../platform/postgres/input-rows.ts';
import type { Sealed, SealingPurpose } from '../open-keyring.ts';

/** A row with sealed bytes, by its primary key. */
export type SealedRow = {
  readonly key: readonly unknown[];
  readonly record: string;
  readonly sealed: Sealed;
};

/** Sealed anew, as `bytes`. */
export type ResealedRow = SealedRow & { readonly bytes: Buffer };

/**
 * What the rows of every table have, `inputRows` behind `$1`; the parts of the primary key follow.
 */
export const RESEALED = {
  sealed: ['bytea', (row) => row.bytes],
  expected: ['integer', (row) => row.sealed.dataKeyId],
} as const satisfies InputColumns<ResealedRow>;

/** A part of the primary key, as it was read; it is of the type of its column. */
export function keyPart(at: number): (row: ResealedRow) => never {
  return (row) => row.key[at] as never;
}

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
  /** `$1` the new key, then the rows. */
  readonly change: Statement;
  readonly rows: InputRows<ResealedRow>;
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
export function resealing(table: SealedTable, dataKeyId: number, rows: readonly ResealedRow[]): Step {
  return { statement: table.change, values: [dataKeyId, ...table.rows.values(rows)] };
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
