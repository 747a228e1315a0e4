export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** Spreadsheets know UTF-8 by it. */
export const BYTE_ORDER_MARK = '\ufeff';

export type CsvCell = string | number | boolean | null | undefined;

/** RFC 4180, with the semicolon that spreadsheets in Brazil expect. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(';')}\r\n`;
}

/**
 * Formulas get an apostrophe before them, because others chose the text. Also after other separators, at
 * which a spreadsheet may split.
 */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[\t\r\n,;|"])(?=[=+\-@＝＋－＠])/g;

function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const harmless = cell.replaceAll(FORMULA, "'");
  return /[;,"'\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
