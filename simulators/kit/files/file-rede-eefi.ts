import type { Taken } from '../cards/installments.ts';
import { countedRecords, type FileContent, type FileWriter, groupsOf } from './file-content.ts';
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
import { batchOf, branchHeader, fileHeader, installmentOf, REDE_BRANDS } from './file-rede.ts';
import { type FileRow, sumOf } from './file-rows.ts';

const ORDER_NUMBER_CHARACTERS = 16;

/** Rede's money of a day: credits of batches, and what was taken back of single sales. */
export const REDE_EEFI: FileWriter = {
  faultIn: 'payout',
  faults: FILE_FAULTS,
  ownRows: (rows) => [...creditsOf(rows), ...rows.filter(isTaken)],
  nameOf: ({ day, sequence }) => `EEFI_${yearFirst(day)}_${digits(sequence, 6)}.txt`,
  linesOf,
};

/** One row for each batch, installment and day, in the name of its first sale. */
function creditsOf(rows: readonly FileRow[]): FileRow[] {
  const payouts = rows.filter(({ kind }) => kind === 'payout');
  const groups = groupsOf(payouts, ({ sale, installmentNumber, bankOn, anticipationFee }) =>
    [batchOf(sale, ''), installmentNumber, bankOn, anticipationFee > 0].join(' '),
  );
  return groups.flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const anticipationFee = members.reduce((sum, row) => sum + row.anticipationFee, 0);
    return [{ ...first, ...sumOf(members), anticipationFee }];
  });
}

function isTaken({ kind }: FileRow): boolean {
  return kind === 'cancel' || kind === 'chargeback';
}

type Totals = { credits: Total; anticipations: Total; debits: Total };
type Total = { count: number; sum: number };

function* linesOf(content: FileContent): Generator<string> {
  const { merchantId, rows } = content;
  const establishment = establishmentOf(merchantId, 9);
  const none = (): Total => ({ count: 0, sum: 0 });
  const totals = { credits: none(), anticipations: none(), debits: none() };
  let lines = 0;
  const counted = (line: string): string => {
    lines += 1;
    return line;
  };
  yield counted(fileHeader(content, HEADER));
  yield counted(branchHeader('032', merchantId));
  for (const [index, row] of rows.entries()) {
    const document = digits(content.sequence, 5) + digits(index + 1, 6);
    for (const line of linesOfRow(row, { document, merchantId, establishment }, totals)) yield counted(line);
  }
  const { credits, anticipations, debits } = totals;
  const amounts = [credits.sum, anticipations.sum, 0, debits.sum].map((sum) => cents(sum, 15));
  const withCounts = (widths: readonly number[]): string =>
    [credits.count, anticipations.count, 0, debits.count]
      .map((count, index) => digits(count, widths[index] ?? 0) + amounts[index])
      .join('');
  const branch = withCounts([6, 6, 4, 6]);
  yield counted(
    lineOf(94, [
      [1, 3, '050'],
      [4, 12, establishment],
      [13, 94, branch],
    ]),
  );
  yield lineOf(100, [
    [1, 3, '052'],
    [4, 7, '0001'],
    [8, 13, digits(countedRecords(lines + 1, content), 6)],
    [14, 22, establishment],
    [23, 100, withCounts([4, 6, 4, 4])],
  ]);
}

const HEADER = {
  record: '030',
  title: 'Extrato de Movimentacao Financeira',
  titleEnd: 53,
  version: 'V4.00 - 05/2023 EEFI',
};

type Order = { readonly document: string; readonly merchantId: string; readonly establishment: string };

function* linesOfRow(row: FileRow, order: Order, totals: Totals): Generator<string> {
  if (!isTaken(row)) {
    // An anticipation has no code that could be unknown.
    const isAnticipation = row.anticipationFee > 0 && row.kind !== 'unknown';
    const total = isAnticipation ? totals.anticipations : totals.credits;
    total.count += 1;
    total.sum += row.net;
    yield isAnticipation ? anticipation(row, order) : credit(row, order);
    return;
  }
  for (const taken of row.taken.filter(({ wasPaid }) => !wasPaid)) yield* offSchedule(row, taken, order);
  const paid = row.taken.filter(({ wasPaid }) => wasPaid).reduce((sum, { amount }) => sum + amount, 0);
  if (paid === 0) return;
  totals.debits.count += 1;
  totals.debits.sum += paid;
  yield* debit(row, paid, order);
}

/** 00 is in order; 13: somebody who has a claim on it is paid; 77 means nothing. */
function statusOf({ kind }: FileRow): string {
  if (kind === 'unknown') return '77';
  return kind === 'pledge' ? '13' : '00';
}

function credit(row: FileRow, { document, merchantId, establishment }: Order): string {
  const { sale } = row;
  const count = sale.parts.length;
  return lineOf(140, [
    [1, 3, '034'],
    [4, 12, establishment],
    [13, 23, document],
    [24, 31, dayFirst(row.bankOn)],
    [32, 46, cents(row.net, 15)],
    [47, 47, 'C'],
    [68, 75, dayFirst(row.bankOn)],
    [76, 84, batchOf(sale, merchantId)],
    [85, 92, dayFirst(sale.soldOn)],
    [93, 93, REDE_BRANDS[sale.brand]],
    [94, 94, count === 1 ? '1' : '2'],
    [95, 109, cents(row.gross, 15)],
    [110, 124, cents(row.fee, 15)],
    [125, 129, installmentOf(row.installmentNumber ?? 1, count)],
    [130, 131, statusOf(row)],
    [132, 140, establishment],
  ]);
}

