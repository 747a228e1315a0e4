import { dayAfter, saoPauloDayOf, saoPauloTimeOf } from '../days.ts';
import { byInstallment, countedRecords, type FileContent, type FileWriter } from './file-content.ts';
import { FILE_FAULTS } from './file-faults.ts';
import {
  cents,
  digits,
  establishmentOf,
  type Field,
  lineOf,
  maskedCard,
  orderNumberOf,
  text,
  yearFirst,
} from './file-fields.ts';
import { type FileRow, type FileSale, sumOf } from './file-rows.ts';

/** A record before its line has a number: its length, and its fields. */
type Numbered = readonly [length: number, fields: readonly Field[]];

/** Adiq EDI 3.1. A sale is a row for each of its installments, promised at first and then settled. */
export const ADIQ: FileWriter = {
  faultIn: 'payout',
  faults: FILE_FAULTS.filter((fault) => fault !== 'pledge'),
  ownRows: byInstallment,
  nameOf: ({ day, sequence }) => `EDI_020_${yearFirst(day)}_mov_${digits(sequence, 6)}.txt`,
  linesOf,
};

function* linesOf(content: FileContent): Generator<string> {
  let number = 0;
  const numbered = ([length, fields]: Numbered): string => {
    number += 1;
    return lineOf(length, [...fields, [length - 5, length, digits(number, 6)]]);
  };
  const { merchantId, day, rows } = content;
  yield numbered(fileHeader(content));
  if (rows.length > 0) {
    yield numbered(lotHeader(day));
    const [before, credits] = [number, { total: 0 }];
    for (const row of rows) {
      for (const record of recordsOf(row, establishmentOf(merchantId, 15), credits)) yield numbered(record);
    }
    yield numbered(lotTrailer(number - before, credits.total));
  }
  const count = digits(countedRecords(number + 1, content), 6);
  yield numbered([
    14,
    [
      [1, 2, 'A9'],
      [3, 8, count],
    ],
  ]);
}

function fileHeader({ merchantId, day, sequence }: FileContent): Numbered {
  return [
    78,
    [
      [1, 2, 'A0'],
      [3, 8, '0003.1'],
      [9, 22, `${yearFirst(dayAfter(day, 1))}060000`],
      [23, 28, digits(sequence, 6)],
      [29, 58, text('ADIQ', 30)],
      [63, 71, establishmentOf(merchantId, 9)],
      [72, 72, 'N'],
    ],
  ];
}

function lotHeader(day: string): Numbered {
  return [
    18,
    [
      [1, 2, 'L0'],
      [3, 10, yearFirst(day)],
      [11, 12, 'RE'],
    ],
  ];
}

function lotTrailer(records: number, credits: number): Numbered {
  return [
    28,
    [
      [1, 2, 'L9'],
      [3, 8, digits(records, 6)],
      [9, 22, cents(credits, 14)],
    ],
  ];
}

function* recordsOf(row: FileRow, establishment: string, credits: { total: number }): Generator<Numbered> {
  if (row.kind === 'cancel') yield cancellation(row, establishment);
  else if (row.kind === 'chargeback') yield adjustment(row, establishment);
  else {
    for (const installment of row.kind === 'sale' ? promisedOf(row) : [row]) {
      credits.total += installment.gross - installment.fee;
      yield sale(installment, establishment);
    }
  }
}

function promisedOf(row: FileRow): FileRow[] {
  return row.sale.parts.map((part, index) => ({ ...row, ...part, installmentNumber: index + 1 }));
}

function sale(row: FileRow, establishment: string): Numbered {
  const { sale, kind, gross, fee, net, anticipationFee } = row;
  const whole = sumOf(sale.parts);
  const anticipation: Field[] =
    anticipationFee === 0
      ? []
      : [
          [249, 259, cents(anticipationFee, 11)],
          [260, 270, cents(net, 11)],
        ];
  const ofPayout = anticipationFee === 0 ? '1' : '2';
  const entryType = kind === 'unknown' ? '7' : kind === 'sale' ? '0' : ofPayout;
  return [
    506,
    [
      [1, 2, 'CV'],
      [3, 17, establishment],
      [18, 29, digits(sale.nsu, 12)],
      [30, 43, timeOf(sale.soldAt)],
      [44, 44, entryType],
      [45, 52, yearFirst(row.bankOn)],
      [53, 53, 'C'],
      [54, 54, '5'],
      [55, 65, cents(whole.gross, 11)],
      [66, 76, cents(whole.fee, 11)],
      [77, 87, cents(whole.net, 11)],
      [88, 106, `000${maskedCard(sale)}`],
      [107, 108, digits(row.installmentNumber ?? 0, 2)],
      [109, 110, digits(sale.parts.length, 2)],
      [123, 133, cents(gross, 11)],
      [134, 144, cents(fee, 11)],
      [145, 155, cents(gross - fee, 11)],
      [176, 187, text(sale.authorizationCode, 12)],
      ...anticipation,
      [271, 272, '04'],
      [273, 302, text(orderNumberOf(sale.reference, 30), 30)],
    ],
  ];
}

/** Of a chargeback, which this format has no record for. */
function adjustment(row: FileRow, establishment: string): Numbered {
  const { sale, gross } = row;
  return [
    424,
    [
      [1, 2, 'AJ'],
      [3, 17, establishment],
      ...originalSale(sale, row.installmentNumber),
      [52, 65, timeOf(row.happenedAt)],
      [66, 66, '1'],
      [67, 74, yearFirst(row.bankOn)],
      [75, 75, '5'],
      [76, 76, '2'],
      [77, 79, 'CBK'],
      [80, 109, text('CHARGEBACK', 30)],
      [110, 120, cents(gross, 11)],
      [121, 131, cents(0, 11)],
      [132, 142, cents(gross, 11)],
      [163, 181, `000${maskedCard(sale)}`],
      [254, 283, text(orderNumberOf(sale.reference, 30), 30)],
    ],
  ];
}

function cancellation(row: FileRow, establishment: string): Numbered {
  const { sale, gross } = row;
  const whole = sumOf(sale.parts);
  return [
    361,
    [
      [1, 2, 'CC'],
      [3, 17, establishment],
      ...originalSale(sale, row.installmentNumber),
      [52, 65, timeOf(row.happenedAt)],
      [66, 66, '5'],
      [91, 120, text(orderNumberOf(sale.reference, 30), 30)],
      [224, 235, cents(gross, 12)],
      [236, 247, cents(gross, 12)],
      [248, 259, cents(0, 12)],
      [260, 271, cents(gross, 12)],
      [272, 283, cents(whole.gross, 12)],
      [284, 295, cents(whole.net, 12)],
      [296, 307, cents(whole.fee, 12)],
      [308, 311, digits(sale.parts.length, 4)],
      [312, 323, text(sale.authorizationCode, 12)],
    ],
  ];
}

/** Where an adjustment and a cancellation name the sale; installment 00: all of it. */
function originalSale(sale: FileSale, installmentNumber: number | null): Field[] {
  return [
    [18, 29, digits(sale.nsu, 12)],
    [30, 37, yearFirst(sale.soldOn)],
    [38, 39, digits(installmentNumber ?? 0, 2)],
  ];
}

function timeOf(at: number): string {
  return yearFirst(saoPauloDayOf(at)) + saoPauloTimeOf(at);
}
