import type { Brand } from '../cards/decline-codes.ts';
import { dayAfter, saoPauloTimeOf } from '../days.ts';
import {
  byInstallment,
  countedRecords,
  type FileContent,
  type FileWriter,
  groupsOf,
} from './file-content.ts';
import { FILE_FAULTS } from './file-faults.ts';
import {
  dayFirst,
  digits,
  establishmentOf,
  type Field,
  lineOf,
  orderNumberOf,
  signedCents,
  text,
  yearFirst,
} from './file-fields.ts';
import type { FileRow } from './file-rows.ts';

const BRANDS: Readonly<Record<Brand, string>> = {
  visa: '001',
  mastercard: '002',
  amex: '003',
  elo: '007',
  hipercard: '040',
};

/** Cielo 04 (v15): what is paid, under receivable units of a brand and a day. Sales are in none of them. */
export const CIELO: FileWriter = {
  faultIn: 'payout',
  faults: FILE_FAULTS,
  ownRows: (rows) => byInstallment(rows.filter(({ kind }) => kind !== 'sale')),
  nameOf: ({ day, sequence }) => `CIELO04D_${yearFirst(day)}_${digits(sequence, 7)}.txt`,
  linesOf,
};

/** Cielo 03 (v15): what was sold, an entry for each installment. */
export const CIELO_03: FileWriter = {
  faultIn: 'sale',
  faults: ['rowMissing', 'rowTwice', 'anotherAmount', 'anotherFee', 'lateDay', 'foreignRow', 'brokenTrailer'],
  ownRows: (rows) =>
    rows
      .filter(({ kind }) => kind === 'sale')
      .flatMap((row) => row.sale.parts.map((part, at) => ({ ...row, ...part, installmentNumber: at + 1 }))),
  nameOf: ({ day, sequence }) => `CIELO03D_${yearFirst(day)}_${digits(sequence, 7)}.txt`,
  *linesOf(content) {
    const { merchantId, rows } = content;
    const establishment = establishmentOf(merchantId, 10);
    yield header('03', content, establishment);
    for (const row of rows) yield entryRecord(row, entryTypeOf(row), establishment);
    yield trailer(content, rows.length, rows.map(signedOf).reduce(added, NO_MONEY));
  },
};

type Unit = { readonly entryType: string; readonly status: string; readonly rows: readonly FileRow[] };

function* linesOf(content: FileContent): Generator<string> {
  const { merchantId, rows } = content;
  const establishment = establishmentOf(merchantId, 10);
  const units = groupsOf(rows, (row) =>
    [row.sale.brand, row.bankOn, entryTypeOf(row), statusOf(row)].join(' '),
  );
  yield header('04', content, establishment);
  let total = NO_MONEY;
  for (const members of units) {
    const [first] = members;
    if (first === undefined) continue;
    const unit = { entryType: entryTypeOf(first), status: statusOf(first), rows: members };
    yield unitRecord(unit, first, establishment);
    for (const row of members) {
      total = added(total, signedOf(row));
      yield entryRecord(row, unit.entryType, establishment);
    }
  }
  yield trailer(content, units.length + rows.length, total);
}

function trailer(content: FileContent, records: number, total: Money): string {
  return lineOf(250, [
    [1, 1, '9'],
    [2, 12, digits(countedRecords(records, content), 11)],
    [13, 30, signedCents(total.net, 18)],
    [31, 41, digits(content.rows.length, 11)],
    [42, 59, signedCents(total.gross, 18)],
  ]);
}

function header(statement: '03' | '04', { day, sequence }: FileContent, establishment: string): string {
  return lineOf(250, [
    [1, 1, '0'],
    [2, 11, establishment],
    [12, 19, yearFirst(dayAfter(day, 1))],
    [20, 27, yearFirst(day)],
    [28, 35, yearFirst(day)],
    [36, 42, digits(sequence, 7)],
    [43, 47, 'CIELO'],
    [48, 49, statement],
    [71, 73, '015'],
  ]);
}

