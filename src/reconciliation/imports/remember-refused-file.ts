import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Database } from '../../platform/postgres/database.ts';
import type { ImportResult } from './import-settlement-file.ts';
import { keptName } from './settlement-file.ts';
import { keepRefusedFile } from './settlement-refusals.sql.ts';

/** A file with one fault often has it in every line. */
const MOST_FAULTS = 20;

/** So that a person finds out without the log why a file is missing; by whom it was given. */
export async function rememberRefusedFile(
  { database }: { readonly database: Database },
  path: string,
  { sha256, reason, faults }: Extract<ImportResult, { kind: 'refused' }>,
  refusedBy: string,
): Promise<void> {
  const found = await lstat(path).catch(() => null);
  await keepRefusedFile(database, {
    sha256,
    name: keptName(basename(path)),
    sizeBytes: found?.size ?? 0,
    reason,
    faults: faults.slice(0, MOST_FAULTS),
    refusedBy,
  });
}