function anticipation(row: FileRow, { document, merchantId, establishment }: Order): string {
  const { sale } = row;
  const number = row.installmentNumber ?? 1;
  return lineOf(152, [
    [1, 3, '036'],
    [4, 12, establishment],
    [13, 23, document],
    [24, 31, dayFirst(row.bankOn)],
    [32, 46, cents(row.net, 15)],
    [47, 47, 'C'],
    [68, 76, batchOf(sale, merchantId)],
    [77, 84, dayFirst(sale.soldOn)],
    [85, 99, cents(row.net + row.anticipationFee, 15)],
    [100, 107, dayFirst(sale.parts[number - 1]?.bankOn ?? row.bankOn)],
    [108, 112, installmentOf(number, sale.parts.length)],
    [113, 127, cents(row.gross, 15)],
    [128, 142, cents(row.fee, 15)],
    [143, 151, establishment],
    [152, 152, REDE_BRANDS[sale.brand]],
  ]);
}

/** Of an installment that was not paid yet, and its twin with TID and order number. */
function* offSchedule(row: FileRow, taken: Taken, { merchantId, establishment }: Order): Generator<string> {
  const { sale } = row;
  const [batch, count] = [batchOf(sale, merchantId), sale.parts.length];
  yield lineOf(167, [
    [1, 3, '049'],
    [4, 12, establishment],
    [13, 21, batch],
    [37, 44, dayFirst(sale.parts[taken.installmentNumber - 1]?.bankOn ?? row.bankOn)],
    [45, 59, cents(taken.left, 15)],
    [60, 74, cents(taken.left + taken.amount, 15)],
    [75, 89, cents(taken.amount, 15)],
    [90, 97, dayFirst(row.bankOn)],
    [113, 127, cents(row.gross, 15)],
    [128, 143, maskedCard(sale)],
    [144, 151, dayFirst(sale.soldOn)],
    [152, 163, digits(sale.nsu, 12)],
    [164, 164, row.kind === 'cancel' ? '1' : '2'],
    [165, 166, digits(count === 1 ? 0 : taken.installmentNumber, 2)],
    [167, 167, REDE_BRANDS[sale.brand]],
  ]);
  yield lineOf(214, [
    [1, 3, '057'],
    [4, 12, establishment],
    [13, 21, batch],
    [128, 143, maskedCard(sale)],
    [144, 151, dayFirst(sale.soldOn)],
    [152, 163, digits(sale.nsu, 12)],
    [165, 184, text(sale.tid, 20)],
    [185, 214, text(orderNumberOf(sale.reference, ORDER_NUMBER_CHARACTERS), 30)],
  ]);
}

/**
 * Of what was paid already, and its twin. Reason 18 is a cancellation, 23 a dispute; since V4.00 it
 * stands in four bytes at the end, and zeros where it stood before.
 */
function* debit(row: FileRow, amount: number, order: Order): Generator<string> {
  const { document, merchantId, establishment } = order;
  const { sale } = row;
  const batch = batchOf(sale, merchantId);
  const [reason, words] =
    row.kind === 'cancel' ? ['0018', 'CANCEL.DE VENDAS'] : ['0023', 'CONTESTACAO DE VENDA'];
  yield lineOf(307, [
    [1, 3, '038'],
    [4, 12, establishment],
    [13, 23, document],
    [24, 31, dayFirst(row.bankOn)],
    [32, 46, cents(amount, 15)],
    [47, 47, 'D'],
    [68, 76, batch],
    [77, 84, dayFirst(sale.soldOn)],
    [100, 101, '00'],
    [102, 129, text(words, 28)],
    [130, 145, maskedCard(sale)],
    [175, 189, cents(amount, 15)],
    [205, 213, establishment],
    [214, 221, dayFirst(sale.soldOn)],
    [222, 233, digits(sale.nsu, 12)],
    [243, 250, dayFirst(row.bankOn)],
    [251, 265, cents(sale.amount, 15)],
    [266, 271, sale.authorizationCode],
    // The rest of what was asked for is off the schedule of installments that were not paid yet.
    [272, 272, amount === row.gross ? 'T' : 'P'],
    [273, 287, cents(amount, 15)],
    [303, 303, REDE_BRANDS[sale.brand]],
    [304, 307, reason],
  ]);
  yield lineOf(128, [
    [1, 3, '054'],
    [4, 12, batch],
    [13, 28, maskedCard(sale)],
    [29, 37, establishment],
    [38, 45, dayFirst(sale.soldOn)],
    [46, 57, digits(sale.nsu, 12)],
    [58, 72, cents(sale.amount, 15)],
    [73, 78, sale.authorizationCode],
    [79, 98, text(sale.tid, 20)],
    [99, 128, text(orderNumberOf(sale.reference, ORDER_NUMBER_CHARACTERS), 30)],
  ]);
}
