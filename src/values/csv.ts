export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** By which a spreadsheet knows UTF-8 in a file that somebody opens by a double click. */
export const BYTE_ORDER_MARK = '\ufeff';

export type CsvCell = string | number | boolean | null | undefined;

/** One line of CSV (RFC 4180), with the semicolon that spreadsheets in Brazil read. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(';')}\r\n`;
}

/**
 * What a spreadsheet would take for a formula has an apostrophe before it: others chose the text. It may
 * begin behind a separator too, where a spreadsheet divides lines by another one than ours.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[\t\r\n,;|"])(?=[=+\-@＝＋－＠])/g;

function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const harmless = cell.replaceAll(FORMULA, "'");
  return /[;,"'\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