function unitRecord({ entryType, status, rows }: Unit, first: FileRow, establishment: string): string {
  const sum = rows.map(signedOf).reduce(added, NO_MONEY);
  return lineOf(400, [
    [1, 1, 'D'],
    [2, 11, establishment],
    [54, 56, BRANDS[first.sale.brand]],
    [57, 59, '002'],
    [70, 71, status],
    [72, 85, signedCents(sum.gross, 14)],
    [86, 99, signedCents(sum.fee, 14)],
    [100, 113, signedCents(sum.net, 14)],
    [144, 149, digits(rows.length, 6)],
    [150, 151, entryType],
    [152, 251, text(keyOf(first, establishment), 100)],
    [268, 275, dayFirst(first.bankOn)],
    [284, 291, dayFirst(first.bankOn)],
  ]);
}

function entryRecord(row: FileRow, entryType: string, establishment: string): string {
  const { sale } = row;
  const { gross, fee, net } = signedOf(row);
  const named: Field[] = [
    [166, 171, sale.firstSix],
    [172, 175, sale.lastFour],
    [176, 181, digits(sale.nsu, 6)],
    [192, 211, text(sale.tid, 20)],
    [212, 231, text(orderNumberOf(sale.reference, 20), 20)],
    [232, 236, digits(sale.feePortion * 10, 5)],
  ];
  return lineOf(760, [
    [1, 1, 'E'],
    [2, 11, establishment],
    [12, 14, BRANDS[sale.brand]],
    [15, 17, '002'],
    [18, 19, digits(row.installmentNumber ?? 0, 2)],
    [20, 21, digits(sale.parts.length, 2)],
    [22, 27, sale.authorizationCode],
    [28, 29, entryType],
    [30, 129, text(keyOf(row, establishment), 100)],
    ...named,
    [247, 260, signedCents(sale.amount, 14)],
    [261, 274, signedCents(gross, 14)],
    [275, 288, signedCents(net, 14)],
    [289, 302, signedCents(fee, 14)],
    [471, 476, saoPauloTimeOf(sale.soldAt)],
    [541, 543, '007'],
    [566, 573, dayFirst(sale.soldOn)],
    [574, 581, dayFirst(sale.soldOn)],
    [582, 589, dayFirst(row.bankOn)],
    [630, 637, dayFirst(row.bankOn)],
  ]);
}

/** The receivable unit: brand, merchant and day. */
function keyOf({ sale, bankOn }: FileRow, establishment: string): string {
  return `${BRANDS[sale.brand]}${establishment}${yearFirst(bankOn)}`;
}

/**
 * 02 and 03 sales, at once and in installments; 06 a cancellation, 08 a dispute, 13 a pledge; 77 means
 * nothing.
 */
function entryTypeOf({ kind, sale }: FileRow): string {
  if (kind === 'cancel') return '06';
  if (kind === 'chargeback') return '08';
  if (kind === 'pledge') return '13';
  if (kind === 'unknown') return '77';
  return sale.parts.length === 1 ? '02' : '03';
}

/** 04 paid, 58 paid ahead of its day, 46 debited. */
function statusOf({ kind, anticipationFee }: FileRow): string {
  if (!isPaid(kind)) return '46';
  return anticipationFee === 0 ? '04' : '58';
}

function isPaid(kind: FileRow['kind']): boolean {
  return kind === 'payout' || kind === 'unknown' || kind === 'sale';
}

const NO_MONEY: Money = { gross: 0, fee: 0, net: 0 };

type Money = { readonly gross: number; readonly fee: number; readonly net: number };

/** With the sign of the merchant's side: what is taken is negative, and so is a fee that is kept. */
function signedOf({ kind, gross, fee, net }: FileRow): Money {
  if (isPaid(kind)) return { gross, fee: -fee, net };
  return { gross: -gross, fee, net: -net };
}

function added(one: Money, other: Money): Money {
  return { gross: one.gross + other.gross, fee: one.fee + other.fee, net: one.net + other.net };
}
