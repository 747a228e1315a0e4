import { daysBetween } from '../days.ts';
import type { FileWriter } from './file-content.ts';
import { type FileFault, kindsSpoiled, spoiledRows } from './file-faults.ts';
import type { FileRow } from './file-rows.ts';
import type { WrittenFile } from './sent-file.ts';

/** What is asked of the file of a day. */
export type FileOrder = {
  readonly merchantId: string;
  readonly day: string;
  readonly fault: FileFault | null;
  /** Which row the fault is in, from 1. */
  readonly position: number;
};

export const MOST_ROWS = 500_000;
/** File 1 is that of the day behind it. */
const FIRST_DAY = '2019-12-31';

/** The file of the rows: the same rows give the same bytes. A word: why there is none. */
export function writtenFile(
  writer: FileWriter,
  all: readonly FileRow[],
  order: FileOrder,
): WrittenFile | 'tooLarge' | 'noSuchRow' {
  const { merchantId, day, fault } = order;
  const own = writer.ownRows(all);
  if (own.length > MOST_ROWS) return 'tooLarge';
  const rows = orderedRows(own, writer, order);
  if (rows === null) return 'noSuchRow';
  const sequence = Math.max(1, daysBetween(FIRST_DAY, day));
  const content = { merchantId, day, sequence, rows, isTrailerBroken: fault === 'brokenTrailer' };
  return { name: writer.nameOf(content), lines: writer.linesOf(content) };
}

/** With the fault that was ordered, if the format can have it. */
function orderedRows(
  rows: readonly FileRow[],
  { faultIn, faults }: FileWriter,
  { fault, position }: FileOrder,
): readonly FileRow[] | null {
  if (fault === null || fault === 'brokenTrailer') return rows;
  const kinds = kindsSpoiled(fault) ?? [faultIn];
  return faults.includes(fault) ? spoiledRows(rows, fault, { kinds, position }) : null;
}
