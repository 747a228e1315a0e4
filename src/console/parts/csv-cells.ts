import type { CsvCell } from '../../values/csv.ts';

/** The head of a column, in English where it stands, and what a row shows in it. */
export type CsvColumn<Row> = readonly [head: string, cell: (row: Row) => CsvCell];

/** A number with the decimal comma of Brazil. */
export function decimals(value: number | null, digits = 2): string | null {
  return value === null ? null : value.toFixed(digits).replace('.', ',');
}

/** Cents as reais. */
export function reaisCell(cents: number): string | null {
  return decimals(cents / 100);
}

/** A day and time of São Paulo, as the API writes it, in the form that spreadsheets know. */
export function momentCell(text: string): string {
  return text.slice(0, 19).replace('T', ' ');
}
