import type { Brand } from '../cards/decline-codes.ts';
import { dayAfter, daysBetween } from '../days.ts';
import type { FileContent } from './file-content.ts';
import { dayFirst, digits, establishmentOf, type Field, lineOf, text } from './file-fields.ts';
import type { FileSale } from './file-rows.ts';

/** What Rede's two files have in common. */
export const REDE_BRANDS: Readonly<Record<Brand, string>> = {
  visa: '3',
  mastercard: '1',
  amex: 'X',
  elo: 'E',
  hipercard: '5',
};

const BRAND_DIGITS: Readonly<Record<Brand, number>> = {
  visa: 1,
  mastercard: 2,
  amex: 3,
  elo: 4,
  hipercard: 5,
};
/** In no number of a batch that the ledger knows of. */
const FOREIGN_DIGIT = 9;
const FIRST_DAY = '2019-12-31';
const LARGEST_MARK = 90;

/** The batch (RV) of a sale, nine digits: merchant, day, brand and number of installments. */
export function batchOf(sale: FileSale, merchantId: string): string {
  const brand = sale.isForeign ? FOREIGN_DIGIT : BRAND_DIGITS[sale.brand];
  const day = digits(daysBetween(FIRST_DAY, sale.soldOn), 4);
  return `${markOf(merchantId)}${day}${brand}${digits(sale.parts.length, 2)}`;
}

/** Two digits that do not begin with 0. */
function markOf(merchantId: string): number {
  let mark = 0;
  for (const character of merchantId) mark = (mark * 31 + (character.codePointAt(0) ?? 0)) % LARGEST_MARK;
  return mark + 10;
}

/** `02/10`; both zeros where the sale has but one. */
export function installmentOf(number: number, count: number): string {
  return count === 1 ? '00/00' : `${digits(number, 2)}/${digits(count, 2)}`;
}

/** The first line; the title is of different length in the two files, and moves what follows. */
export function fileHeader(
  content: FileContent,
  of: {
    readonly record: string;
    readonly title: string;
    readonly titleEnd: number;
    readonly version: string;
  },
): string {
  const { day, sequence, merchantId } = content;
  const at = of.titleEnd;
  const fields: Field[] = [
    [1, 3, of.record],
    [4, 11, dayFirst(dayAfter(day, 1))],
    [12, 19, text('REDE', 8)],
    [20, at, text(of.title, at - 19)],
    [at + 1, at + 22, text(`LOJA ${merchantId}`, 22)],
    [at + 23, at + 28, digits(sequence, 6)],
    [at + 29, at + 37, establishmentOf(merchantId, 9)],
    [at + 38, at + 52, text('DIARIO', 15)],
    [at + 53, at + 72, text(of.version, 20)],
  ];
  return lineOf(at + 72, fields);
}

export function branchHeader(record: string, merchantId: string): string {
  return lineOf(34, [
    [1, 3, record],
    [4, 12, establishmentOf(merchantId, 9)],
    [13, 34, text(`LOJA ${merchantId}`, 22)],
  ]);
}
