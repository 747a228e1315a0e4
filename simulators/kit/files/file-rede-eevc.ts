import { saoPauloTimeOf } from '../days.ts';
import { countedRecords, type FileContent, type FileWriter, groupsOf } from './file-content.ts';
import {
  cents,
  dayFirst,
  digits,
  establishmentOf,
  type Field,
  lineOf,
  maskedCard,
  orderNumberOf,
  text,
  yearFirst,
} from './file-fields.ts';
import { batchOf, branchHeader, fileHeader, REDE_BRANDS } from './file-rede.ts';
import { type FileRow, type SoldPart, sumOf } from './file-rows.ts';

const ORDER_NUMBER_CHARACTERS = 16;

/** Rede's sales of a day, in batches. */
export const REDE_EEVC: FileWriter = {
  faultIn: 'sale',
  faults: ['rowMissing', 'rowTwice', 'anotherAmount', 'anotherFee', 'foreignRow', 'brokenTrailer'],
  ownRows: (rows) => rows.filter(({ kind }) => kind === 'sale'),
  nameOf: ({ day, sequence }) => `EEVC_${yearFirst(day)}_${digits(sequence, 6)}.txt`,
  linesOf,
};

function* linesOf(content: FileContent): Generator<string> {
  const { merchantId, rows } = content;
  let lines = 0;
  const counted = (line: string): string => {
    lines += 1;
    return line;
  };
  const establishment = establishmentOf(merchantId, 9);
  yield counted(fileHeader(content, HEADER));
  yield counted(branchHeader('004', merchantId));
  for (const batch of groupsOf(rows, ({ sale }) => batchOf(sale, merchantId))) {
    const [first] = batch;
    if (first === undefined) continue;
    const number = batchOf(first.sale, merchantId);
    for (const line of batchLines(batch, first, { number, establishment })) yield counted(line);
  }
  const totals = totalFields(rows);
  const moved = (by: number): Field[] => totals.map(([from, to, content]) => [from + by, to + by, content]);
  yield counted(lineOf(174, [[1, 3, '026'], [4, 12, establishment], ...totals]));
  const records = digits(countedRecords(lines + 1, content), 6);
  yield lineOf(184, [[1, 3, '028'], [4, 7, '0001'], [8, 13, records], [14, 22, establishment], ...moved(10)]);
}

const HEADER = {
  record: '002',
  title: 'Extrato Eletronico de Vendas',
  titleEnd: 49,
  version: 'V3.00 - 05/2023 EEVC',
};

type Batch = { readonly number: string; readonly establishment: string };

function* batchLines(rows: readonly FileRow[], first: FileRow, batch: Batch): Generator<string> {
  const isAtOnce = first.sale.parts.length === 1;
  yield batchRecord(rows, first, batch, isAtOnce ? '006' : '010');
  for (const row of rows) {
    yield isAtOnce ? saleAtOnce(row, batch) : saleInInstallments(row, batch);
    yield orderRecord(row, batch, isAtOnce ? '034' : '035');
  }
  if (isAtOnce) return;
  const schedules = rows.map(partsOf);
  for (const [index, part] of first.sale.parts.entries()) {
    const sum = sumOf(schedules.map((parts) => parts[index]).filter((own) => own !== undefined));
    yield lineOf(92, [
      [1, 3, '014'],
      [4, 12, batch.establishment],
      [13, 21, batch.number],
      [22, 29, dayFirst(first.sale.soldOn)],
      [38, 39, digits(index + 1, 2)],
      [40, 54, cents(sum.gross, 15)],
      [55, 69, cents(sum.fee, 15)],
      [70, 84, cents(sum.net, 15)],
      [85, 92, dayFirst(part.bankOn)],
    ]);
  }
}

function batchRecord(rows: readonly FileRow[], first: FileRow, batch: Batch, record: string): string {
  const sum = sumOf(rows);
  return lineOf(137, [
    [1, 3, record],
    [4, 12, batch.establishment],
    [13, 21, batch.number],
    [41, 48, dayFirst(first.sale.soldOn)],
    [49, 53, digits(rows.length, 5)],
    [54, 68, cents(sum.gross, 15)],
    [99, 113, cents(sum.fee, 15)],
    [114, 128, cents(sum.net, 15)],
    [129, 136, dayFirst(first.bankOn)],
    [137, 137, REDE_BRANDS[first.sale.brand]],
  ]);
}

