import { ADIQ } from '../kit/files/file-adiq.ts';
import { CIELO, CIELO_03 } from '../kit/files/file-cielo.ts';
import type { FileWriter } from '../kit/files/file-content.ts';
import { GETNET } from '../kit/files/file-getnet.ts';
import { REDE_EEFI } from '../kit/files/file-rede-eefi.ts';
import { REDE_EEVC } from '../kit/files/file-rede-eevc.ts';
import { type FileOrder, writtenFile } from '../kit/files/files.ts';
import { type Answer, NO_SUCH_ROW, TOO_LARGE } from './answers.ts';
import type { Charges } from './charges.ts';
import { rowsOf } from './file-rows.ts';

/** Files as acquirers write them, by the words of the question. */
export const FILE_FORMATS = ['adiq', 'cielo03', 'cielo04', 'redeEevc', 'redeEefi', 'getnet'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export type FileQuery = FileOrder & {
  readonly format: FileFormat;
  /** The merchant's time; null: the acquirer's own clock. */
  readonly until: number | null;
};

const WRITERS: Readonly<Record<FileFormat, FileWriter>> = {
  adiq: ADIQ,
  cielo03: CIELO_03,
  cielo04: CIELO,
  redeEevc: REDE_EEVC,
  redeEefi: REDE_EEFI,
  getnet: GETNET,
};

/** The file of a day, from what the ledger holds now: the same ledger gives the same bytes. */
export function fileAnswer(charges: Charges, query: FileQuery): Answer {
  const { merchantId, format, day } = query;
  const file = writtenFile(WRITERS[format], rowsOf(charges, merchantId, day), query);
  if (file === 'tooLarge') return TOO_LARGE;
  return file === 'noSuchRow' ? NO_SUCH_ROW : { status: 200, body: {}, file };
}
