import { holdInUse } from '../keys/data-keys.sql.ts';
import type { Keyring, SealingPurpose } from '../keys/open-keyring.ts';
import type { CommitStep, Database } from '../platform/postgres/database.ts';
import {
  countSealedRows,
  holdSealedRows,
  parseSealedRow,
  resealing,
  SEALED_TABLES,
  type SealedRow,
  type SealedTable,
} from './sealed-rows.sql.ts';

export type ResealTools = { readonly database: Database; readonly keyring: Keyring };

/** Held together for a few milliseconds: a payment that meets one of them waits that long. */
const ROWS_PER_COMMIT = 100;

export type Walk = {
  /** Rows that were sealed again. */
  readonly resealed: number;
  /** Rows that do not open, and stay as they are. */
  readonly unopened: number;
};

/** The key that was in use here was retired in between. */
class KeyRetired extends Error {}

/**
 * Seals again, under the key in use, what retired keys of the purpose have sealed: one walk over every table in the order of
 * its primary key, a commit for each batch, so that it may be killed anywhere. Several processes share the walk, for each
 * leaves out what another holds. Rows that do not open stay as they are, with an alarm for each.
 */
export async function resealRows(
  tools: ResealTools,
  purpose: SealingPurpose,
  onBatch: (rows: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Walk> {
  await tools.keyring.reload();
  let resealed = 0;
  let unopened = 0;
  for (const table of SEALED_TABLES.filter((candidate) => candidate.purpose === purpose)) {
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

/** How many rows of the purpose are under keys that are retired. */
export async function countRowsUnderRetired(tools: ResealTools, purpose: SealingPurpose): Promise<number> {
  await tools.keyring.reload();
  const counts = await countSealedRows(tools.database, tools.keyring.retiredKeys(purpose));
  return [...counts.values()].reduce((sum, rows) => sum + rows, 0);
}

type Batch = Walk & {
  /** The last row that was looked at; null behind the end. */
  readonly last: readonly unknown[] | null;
};

async function resealBatch(
  tools: ResealTools,
  table: SealedTable,
  after: readonly unknown[],
): Promise<Batch> {
  const { database, keyring } = tools;
  const inUse = keyring.keyInUse(table.purpose);
  let found: SealedRow[] = [];
  let opened: ReturnType<typeof sealedAgain> = [];
  const steps: CommitStep[] = [
    holdInUse(inUse),
    (rows) => {
      if (rows[0]?.length !== 1) throw new KeyRetired();
      return holdSealedRows(table, keyring.retiredKeys(table.purpose), after, ROWS_PER_COMMIT);
    },
    (rows) => {
      found = (rows[1] ?? []).map((row) => parseSealedRow(table, row));
      opened = sealedAgain(keyring, table, inUse, found);
      return resealing(table, inUse, opened);
    },
  ];
  try {
    const rows = await database.commit(steps);
    const last = found.length < ROWS_PER_COMMIT ? null : (found.at(-1)?.key ?? null);
    return { resealed: rows[2]?.length ?? 0, unopened: found.length - opened.length, last };
  } catch (error) {
    if (!(error instanceof KeyRetired)) throw error;
    await keyring.reload();
    return { resealed: 0, unopened: 0, last: after };
  }
}

/** Throws when the keyring was read anew in this very moment and names another key now: the batch begins again. */
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