function saleAtOnce({ sale, gross, fee, net }: FileRow, batch: Batch): string {
  return lineOf(230, [
    [1, 3, '008'],
    [4, 12, batch.establishment],
    [13, 21, batch.number],
    [22, 29, dayFirst(sale.soldOn)],
    [30, 37, '00000000'],
    [38, 52, cents(gross, 15)],
    [68, 83, maskedCard(sale)],
    [84, 86, '000'],
    [87, 98, digits(sale.nsu, 12)],
    [112, 126, cents(fee, 15)],
    [127, 132, sale.authorizationCode],
    [133, 138, saoPauloTimeOf(sale.soldAt)],
    [203, 203, '5'],
    [204, 218, cents(net, 15)],
    [230, 230, REDE_BRANDS[sale.brand]],
  ]);
}

function saleInInstallments(row: FileRow, batch: Batch): string {
  const { sale, gross, fee, net } = row;
  const [first, second] = partsOf(row);
  return lineOf(262, [
    [1, 3, '012'],
    [4, 12, batch.establishment],
    [13, 21, batch.number],
    [22, 29, dayFirst(sale.soldOn)],
    [30, 37, '00000000'],
    [38, 52, cents(gross, 15)],
    [68, 83, maskedCard(sale)],
    [84, 86, '000'],
    [87, 88, digits(sale.parts.length, 2)],
    [89, 100, digits(sale.nsu, 12)],
    [114, 128, cents(fee, 15)],
    [129, 134, sale.authorizationCode],
    [135, 140, saoPauloTimeOf(sale.soldAt)],
    [205, 205, '5'],
    [206, 220, cents(net, 15)],
    [221, 235, cents(first?.net ?? 0, 15)],
    [236, 250, cents(second?.net ?? 0, 15)],
    [262, 262, REDE_BRANDS[sale.brand]],
  ]);
}

function orderRecord({ sale, gross }: FileRow, batch: Batch, record: string): string {
  return lineOf(128, [
    [1, 3, record],
    [4, 12, batch.establishment],
    [13, 21, batch.number],
    [22, 29, dayFirst(sale.soldOn)],
    [30, 44, cents(gross, 15)],
    [45, 60, maskedCard(sale)],
    [61, 72, digits(sale.nsu, 12)],
    [73, 78, sale.authorizationCode],
    [79, 98, text(sale.tid, 20)],
    [99, 128, text(orderNumberOf(sale.reference, ORDER_NUMBER_CHARACTERS), 30)],
  ]);
}

/** The installments of a row; the first has what an ordered fault added to the sale. */
function partsOf({ sale, gross, fee, net }: FileRow): SoldPart[] {
  const sold = sumOf(sale.parts);
  return sale.parts.map((part, index) => {
    if (index > 0) return part;
    const added = { gross: gross - sold.gross, fee: fee - sold.fee, net: net - sold.net };
    return { ...part, gross: part.gross + added.gross, fee: part.fee + added.fee, net: part.net + added.net };
  });
}

/** The sums of all batches, where the total of a head office has them. */
function totalFields(rows: readonly FileRow[]): Field[] {
  const all = sumOf(rows);
  const atOnce = sumOf(rows.filter(({ sale }) => sale.parts.length === 1)).gross;
  const none = cents(0, 15);
  return [
    [13, 27, cents(all.gross, 15)],
    [28, 33, digits(0, 6)],
    [34, 48, none],
    [49, 63, cents(atOnce, 15)],
    [64, 78, cents(all.gross - atOnce, 15)],
    [79, 93, none],
    [94, 108, none],
    [109, 123, cents(all.fee, 15)],
    [124, 138, cents(all.net, 15)],
    [139, 153, none],
    [154, 168, none],
    [169, 174, digits(rows.length, 6)],
  ];
}
