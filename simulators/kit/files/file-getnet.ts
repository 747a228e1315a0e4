import { dayAfter, saoPauloTimeOf } from '../days.ts';
import { byInstallment, countedRecords, type FileContent, type FileWriter } from './file-content.ts';
import { FILE_FAULTS } from './file-faults.ts';
import {
  cents,
  dayFirst,
  digits,
  establishmentOf,
  lineOf,
  maskedCard,
  orderNumberOf,
  text,
  yearFirst,
} from './file-fields.ts';
import type { FileRow } from './file-rows.ts';

/** Getnet, V10: each installment in a batch of its own, first as it is sold and again when it is paid. */
export const GETNET: FileWriter = {
  faultIn: 'payout',
  faults: FILE_FAULTS,
  ownRows: (rows) => byInstallment(rows.flatMap((row) => (row.kind === 'sale' ? soldParts(row) : [row]))),
  nameOf: ({ day, sequence }) => `getnetextr_${yearFirst(day)}_${digits(sequence, 7)}_c101.txt`,
  linesOf,
};

function soldParts(row: FileRow): FileRow[] {
  return row.sale.parts.map((part, index) => ({ ...row, ...part, installmentNumber: index + 1 }));
}

function* linesOf(content: FileContent): Generator<string> {
  const { merchantId, rows, day, sequence } = content;
  const establishment = establishmentOf(merchantId, 15);
  yield lineOf(400, [
    [1, 1, '0'],
    [2, 15, `${dayFirst(dayAfter(day, 1))}060000`],
    [16, 31, `${dayFirst(day)}CEADM100`],
    [32, 46, establishment],
    [61, 80, text('GETNET S.A.', 20)],
    [81, 91, `${digits(sequence, 9)}GS`],
    [92, 116, text('SANT. V.10.1 400 BYTES', 25)],
  ]);
  for (const [index, row] of rows.entries()) {
    const batch = digits(index + 1, 9);
    yield batchRecord(row, batch, establishment);
    yield isTaken(row) ? adjustmentRecord(row, batch, establishment) : saleRecord(row, batch, establishment);
  }
  yield lineOf(400, [
    [1, 1, '9'],
    [2, 10, digits(countedRecords(rows.length * 2 + 2, content), 9)],
  ]);
}

function batchRecord(row: FileRow, batch: string, establishment: string): string {
  const { gross, fee, net, anticipationFee, sale, bankOn } = row;
  const isDebit = isTaken(row);
  // The cost of an anticipation is kept from the credit, and not from the net amount.
  const sold = net + anticipationFee;
  return lineOf(400, [
    [1, 16, `1${establishment}`],
    [19, 21, 'INT'],
    [22, 30, batch],
    [31, 46, dayFirst(sale.soldOn) + dayFirst(bankOn)],
    [67, 84, digits(isDebit ? 0 : 1, 9) + digits(0, 9)],
    [85, 96, cents(gross, 12)],
    [97, 108, cents(sold, 12)],
    [109, 120, cents(0, 12)],
    [121, 132, cents(isDebit ? 0 : fee, 12)],
    [133, 144, cents(0, 12)],
    [145, 156, cents(net, 12)],
    [157, 168, cents(anticipationFee, 12)],
    [169, 170, statusOf(row)],
    [171, 174, digits(row.installmentNumber ?? 1, 2) + digits(sale.parts.length, 2)],
    [282, 284, '986'],
    [286, 286, isDebit ? '-' : '+'],
  ]);
}

function saleRecord(row: FileRow, batch: string, establishment: string): string {
  const { sale } = row;
  return lineOf(400, [
    [1, 16, `2${establishment}`],
    [17, 37, batch + digits(sale.nsu, 12)],
    [38, 51, dayFirst(sale.soldOn) + saoPauloTimeOf(sale.soldAt)],
    [52, 70, text(maskedCard(sale), 19)],
    [71, 106, cents(row.gross, 12) + cents(0, 24)],
    [107, 110, digits(sale.parts.length, 2) + digits(row.installmentNumber ?? 1, 2)],
    [111, 130, cents(row.gross, 12) + dayFirst(row.bankOn)],
    [131, 140, text(sale.authorizationCode, 10)],
    [144, 144, 'C'],
    [168, 172, '986N+'],
    [176, 187, cents(row.fee, 12)],
    [188, 189, '02'],
    [190, 267, text(sale.tid, 42) + text(orderNumberOf(sale.reference, 36), 36)],
  ]);
}

/** 03 a cancellation, 04 a chargeback. */
function adjustmentRecord(row: FileRow, batch: string, establishment: string): string {
  const { sale, kind } = row;
  return lineOf(400, [
    [1, 16, `3${establishment}`],
    [17, 41, batch + dayFirst(sale.soldOn) + dayFirst(row.bankOn)],
    [42, 61, digits(batch, 20)],
    [63, 77, `-${cents(row.net, 12)}${kind === 'cancel' ? '03' : '04'}`],
    [86, 104, text(maskedCard(sale), 19)],
    [114, 125, digits(sale.nsu, 12)],
    [126, 133, dayFirst(sale.soldOn)],
    [134, 135, 'PG'],
    [152, 154, '986'],
    [167, 168, '02'],
    [169, 246, text(sale.tid, 42) + text(orderNumberOf(sale.reference, 36), 36)],
  ]);
}

function isTaken({ kind }: FileRow): boolean {
  return kind === 'cancel' || kind === 'chargeback';
}

/** ZZ means nothing. */
function statusOf({ kind, anticipationFee }: FileRow): string {
  if (kind === 'sale') return 'PF';
  if (kind === 'pledge') return 'CS';
  if (kind === 'unknown') return 'ZZ';
  return anticipationFee === 0 ? 'PG' : 'AC';
}
