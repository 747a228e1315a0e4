import { type Cents, reaisText } from '../../values/cents.ts';
import type { CsvCell } from '../../values/csv.ts';

/** The head of a column, in English where it stands, and what a row shows in it. */
export type CsvColumn<Row> = readonly [head: string, cell: (row: Row) => CsvCell];

/** A number with the decimal comma of Brazil. */
export function decimals(value: number | null, digits = 2): string | null {
  return value === null ? null : value.toFixed(digits).replace('.', ',');
}

/** Reais with the decimal comma of Brazil. */
export function reaisCell(amount: Cents): string {
  return reaisText(amount).replace('.', ',');
}

/** A day and time of São Paulo, as the API writes it, in the form that spreadsheets know. */
export function momentCell(text: string): string {
  return text.slice(0, 19).replace('T', ' ');
}
