import { daysBetween } from '../kit/days.ts';
import { type Answer, NO_SUCH_ROW, TOO_LARGE } from './answers.ts';
import type { Charges } from './charges.ts';
import { ADIQ } from './file-adiq.ts';
import { CIELO } from './file-cielo.ts';
import type { FileWriter } from './file-content.ts';
import { type FileFault, kindsSpoiled, spoiledRows } from './file-faults.ts';
import { REDE_EEFI } from './file-rede-eefi.ts';
import { REDE_EEVC } from './file-rede-eevc.ts';
import { type FileRow, rowsOf } from './file-rows.ts';

/** Files as acquirers write them, by the words of the question. */
export const FILE_FORMATS = ['adiq', 'cielo04', 'redeEevc', 'redeEefi'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export type FileQuery = {
  readonly merchantId: string;
  readonly format: FileFormat;
  readonly day: string;
  /** The merchant's time; null: the acquirer's own clock. */
  readonly until: number | null;
  readonly fault: FileFault | null;
  /** Which row the fault is in, from 1. */
  readonly position: number;
};

export const MOST_ROWS = 500_000;
/** File 1 is that of the day behind it. */
const FIRST_DAY = '2019-12-31';

const WRITERS: Readonly<Record<FileFormat, FileWriter>> = {
  adiq: ADIQ,
  cielo04: CIELO,
  redeEevc: REDE_EEVC,
  redeEefi: REDE_EEFI,
};

/** The file of a day, from what the ledger holds now: the same ledger gives the same bytes. */
export function fileAnswer(charges: Charges, query: FileQuery): Answer {
  const { merchantId, format, day, fault } = query;
  const { ownRows, nameOf, linesOf } = WRITERS[format];
  const all = ownRows(rowsOf(charges, merchantId, day));
  if (all.length > MOST_ROWS) return TOO_LARGE;
  const rows = orderedRows(all, WRITERS[format], query);
  if (rows === null) return NO_SUCH_ROW;
  const sequence = Math.max(1, daysBetween(FIRST_DAY, day));
  const content = { merchantId, day, sequence, rows, isTrailerBroken: fault === 'brokenTrailer' };
  return { status: 200, body: {}, file: { name: nameOf(content), lines: linesOf(content) } };
}

/** With the fault that was ordered, if the format can have it. */
function orderedRows(
  rows: readonly FileRow[],
  { faultIn, faults }: FileWriter,
  { fault, position }: FileQuery,
): readonly FileRow[] | null {
  if (fault === null || fault === 'brokenTrailer') return rows;
  const kinds = kindsSpoiled(fault) ?? [faultIn];
  return faults.includes(fault) ? spoiledRows(rows, fault, { kinds, position }) : null;
}
