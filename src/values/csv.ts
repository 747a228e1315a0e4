export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** At the beginning of a file: by it spreadsheets know that the text is UTF-8. */
export const BYTE_ORDER_MARK = '\ufeff';

export type CsvCell = string | number | boolean | null | undefined;

/** A line by RFC 4180, but with the semicolon that spreadsheets in Brazil expect. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(';')}\r\n`;
}

/**
 * The places where an apostrophe keeps a text, which others chose, from being run as a formula: the beginning
 * of a cell, and behind every other separator at which a spreadsheet may split.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[\t\r\n,;|"])(?=[=+\-@＝＋－＠])/g;

function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const harmless = cell.replaceAll(FORMULA, "'");
  return /[;,"'\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
