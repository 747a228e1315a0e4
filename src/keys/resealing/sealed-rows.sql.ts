import type { Database, Row, Statement, Tx } from '../../platform/postgres/database.ts';
import type { InputColumns, InputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Sealed, SealingPurpose } from '../open-keyring.ts';

export type SealedRow = {
  readonly key: readonly unknown[];
  readonly record: string;
  readonly sealed: Sealed;
};

export type ResealedRow = SealedRow & { readonly bytes: Buffer };

/** Columns of every table, `inputRows` after `$1`; the primary key follows. */
export const RESEALED = {
  sealed: ['bytea', (row) => row.bytes],
  expected: ['integer', (row) => row.sealed.dataKeyId],
} as const satisfies InputColumns<ResealedRow>;

/** A part of the primary key as read, with its column's type. */
export function keyPart(at: number): (row: ResealedRow) => never {
  return (row) => row.key[at] as never;
}

/**
 * A sealed column of a table: how rows under some keys are locked in primary key order, changed and counted.
 * A table with two such columns is declared twice.
 */
export type SealedTable = {
  readonly purpose: SealingPurpose;
  /** Before every primary key. */
  readonly firstKey: readonly unknown[];
  /** `$1` keys, `$2` most rows, then the primary key to start after. Gives it, `sealed` and `data_key_id`. */
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
      key: table.keyOf(row),
      record: table.recordOf(row),
      sealed: { dataKeyId, bytes: sealed },
    };
  });
}

/** Writes each row still under its former key; gives how many. */
export async function resealHeldRows(
  tx: Tx,
  table: SealedTable,
  dataKeyId: number,
  rows: readonly ResealedRow[],
): Promise<number> {
  return (await tx.query(table.change, [dataKeyId, ...table.rows.values(rows)])).length;
}

/** By data key, over all tables; without an entry for 0. */
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
