import type { Database, Row, Statement, Tx } from '../../platform/postgres/database.ts';
import type { InputColumns, InputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
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

const SEALED = rowCodec({ dataKeyId: column.whole(), sealed: column.bytes() });
const COUNTED = rowCodec({ dataKeyId: column.whole(), sealedRows: column.whole() });

/**
 * Locks the next rows, behind a primary key, that were sealed under one of the keys; rows locked
 * elsewhere are left out.
 */
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
      key: table.keyOf(row),
      record: table.recordOf(row),
      sealed: { dataKeyId, bytes: sealed },
    };
  });
}

/**
 * Writes the rows, each still under the key that it had, as they were sealed under `dataKeyId`; gives how
 * many.
 */
export async function resealHeldRows(
  tx: Tx,
  table: SealedTable,
  dataKeyId: number,
  rows: readonly ResealedRow[],
): Promise<number> {
  return (await tx.query(table.change, [dataKeyId, ...table.rows.values(rows)])).length;
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
      const { dataKeyId, sealedRows } = COUNTED.parse(row);
      counts.set(dataKeyId, (counts.get(dataKeyId) ?? 0) + sealedRows);
    }
  }
  return counts;
}
