import type { Database } from '../../platform/postgres/database.ts';
import { KeyRetired, keepInUse } from '../data-keys.sql.ts';
import type { Keyring } from '../open-keyring.ts';
import {
  countSealedRows,
  holdSealedRows,
  resealHeldRows,
  type SealedRow,
  type SealedTable,
} from './sealed-rows.sql.ts';

export type ResealTools = { readonly database: Database; readonly keyring: Keyring };

/** A payment that needs one of these rows waits for milliseconds. */
const ROWS_PER_COMMIT = 100;

export type Walk = {
  readonly resealed: number;
  /** Rows that did not open: they stay as they are. */
  readonly unopened: number;
};

/**
 * Reseals under the key in use what retired keys have sealed. Goes through each table by primary key, with a
 * commit for each batch, so that it may be killed anywhere. Several processes share the work by skipping
 * locked rows. Rows that do not open stay, with an alarm.
 */
export async function resealRows(
  tools: ResealTools,
  tables: readonly SealedTable[],
  onBatch: (rows: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Walk> {
  await tools.keyring.reload();
  let resealed = 0;
  let unopened = 0;
  for (const table of tables) {
    let after: readonly unknown[] | null = table.firstKey;
    while (after !== null && !signal?.aborted) {
      const batch: Batch = await resealBatch(tools, table, after);
      resealed += batch.resealed;
      unopened += batch.unopened;
      if (batch.resealed > 0) onBatch(batch.resealed);
      after = batch.last;
    }
  }
  return { resealed, unopened };
}

export async function countRowsUnderRetired(
  { database, keyring }: ResealTools,
  tables: readonly SealedTable[],
): Promise<number> {
  await keyring.reload();
  const counts = await countSealedRows(database, tables, retiredKeysOf(keyring, tables));
  return [...counts.values()].reduce((sum, rows) => sum + rows, 0);
}

export function retiredKeysOf(keyring: Keyring, tables: readonly SealedTable[]): number[] {
  const purposes = new Set(tables.map(({ purpose }) => purpose));
  return [...purposes].flatMap((purpose) => keyring.retiredKeys(purpose));
}

type Batch = Walk & {
  readonly last: readonly unknown[] | null;
};

async function resealBatch(
  tools: ResealTools,
  table: SealedTable,
  after: readonly unknown[],
): Promise<Batch> {
  const { database, keyring } = tools;
  const inUse = keyring.keyInUse(table.purpose);
  try {
    return await database.transaction(async (tx) => {
      await keepInUse(tx, inUse);
      const retired = keyring.retiredKeys(table.purpose);
      const found = await holdSealedRows(tx, table, retired, after, ROWS_PER_COMMIT);
      const opened = sealedAgain(keyring, table, inUse, found);
      const resealed = await resealHeldRows(tx, table, inUse, opened);
      const last = found.length < ROWS_PER_COMMIT ? null : (found.at(-1)?.key ?? null);
      return { resealed, unopened: found.length - opened.length, last };
    });
  } catch (error) {
    if (!(error instanceof KeyRetired)) throw error;
    await keyring.reload();
    return { resealed: 0, unopened: 0, last: after };
  }
}

/** Throws if the keyring was reloaded just now and names another key: the batch begins again. */
function sealedAgain(
  keyring: Keyring,
  { purpose }: SealedTable,
  inUse: number,
  found: readonly SealedRow[],
): (SealedRow & { bytes: Buffer })[] {
  return found.flatMap((row) => {
    const sealed = keyring.sealAgain(purpose, row.record, row.sealed);
    if (sealed === null) return [];
    if (sealed.dataKeyId !== inUse) throw new KeyRetired();
    return [{ ...row, bytes: sealed.bytes }];
  });
}
